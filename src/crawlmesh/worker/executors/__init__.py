"""What a node can do, one executor for each task type; own ones by the entry point `crawlmesh.executors`.

Used by the agent and the wiring; imports crawl, ports and model.
"""

from crawlmesh.worker.executors.base import Executor, TaskExecutor
from crawlmesh.worker.executors.noop import NoOperation
from crawlmesh.worker.executors.registry import load_executors
from crawlmesh.worker.executors.web_crawl import WebCrawl, WebCrawlOptions

__all__ = ["Executor", "NoOperation", "TaskExecutor", "WebCrawl", "WebCrawlOptions", "load_executors"]
