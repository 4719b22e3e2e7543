"""Runs no-op tasks through one Procrastinate worker on PostgreSQL; prints the seconds as JSON."""

import asyncio
import json
import resource
import subprocess
import sys
import time

import procrastinate  # type: ignore[import-not-found]

_BATCH = 500

application = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=""))


@application.task(name="noop")  # type: ignore[untyped-decorator]
async def noop(value: int) -> int:
    return value


async def work(address: str) -> None:
    with application.replace_connector(procrastinate.PsycopgConnector(conninfo=address)) as app:
        async with app.open_async():
            await app.run_worker_async(concurrency=100, listen_notify=True, fetch_job_polling_interval=1)


async def run(address: str, tasks: int) -> dict[str, float]:
    connector = procrastinate.PsycopgConnector(conninfo=address)
    with application.replace_connector(connector) as app:
        async with app.open_async():
            await app.schema_manager.apply_schema_async()
            worker = subprocess.Popen([sys.executable, __file__, "worker", address])
            try:
                await app.configure_task("noop").defer_async(value=0)
                await _done(connector, 1)
                begun = time.perf_counter()
                for start in range(0, tasks, _BATCH):
                    numbers = range(start, min(start + _BATCH, tasks))
                    await app.configure_task("noop").batch_defer_async(*({"value": n} for n in numbers))
                created = time.perf_counter() - begun
                await _done(connector, tasks + 1)
                seconds = time.perf_counter() - begun
            finally:
                worker.terminate()
                worker.wait()
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu = sum(each.ru_utime + each.ru_stime for each in used)
    return {"seconds": seconds, "create_seconds": created, "cpu_seconds": cpu}


async def _done(connector: procrastinate.PsycopgConnector, tasks: int) -> None:
    query = "SELECT count(*) AS n FROM procrastinate_jobs WHERE status = 'succeeded'"
    while (await connector.execute_query_one_async(query))["n"] < tasks:
        await asyncio.sleep(0.1)


if __name__ == "__main__":
    if sys.argv[1] == "worker":
        asyncio.run(work(sys.argv[2]))
    else:
        print(json.dumps(asyncio.run(run(sys.argv[2], int(sys.argv[1])))))
