"""One file per change of the ledger's tables, oldest first."""
