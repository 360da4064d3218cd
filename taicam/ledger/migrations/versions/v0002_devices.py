"""The paired tablets and phones. Not part of the account: a device may be revoked, so its row may change."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table; only hashes of the tokens are kept."""
    op.create_table(
        "devices",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("token_hash", sa.Text, nullable=False, unique=True),
        sa.Column("paired_utc", sa.Text, nullable=False),
        sa.Column("seen_utc", sa.Text, nullable=False),
        sa.Column("revoked_utc", sa.Text),
    )
