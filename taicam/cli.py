"""The `taicam` command: one table of sub-commands, each imported only when it is the one asked for."""

from __future__ import annotations

import errno
import importlib
import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from importlib import metadata
from typing import Annotated, Any

import typer

from taicam.errors import TaicamError
from taicam.logs import redact

# name -> (module, the line shown by `taicam --help`). A module holds `command` or `app`.
COMMANDS: dict[str, tuple[str, str]] = {
    "run": ("taicam.commands.run", "Watch a table, score what is won, show it and keep the account."),
    "score": ("taicam.commands.score", "Score hands given as text or as JSON lines."),
    "read": ("taicam.commands.read", "Read the tiles of pictures."),
    "ledger": ("taicam.commands.ledger", "List, show and export recorded hands."),
    "devices": ("taicam.commands.devices", "Paired tablets and phones: list, revoke, show the code."),
    "rules": ("taicam.commands.rules", "List, show, check and compare rulesets."),
    "config": ("taicam.commands.config", "Show the settings in force and where they come from."),
    "calibrate": ("taicam.commands.calibrate", "Tell taicam where the table is in the camera's view."),
    "doctor": ("taicam.commands.doctor", "Check this machine and say what to mend."),
    "find-cameras": ("taicam.commands.find_cameras", "List the cameras of this machine."),
    "find-port": ("taicam.commands.find_port", "Find the serial port of a mahjong machine."),
    "machine": ("taicam.commands.machine", "Talk to a serial mahjong machine."),
    "emulate": ("taicam.commands.emulate", "Play a mahjong machine or a camera without the hardware."),
    "replay": ("taicam.commands.replay", "Play a recorded machine session again."),
    "evaluate": ("taicam.commands.evaluate", "Measure a detector on labelled pictures."),
    "dataset": ("taicam.commands.dataset", "Export, import and check labelled pictures."),
    "capture": ("taicam.commands.capture", "Keep, list and tidy samples to learn from."),
    "enroll": ("taicam.commands.enroll", "Learn the look of your own tile set."),
    "train": ("taicam.commands.train", "Train a detector (needs the train extra)."),
    "models": ("taicam.commands.models", "List and check the detector models."),
}

HELP = """taicam reads a winning mahjong hand with a camera, works out its 台, shows it and keeps the account.

Exit status: 0 done, 1 the job failed, 2 bad usage or bad input.
"""


def installed_version() -> str:
    """The version of the installed distribution, or a word saying that it runs from a bare folder."""
    try:
        return metadata.version("taicam")
    except metadata.PackageNotFoundError:
        return "(not installed)"


def _version(value: bool) -> None:
    if value:
        typer.echo(f"taicam {installed_version()}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Set the options that stand before the sub-command."""


def _asked_for(argv: Sequence[str]) -> str | None:
    """The sub-command in `argv`: the first word that is not an option."""
    return next((word for word in argv if not word.startswith("-")), None)


def _placeholder() -> None:
    """Stand in for a command that is listed but not the one asked for."""


def _add(app: typer.Typer, name: str, module_name: str, line: str, *, real: bool) -> None:
    if not real:
        app.command(name, help=line, short_help=line)(_placeholder)
        return
    module = importlib.import_module(module_name)
    group: typer.Typer | None = getattr(module, "app", None)
    if group is not None:
        app.add_typer(group, name=name, short_help=line)
        return
    command: Callable[..., Any] = module.command
    app.command(name, short_help=line)(command)


def build(asked_for: str | None) -> typer.Typer:
    """The command line with the module of `asked_for` imported and every other command as one help line."""
    app = typer.Typer(
        help=HELP,
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for name, (module_name, line) in COMMANDS.items():
        if importlib.util.find_spec(module_name) is not None:
            _add(app, name, module_name, line, real=name == asked_for)
    return app


def _is_ours(error: Exception) -> bool:
    """An exception class defined in one of our packages is a foreseen one: its message is for the user."""
    return type(error).__module__.split(".")[0] in {"scoring", "vision", "device", "taicam"}


def _explain_os_error(error: OSError) -> str:
    where = f" ({error.filename})" if error.filename else ""
    advice = {
        errno.ENOSPC: "The disk is full: free some space, or choose another place with --data DIR.",
        errno.EACCES: "Permission denied: choose a place you may write to with --data DIR, or change its owner.",
        errno.EROFS: "That file system is read-only: choose another place with --data DIR.",
        errno.ENOENT: "Check the path: it does not exist.",
        errno.EADDRINUSE: "The port is taken: choose another with --port N.",
    }.get(error.errno or 0, "Check the path and the device, then try again.")
    return f"{error.strerror or error}{where}\n  → {advice}"


def _fail(message: str) -> None:
    sys.stderr.write(f"taicam: {redact(message)}\n")


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command line; always leaves by `SystemExit` with the contracted status."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        build(_asked_for(words))(words, prog_name="taicam")
    except TaicamError as error:
        _fail(str(error))
        sys.exit(error.status)
    except BrokenPipeError:
        # The reader of our output has gone (`taicam … | head`): nothing more to say, and no second error at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        _fail(_explain_os_error(error))
        sys.exit(1)
    except Exception as error:
        if not _is_ours(error):
            raise
        _fail(str(error))
        sys.exit(2 if isinstance(error, ValueError) else 1)
    sys.exit(0)


if __name__ == "__main__":
    main()
