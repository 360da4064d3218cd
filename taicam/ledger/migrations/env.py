"""Run migrations on the connection that `taicam.ledger.store` hands over."""

from alembic import context

from taicam.ledger.tables import metadata

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
