"""Kinds of errors, as librdkafka numbers them.

Those that it makes up itself begin with an underscore, which does not make them private.
"""
# ruff: noqa: SLF001

from confluent_kafka import KafkaError

AWAY = frozenset(
    {
        KafkaError._ALL_BROKERS_DOWN,
        KafkaError._MSG_TIMED_OUT,
        KafkaError._TIMED_OUT,
        KafkaError._TRANSPORT,
        KafkaError.REQUEST_TIMED_OUT,
    }
)
REFUSED = frozenset(
    {KafkaError._AUTHENTICATION, KafkaError._SSL, KafkaError.SASL_AUTHENTICATION_FAILED}
)  # nobody is let in with these credentials
NOT_ALLOWED = frozenset(
    {
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.GROUP_AUTHORIZATION_FAILED,
        KafkaError.CLUSTER_AUTHORIZATION_FAILED,
    }
)
TOPIC_GONE = frozenset(
    {
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError.UNKNOWN_TOPIC_ID,
        KafkaError._UNKNOWN_TOPIC,
        KafkaError._UNKNOWN_PARTITION,
        KafkaError._DESTROY_BROKER,  # it waited for a leader that the topic has no more
    }
)
TOPIC_NOT_READY = frozenset(
    {KafkaError.NOT_CONTROLLER, KafkaError.LEADER_NOT_AVAILABLE, KafkaError.UNKNOWN_TOPIC_OR_PART}
)  # it is being made, or the cluster is being put in order
