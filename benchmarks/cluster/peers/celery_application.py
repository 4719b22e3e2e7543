"""Celery with late acknowledgement and recorded results, on Redis."""

import os

from celery import Celery  # type: ignore[import-not-found]

ADDRESS = os.environ["BENCH_REDIS"]

application = Celery("bench", broker=ADDRESS, backend=ADDRESS)
application.conf.update(
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=16,
    broker_connection_retry_on_startup=True,
    worker_hijack_root_logger=False,
)


@application.task(name="noop")  # type: ignore[untyped-decorator]
def noop(value: int) -> int:
    return value
