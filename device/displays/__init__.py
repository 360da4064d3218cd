"""Displays: `open_display(name)` finds the driver."""

from __future__ import annotations

from typing import Any

from device.displays.base import Display, DisplayHealth, TouchEvent
from device.drivers import driver_class

__all__ = ["DRIVERS", "Display", "DisplayHealth", "TouchEvent", "open_display"]

DRIVERS = {
    "console": "device.displays.console:ConsoleDisplay",
    "lcd": "device.displays.lcd:LcdDisplay",
    "led7": "device.displays.led7:Led7Display",
    "machine": "device.displays.machine:MachineDisplay",
    "nextion": "device.displays.nextion:NextionDisplay",
}


def open_display(name: str, **settings: Any) -> Display:
    """The display driver `name`, ready to `show`. A serial display that is not there yet is waited for in the
    background. Raises SettingsError for an unknown name or setting."""
    display: Display = driver_class("display", name, DRIVERS).create(settings)
    return display
