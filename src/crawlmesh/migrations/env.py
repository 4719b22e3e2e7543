"""What Alembic runs to write a migration down as SQL. Started by `crawlmesh.migrations.statements`."""

from alembic import context

from crawlmesh.migrations.revisions import VERSION_TABLE

context.configure(
    dialect_name=context.config.attributes["dialect"],
    dialect_opts={"paramstyle": "named"},  # others double the percent signs of the statements
    output_buffer=context.config.attributes["statements"],
    transactional_ddl=False,  # whoever runs the statements has opened a transaction already
    version_table=VERSION_TABLE,
)
context.run_migrations()
