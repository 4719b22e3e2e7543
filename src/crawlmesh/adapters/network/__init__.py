"""Reaching nodes over the network.

Chosen by `crawlmesh.wiring`; imports ports and model.
"""

from crawlmesh.adapters.network.node_probe import TcpNodeProbe

__all__ = ["TcpNodeProbe"]
