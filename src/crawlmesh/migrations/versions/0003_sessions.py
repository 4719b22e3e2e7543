"""Sessions of browsers: keys that hang on the key they were signed in with."""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """The column that tells a session from a key."""
    op.execute("ALTER TABLE api_keys ADD COLUMN session_of text")


def downgrade() -> None:
    """Sessions go, since they would be keys without it."""
    op.execute("DELETE FROM api_keys WHERE session_of IS NOT NULL")
    op.execute("ALTER TABLE api_keys DROP COLUMN session_of")
