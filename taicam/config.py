"""Settings: command line over environment over one TOML file over defaults; unknown keys are refused.

Secrets are written by reference, `${env:NAME}` or `${file:/run/secrets/cam}`, and looked up only where they
are used, so that a settings file, a log line or `taicam config` never holds the secret itself.
"""

from __future__ import annotations

import ipaddress
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from taicam.capture.settings import CaptureSettings
from taicam.errors import UsageError, nearest

CONFIG_NAME = "taicam.toml"
ENV_PREFIX = "TAICAM_"
LOOPBACK = "127.0.0.1"
_REFERENCE = re.compile(r"\$\{(?P<kind>env|file):(?P<name>[^}]+)\}")


def default_data_dir() -> Path:
    """Where a user's ledger lives when nothing else is said (XDG on Linux)."""
    return Path(platformdirs.user_data_dir("taicam", appauthor=False))


def default_config_path() -> Path:
    """The settings file read when `--config` is not given and the file is there."""
    return Path(platformdirs.user_config_dir("taicam", appauthor=False)) / CONFIG_NAME


def is_loopback(host: str) -> bool:
    """Whether only this very machine can reach that address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class WebSettings(_Section):
    """The players' pages.

    `host` left out: this machine only, or the whole network when pairing is on. On any address but loopback pairing
    is always on.
    """

    enabled: bool = True
    host: str | None = Field(default=None, description="address to listen on; 0.0.0.0 for the whole network")
    port: int = Field(default=8080, ge=0, le=65535, description="port to listen on; 0 takes a free one")
    pairing: bool = Field(default=False, description="tablets pair with a code before they may change anything")
    https: bool = Field(default=False, description="encrypt, with a certificate made on this machine")
    viewing: Literal["open", "paired"] = Field(default="open", description="who may look: everybody, or paired devices")
    upload_mb: int = Field(default=20, ge=1, le=200, description="largest photo taken from a phone, in megabytes")

    @property
    def address(self) -> str:
        """The address to listen on."""
        return self.host or ("0.0.0.0" if self.pairing else LOOPBACK)

    @property
    def pairs(self) -> bool:
        """Whether devices must be paired before they may change anything."""
        return self.pairing or not is_loopback(self.address)


class DisplaySettings(_Section):
    """The attached display: a driver's name and its own settings."""

    name: str = "console"
    settings: dict[str, Any] = Field(default_factory=dict)


class LogSettings(_Section):
    """`level` left out: INFO when headless, WARNING on a terminal, which has the display to look at."""

    level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] | None = None
    style: Literal["console", "json"] = "console"


class StakeSettings(_Section):
    """底 and the worth of one 台, in points."""

    di: int = Field(default=100, ge=0, le=1_000_000)
    tai: int = Field(default=20, ge=0, le=1_000_000)


class MachineSettings(_Section):
    """An automatic machine on a serial line (`source = "serial:///dev/…"`)."""

    codec: str = "cobs-crc16"
    baud: int = Field(default=115200, ge=300, le=4_000_000)
    address: int = Field(default=0, ge=0, le=255)
    half_duplex: bool = Field(default=False, description="RS-485 with one pair of wires")


class ReadingSettings(_Section):
    """How a live view becomes one reading. `mode` auto: the whole table where `camera_name` is calibrated."""

    mode: Literal["auto", "hand", "table"] = "auto"
    tile_set: str = Field(default="auto", description="enrolled tile set: auto, none, or a name")
    camera_name: str = Field(default="default", description="name the camera was calibrated under")

    interval_s: float = Field(default=0.3, ge=0.05, le=10, description="pause between two looks at a live camera")


