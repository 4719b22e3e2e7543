from crawlmesh.testing.servers.fixtures import postgres_databases, postgres_dsn, postgres_server

__all__ = ["postgres_databases", "postgres_dsn", "postgres_server"]
