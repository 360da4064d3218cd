"""`taicam config`: the settings in force."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from taicam.config import ENV_PREFIX, Settings, default_config_path, load_settings
from taicam.logs import redact_value


def command(
    config: Annotated[Path | None, typer.Option("--config", metavar="FILE", help="Settings file (TOML).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON object.")] = False,
) -> None:
    """Show every setting in force, and where a settings file would be looked for.

    Each may be set in the file, as an environment variable (web.port is TAICAM_WEB__PORT) or, for the
    common ones, as an option of `taicam run`.
    """
    settings = load_settings(config)
    values = redact_value(settings.model_dump(mode="json"))
    if as_json:
        typer.echo(json.dumps(values, ensure_ascii=False))
        return
    table = Table(title=f"taicam settings (file: {config or default_config_path()})")
    table.add_column("setting")
    table.add_column("value")
    table.add_column("environment variable", style="dim")
    for name in Settings.model_fields:
        value = values[name]
        rows = value.items() if isinstance(value, dict) and value else [("", value)]
        for key, entry in rows:
            path = f"{name}.{key}" if key else name
            table.add_row(path, str(entry), ENV_PREFIX + path.upper().replace(".", "__"))
    Console().print(table)