class Settings(BaseSettings):
    """Everything that can be set; the TOML file has the same names, sections as tables."""

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX, env_nested_delimiter="__", extra="forbid", frozen=True, env_ignore_empty=True
    )

    source: str = Field(default="0", description="camera, video file, picture, folder, URL, or 'sample'")
    ruleset: str = "taiwan"
    options: dict[str, Any] = Field(default_factory=dict, description="options of the ruleset")
    data_dir: Path = Field(default_factory=default_data_dir, description="where the ledger is kept")
    language: Literal["zh-Hant", "en"] = "zh-Hant"
    stakes: StakeSettings = Field(default_factory=StakeSettings)
    web: WebSettings = Field(default_factory=WebSettings)
    display: DisplaySettings = Field(default_factory=DisplaySettings)
    camera: dict[str, Any] = Field(default_factory=dict, description="settings of the camera driver")
    machine: MachineSettings = Field(default_factory=MachineSettings)
    reading: ReadingSettings = Field(default_factory=ReadingSettings)
    capture: CaptureSettings = Field(default_factory=CaptureSettings)
    log: LogSettings = Field(default_factory=LogSettings)


def read_config_file(path: Path) -> dict[str, Any]:
    """The tables of a TOML file. Raises UsageError when it is missing, unreadable or not TOML."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(f"there is no settings file {path}", "check --config, or leave it out") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not valid TOML: {error}", "mend that line and try again") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the settings file {path}: {error}", "it must be a text file") from None


def load_settings(config: Path | None = None, overrides: Mapping[str, Any] | None = None) -> Settings:
    """Read the settings; `overrides` are those of the command line (nested dicts, None left out).

    Raises UsageError naming the key, where it was set, and the nearest valid one.
    """
    path = config or _config_from_environment()
    values: dict[str, Any] = {}
    if path is not None:
        values = read_config_file(path)
    elif default_config_path().is_file():
        path = default_config_path()
        values = read_config_file(path)

    class _Layered(Settings):
        @classmethod
        def settings_customise_sources(  # the signature is pydantic-settings'
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,
            file_secret_settings: PydanticBaseSettingsSource,
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            return init_settings, env_settings, InitSettingsSource(settings_cls, values)

    try:
        return _Layered(**_without_none(overrides or {}))
    except ValidationError as error:
        raise UsageError(*_explain(error, path, values)) from None
    except ValueError as error:  # an environment value that should be JSON and is not
        raise UsageError(f"a {ENV_PREFIX}… variable cannot be read: {error}", "mend or unset it") from None


def _config_from_environment() -> Path | None:
    named = os.environ.get(f"{ENV_PREFIX}CONFIG")
    return Path(named) if named else None


def _without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            inner = _without_none(value)
            if inner:
                kept[key] = inner
        elif value is not None:
            kept[key] = value
    return kept


def _section_keys(location: tuple[int | str, ...]) -> list[str]:
    """The valid keys beside the last step of `location`."""
    model: type[BaseModel] = Settings
    for step in location[:-1]:
        field = model.model_fields.get(str(step))
        if field is None or not (isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)):
            return []
        model = field.annotation
    return list(model.model_fields)


def _set_where(location: tuple[int | str, ...], path: Path | None, values: Mapping[str, Any]) -> str:
    inner: Any = values
    for step in location:
        if not isinstance(inner, Mapping) or step not in inner:
            variable = ENV_PREFIX + "__".join(str(part).upper() for part in location)
            return f"in the environment ({variable})" if variable in os.environ else "on the command line"
        inner = inner[step]
    return f"in {path}"


def _explain(error: ValidationError, path: Path | None, values: Mapping[str, Any]) -> tuple[str, str]:
    first = error.errors()[0]
    location = tuple(first["loc"])
    name = ".".join(str(step) for step in location)
    where = _set_where(location, path, values)
    if first["type"] == "extra_forbidden":
        return f"unknown setting {name!r} {where}", nearest(str(location[-1]), _section_keys(location))
    return f"the setting {name!r} {where} is not valid: {first['msg']}", "give it a value of that kind"


def resolve_references(text: str) -> str:
    """`text` with every `${env:NAME}` and `${file:PATH}` replaced. Raises UsageError when one is not there."""

    def look_up(match: re.Match[str]) -> str:
        kind, name = match["kind"], match["name"]
        if kind == "env":
            if name not in os.environ:
                raise UsageError(f"the secret ${{env:{name}}} is not set", f"export {name} before starting taicam")
            return os.environ[name]
        try:
            return Path(name).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"the secret file {name} cannot be read: {error}", "check its path and owner") from None

    return _REFERENCE.sub(look_up, text)
