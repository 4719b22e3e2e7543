"""The Python client of the HTTP interface, which the command line uses too.

Imported by the commands and by users as `crawlmesh.Client`; imports protocol, model and errors. The shapes of
the answers are in `answers`.
"""

from crawlmesh.client.client import Client
from crawlmesh.protocol.task_messages import NewTask

__all__ = ["Client", "NewTask"]
