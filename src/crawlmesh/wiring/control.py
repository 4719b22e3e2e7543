"""What the use cases of a master work with."""

from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import Any

from crawlmesh.adapters.files import StateFolder
from crawlmesh.control.context import BUILT_IN_TASK_TYPES, ControlContext
from crawlmesh.control.options import ControlOptions
from crawlmesh.crawl.task_parameters import crawl_definition_from
from crawlmesh.errors import SettingError
from crawlmesh.model.task import WEB_CRAWL
from crawlmesh.observability.metrics import Measurements
from crawlmesh.rules.node_health import HealthThresholds
from crawlmesh.rules.placement import builtin_strategies
from crawlmesh.rules.placement.base import Strategy
from crawlmesh.rules.task_lifecycle import RetryOptions
from crawlmesh.settings import Mode, Settings
from crawlmesh.wiring.channels import Brokers
from crawlmesh.wiring.crawl import system_clock
from crawlmesh.wiring.moving.marks import refuse_marked_stores
from crawlmesh.wiring.plugins import STRATEGIES, own_plugins
from crawlmesh.wiring.stores import (
    control_store_url,
    crawl_store_url,
    folders_of,
    open_cluster_crawl_store,
    open_control_store,
    without_password,
)
from crawlmesh.worker.executors.noop import NoOperation
from crawlmesh.worker.executors.registry import load_executors

_DAY = 86_400.0  # seconds


async def make_control_context(
    settings: Settings, closing: AsyncExitStack, measurements: Measurements
) -> ControlContext:
    """Open the stores, which `closing` closes, and put together what the use cases need."""
    strategies = known_strategies()
    if settings.load_balance_strategy not in strategies:
        raise SettingError(
            f"The setting load_balance_strategy has the value {settings.load_balance_strategy!r}: "
            f"it must be one of {', '.join(sorted(strategies))}."
        )
    for folder in folders_of(control_store_url(settings), crawl_store_url(settings)):
        closing.enter_context(StateFolder(folder))  # two masters on the same files would wait for each other
    await refuse_marked_stores(control_store_url(settings), crawl_store_url(settings))
    store = await open_control_store(control_store_url(settings))
    closing.push_async_callback(store.aclose)
    crawl_store = await open_cluster_crawl_store(crawl_store_url(settings))
    closing.push_async_callback(crawl_store.aclose)
    brokers = Brokers(closing)
    return ControlContext(
        store=store,
        crawl_store=crawl_store,
        clock=system_clock(),
        options=control_options(settings),
        strategies=strategies,
        check_parameters=check_parameters,
        measurements=measurements,
        task_types=BUILT_IN_TASK_TYPES | load_executors([NoOperation()]).keys(),
        task_channel=await brokers.task_channel(settings),
        event_bus=await brokers.event_bus(settings),
        crawl_store_address=without_password(crawl_store_url(settings)),
    )


def known_strategies() -> Mapping[str, Strategy]:
    """The strategies that come with Crawlmesh, and those that installed packages bring."""
    return {**builtin_strategies(), **own_plugins(STRATEGIES)}


def check_parameters(task_type: str, parameters: dict[str, Any]) -> None:
    """Refuse what a crawl cannot do; parameters of other types are their executors' business."""
    if task_type == WEB_CRAWL:
        crawl_definition_from(parameters)


def control_options(settings: Settings) -> ControlOptions:
    """The settings of a master, in the form in which the use cases take them."""
    return ControlOptions(
        default_strategy=settings.load_balance_strategy,
        task_timeout=settings.task_timeout,
        max_retries=settings.max_retry_count,
        retry=RetryOptions(base=settings.task_retry_base, cap=settings.task_retry_cap),
        max_losses=settings.max_losses,
        nodes_per_crawl=settings.nodes_per_crawl,
        heartbeat_interval=settings.heartbeat_interval,
        heartbeat_timeout=settings.silence,
        device_timeout=settings.device_timeout,
        timeout_check_interval=settings.timeout_check_interval,
        health=HealthThresholds(
            cpu=_most_cpu(settings),
            memory=settings.max_memory_usage,
            task_errors=settings.max_task_errors,
            task_latency=settings.max_task_latency,
            readings=settings.health_readings,
        ),
        health_interval=settings.health_check_interval,
        max_tasks_per_schedule=settings.max_tasks_per_schedule,
        schedule_interval=settings.dispatch_interval,
        leader_lease=settings.leader_lease,
        publish_records=settings.publish_records,
        keep_tasks=settings.keep_tasks * _DAY,
        keep_events=settings.keep_events * _DAY,
        keep_heartbeats=settings.keep_heartbeats * _DAY,
        keep_logs=settings.keep_logs * _DAY,
    )


def _most_cpu(settings: Settings) -> float:
    # A crawl may well take all of a machine; where no other node is, waiting for it to rest helps nobody.
    alone = settings.mode is Mode.STANDALONE and "max_cpu_usage" not in settings.model_fields_set
    return 1.0 if alone else settings.max_cpu_usage
