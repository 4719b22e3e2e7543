"""How far readers of the journal have come, such as the one that publishes events to the event bus."""

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Lay the table."""
    op.execute("CREATE TABLE reader_positions (name text PRIMARY KEY, number bigint NOT NULL)")


def downgrade() -> None:
    """Remove it: everything is published again."""
    op.execute("DROP TABLE reader_positions")
