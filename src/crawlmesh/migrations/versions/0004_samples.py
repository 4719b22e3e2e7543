"""Samples: numbers over time, for charts."""

from alembic import context, op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_TYPES = {
    "postgresql": ('text COLLATE "C"', "double precision", "json", " WITH (fillfactor = 70)"),
    "sqlite": ("text", "real", "text", ""),
}


def upgrade() -> None:
    """Lay the table. The sample of a step is written again while the step lasts."""
    name, moment, json, room = _TYPES[context.get_context().dialect.name]
    op.execute(
        f"CREATE TABLE samples (series {name} NOT NULL, step integer NOT NULL, at {moment} NOT NULL,"
        f" seconds double precision NOT NULL, means {json} NOT NULL, PRIMARY KEY (series, step, at)){room}"
    )
    op.execute("CREATE INDEX idx_samples_at ON samples (step, at)")


def downgrade() -> None:
    """Remove it: charts begin anew."""
    op.execute("DROP TABLE samples")
