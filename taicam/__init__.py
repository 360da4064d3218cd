"""The appliance: configuration, command line, pipeline, match session, ledger and the players' pages."""
