"""One labelled picture: where its tiles are, what they are, how that is known, and under what conditions it was taken.

The sidecar is a JSON file beside the picture, `<picture stem>.json`. Unknown keys are kept in `extra`, never dropped.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

SIDECAR_VERSION = 1

#: How the code of a box is known, best first.
Origin = Literal["person", "confirmed", "imported", "rendered", "model"]
#: What has become of a sample: a model's proposal, accepted as labels, or thrown out in review.
State = Literal["proposed", "accepted", "discarded"]
#: Why a sample was kept.
Reason = Literal["corrected", "doubtful", "button", "confirmed", "sampled", "enrolment", "imported", ""]


def _finite(values: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    if not all(math.isfinite(v) for v in values):
        raise ValueError("the corners of a box must be finite numbers")
    return values


Corners = Annotated[tuple[float, float, float, float], AfterValidator(_finite)]
Probability = Annotated[float, Field(ge=0.0, le=1.0)]


class SidecarError(ValueError):
    """A sidecar cannot be used; the message names the file and the field."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class LabelledBox(_Record):
    """One tile. `box` is `(x1, y1, x2, y2)` in pixels of the picture as stored.

    `code` is the label; `read_as` what a model had called it; `alternatives` are that model's class odds; `confidence`
    its own for `read_as` (or `code`). `turn` is the way the face stands, degrees clockwise. `role` its place at the
    table. `attributes` holds what else a labelling tool knows of it.
    """

    box: Corners
    code: str = Field(min_length=1)
    confidence: Probability | None = None
    alternatives: tuple[tuple[str, Probability], ...] = ()
    read_as: str | None = None
    origin: Origin = "imported"
    role: str | None = None
    turn: float | None = None
    occluded: bool = False
    attributes: dict[str, Any] = Field(default_factory=dict)

    @property
    def width(self) -> float:
        """Pixels; may be negative in a bad label."""
        return self.box[2] - self.box[0]

    @property
    def height(self) -> float:
        """Pixels; may be negative in a bad label."""
        return self.box[3] - self.box[1]


class Correction(_Record):
    """What a person changed: `field` of tile `index` from `before` to `after` (`added`, `removed` have one of them)."""

    index: int | None = None
    field: Literal["code", "box", "added", "removed", "role"]
    before: Any = None
    after: Any = None
    by: str = ""
    at: str = ""


class Sample(_Record):
    """A picture and everything known of it.

    `image` is its path relative to the folder of the data set, with `/`. `camera`, `calibration`, `model`, `light`
    are free-form objects (driver and settings; table corners and matrix; model names and checksums; brightness …).
    `phash` is the perceptual hash in hexadecimal.
    """

    image: str = Field(min_length=1)
    width: int = Field(gt=0)
    height: int = Field(gt=0)
    boxes: tuple[LabelledBox, ...] = ()
    state: State = "accepted"
    reason: Reason = ""
    split: str | None = None
    captured_at: str | None = None
    sequence: int | None = None
    table: str | None = None
    tile_set: str | None = None
    hand_id: str | None = None
    camera: dict[str, Any] = Field(default_factory=dict)
    calibration: dict[str, Any] = Field(default_factory=dict)
    model: dict[str, Any] = Field(default_factory=dict)
    light: dict[str, Any] = Field(default_factory=dict)
    corrections: tuple[Correction, ...] = ()
    doubts: tuple[str, ...] = ()
    phash: str | None = None
    extra: dict[str, Any] = Field(default_factory=dict)
    version: int = SIDECAR_VERSION

    @model_validator(mode="before")
    @classmethod
    def _keep_unknown_keys(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        unknown = {key: value for key, value in data.items() if key not in cls.model_fields}
        if not unknown:
            return data
        known = {key: value for key, value in data.items() if key in cls.model_fields}
        known["extra"] = {**unknown, **(known.get("extra") or {})}
        return known

    @property
    def name(self) -> str:
        """The picture's file name without folders."""
        return self.image.rsplit("/", 1)[-1]

    def to_json(self) -> dict[str, Any]:
        """The sidecar as a JSON object; fields that say nothing are left out."""
        record: dict[str, Any] = self.model_dump(mode="json", exclude_defaults=True)
        record["version"] = self.version
        record["boxes"] = record.get("boxes", [])
        return record


def explain(error: ValidationError) -> str:
    """The first fault of a record in words: the field, what is wrong, what was there."""
    first = error.errors()[0]
    where = ".".join(str(step) for step in first["loc"]) or "the record"
    return f"{where}: {first['msg']} (found {_short(first.get('input'))})"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def parse_sidecar(text: str, file: str | Path) -> Sample:
    """A sample from the text of its sidecar. Raises SidecarError naming the file and the line or field."""
    try:
        record = json.loads(text)
    except json.JSONDecodeError as error:
        raise SidecarError(f"{file}: line {error.lineno}: not JSON ({error.msg}): restore or delete it") from None
    except RecursionError:
        raise SidecarError(f"{file}: nested too deeply to be a sidecar: delete it") from None
    if not isinstance(record, dict):
        raise SidecarError(f"{file}: a sidecar is a JSON object, this is {type(record).__name__}")
    version = record.get("version", SIDECAR_VERSION)
    if not isinstance(version, int) or version > SIDECAR_VERSION:
        raise SidecarError(f"{file}: version {_short(version)} is newer than this taicam knows: update taicam")
    try:
        return Sample.model_validate(record)
    except ValidationError as error:
        raise SidecarError(f"{file}: {explain(error)}") from None


def read_sidecar(path: Path) -> Sample:
    """The sample of a sidecar file. Raises SidecarError naming the file and what is wrong with it."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SidecarError(f"{path}: cannot be read ({error}): check that it is a text file you may read") from None
    return parse_sidecar(text, path)


def write_sidecar(sample: Sample, path: Path) -> None:
    """Write the sidecar so that a reader sees the old one or the new one, never half. Raises OSError."""
    text = json.dumps(sample.to_json(), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    partial = path.with_name(f".{path.name}.part")
    try:
        partial.write_text(text + "\n", encoding="utf-8")
        partial.replace(path)
    except OSError:
        partial.unlink(missing_ok=True)
        raise
