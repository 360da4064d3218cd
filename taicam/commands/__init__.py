"""One file per sub-command; each holds `command` (a plain function) or `app` (a `typer.Typer` group)."""
