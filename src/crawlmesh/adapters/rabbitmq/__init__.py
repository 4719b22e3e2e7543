"""The task channel on RabbitMQ. Needs the extra `rabbitmq` (aiormq).

Chosen by `crawlmesh.wiring`; imports the port and errors.
"""
