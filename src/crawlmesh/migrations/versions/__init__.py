"""One file per revision, loaded by Alembic alone."""
