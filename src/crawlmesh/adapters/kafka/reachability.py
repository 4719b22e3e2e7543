"""Whether the broker answers, as all clients of one channel saw it last."""

import logging

from confluent_kafka import KafkaError

from crawlmesh.adapters.kafka.error_codes import AWAY, REFUSED

_log = logging.getLogger(__name__)


class Reachability:
    """Written by the threads of all clients."""

    def __init__(self) -> None:
        self.connected = False
        self.refusal = ""  # why the broker lets nobody in

    def answered(self) -> None:
        """The broker did what it was asked for."""
        self.connected = True
        self.refusal = ""

    def failed(self, error: KafkaError) -> None:
        """A client told of an error, or a call ended with it."""
        _log.debug("Kafka: %s", error)
        if error.code() in REFUSED:
            self.connected = False
            self.refusal = error.str()
        elif error.code() in AWAY:
            self.connected = False
