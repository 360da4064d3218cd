"""A live camera whose settings are changed while it runs: checked, applied, read back, kept for the next start."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from device.cameras import DRIVERS, Camera, CameraError, CameraHealth, Frame, make_camera
from device.cameras.live import LiveSettings
from device.drivers import driver_class
from device.errors import SettingsError
from taicam.errors import JobError, UsageError
from taicam.files import write_json
from taicam.logs import get_logger

log = get_logger(__name__)
FILE = "camera-settings.json"
_KINDS = {"integer": "integer", "number": "number"}
_TEXTS = frozenset({"fourcc"})  # the one setting in words that is no path, no program and no secret
_SHARED = frozenset({"max_fps"})  # of the settings every live camera has, the one for people


def describe_settings(driver: str) -> list[dict[str, Any]]:
    """What people may set of a driver: name, kind (integer, number, text, choice), limits, choices, default."""
    settings = driver_class("camera", driver, DRIVERS).settings_type
    described = []
    for name, schema in settings.model_json_schema()["properties"].items():
        if name in LiveSettings.model_fields and name not in _SHARED:
            continue
        one = _described(name, schema)
        if one is not None:
            described.append({**one, "name": name, "default": schema.get("default")})
    return described


def _described(name: str, schema: Mapping[str, Any]) -> dict[str, Any] | None:
    forms = schema.get("anyOf", [schema])
    plain = [form for form in forms if form.get("type") != "null"]
    nullable = len(plain) < len(forms)
    if len(plain) != 1:
        return None
    form = plain[0]
    if "enum" in form:
        return {"kind": "choice", "choices": [*form["enum"], *([None] if nullable else [])], "nullable": nullable}
    if form.get("type") in _KINDS:
        least, most = form.get("minimum", form.get("exclusiveMinimum")), form.get("maximum")
        return {"kind": _KINDS[form["type"]], "minimum": least, "maximum": most, "nullable": nullable}
    return {"kind": "text", "nullable": nullable} if name in _TEXTS else None


class AdjustableCamera(Camera):
    """A live camera of `driver`; `configured` are the settings of the settings file, changed ones are kept in `folder`.

    Sequence numbers go on rising over a change.
    """

    def __init__(self, source: str, driver: str, configured: Mapping[str, Any], folder: Path) -> None:
        self.driver = driver
        self._address = source
        self._configured = {name: value for name, value in configured.items() if name != "driver"}
        self._file = folder / FILE
        self._lock = threading.RLock()
        self._own = self._kept()
        try:
            self._camera = self._make(self._own)
        except SettingsError as error:
            if not self._own:
                raise
            log.warning("the kept camera settings are not used", reason=str(error))
            self._own = {}
            self._camera = self._make({})
        self._first = 0
        self._last = -1
        super().__init__(self._camera.source, LiveSettings())

    def open(self) -> None:
        with self._lock:
            self._camera.open()

    def close(self) -> None:
        with self._lock:
            self._camera.close()

    def read(self, max_age_s: float | None = None, timeout_s: float | None = None) -> Frame:
        with self._lock:
            frame = self._camera.read(max_age_s, timeout_s)
            self._last = self._first + frame.sequence
            return replace(frame, sequence=self._last)

    def health(self) -> CameraHealth:
        return self._camera.health()

    def to_json(self) -> dict[str, Any]:
        """For a page: the settings with their values, what the camera has, and what of the wishes it refused."""
        health = self.health()
        values = {**self._configured, **self._own}
        settings = [{**one, "value": values.get(one["name"], one["default"])} for one in describe_settings(self.driver)]
        return {
            "driver": self.driver,
            "source": self.source,
            "state": health.state,
            "reason": health.reason,
            "settings": settings,
            "applied": dict(health.applied),
            "refused": [asdict(one) for one in health.refused],
        }

    def change(self, values: Mapping[str, Any]) -> None:
        """Open the camera anew with these settings in place of all that were changed here; {} goes back to configured.

        Raises UsageError for a setting the driver does not have or a wrong value (nothing has happened then), JobError
        when the camera does not open with them (the old ones are used again).
        """
        known = [one["name"] for one in describe_settings(self.driver)]
        for name in values:
            if name not in known:
                raise UsageError(f"{name!r} cannot be set here", f"these can: {', '.join(known)}")
        try:
            wanted = self._make({**values, "patient": False})
        except SettingsError as error:
            raise UsageError(error.problem, error.advice) from None
        with self._lock:
            self._camera.close()
            try:
                wanted.open()
            except CameraError as error:
                self._camera = self._make({**self._own, "patient": True})
                self._first = self._last + 1
                with contextlib.suppress(CameraError):
                    self._camera.open()
                raise JobError(f"the old settings are used again: {error.problem}", error.advice) from None
            self._camera = wanted
            self._first = self._last + 1
            self._own = dict(values)
        write_json(self._file, {"driver": self.driver, "values": self._own})

    def _make(self, own: Mapping[str, Any]) -> Camera:
        return make_camera(self._address, **{**self._configured, **own, "driver": self.driver})

    def _kept(self) -> dict[str, Any]:
        try:
            kept = json.loads(self._file.read_text(encoding="utf-8"))
            return dict(kept["values"]) if kept["driver"] == self.driver else {}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, KeyError, TypeError) as error:
            log.warning("the kept camera settings cannot be read", reason=repr(error))
            return {}
