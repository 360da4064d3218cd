"""The one error family of the hardware package: what went wrong, and what to do next."""

from __future__ import annotations


class DeviceError(RuntimeError):
    """Something about hardware failed.

    `advice` is one sentence, often a command, that says what to do next; it is part of `str(error)`.
    """

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(f"{message} {advice}".strip() if advice else message)
        self.problem = message
        self.advice = advice


class SettingsError(DeviceError, ValueError):
    """A driver was given a setting it does not know, or a value it cannot use."""
