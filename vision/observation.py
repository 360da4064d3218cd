"""What was seen and what it was taken for: plain values that pass between the stages of reading.

All boxes are `(x1, y1, x2, y2)` floats in pixels of the picture as stored with its EXIF orientation applied.
Angles are degrees, clockwise as seen in the picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Box = tuple[float, float, float, float]

#: Places a tile can have in a reading.
ROLES = ("concealed", "winning", "meld", "flower", "left_out")

ACCEPTED = "accepted"
CONFIRM = "confirm"
UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class TileObservation:
    """One tile found in a picture.

    `confidence` is the probability that there is a tile and that it is `code`; `alternatives` are class odds
    `(code, probability)` over what the tile may be, most probable first (the first one normally repeats `code`).
    `angle` says which way the tile's face stands: 0 = upright in the picture, 90 = its top points right; None = not
    known. `stacked` says how many times likelier the picture around it is where it lies on another tile, as a
    logarithm; None where nobody looked.
    """

    code: str
    box: Box
    confidence: float
    alternatives: tuple[tuple[str, float], ...] = ()
    angle: float | None = None
    stacked: float | None = None

    @property
    def center(self) -> tuple[float, float]:
        """Middle of the box, pixels."""
        x1, y1, x2, y2 = self.box
        return (x1 + x2) / 2, (y1 + y2) / 2

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the box, pixels."""
        x1, y1, x2, y2 = self.box
        return x2 - x1, y2 - y1

    @property
    def presence(self) -> float:
        """The probability that there is a tile at all: `confidence` is that of the tile and its code together."""
        if not self.alternatives:
            return self.confidence
        return min(1.0, self.confidence / max(self.alternatives[0][1], 1e-6))

    def to_json(self) -> dict[str, Any]:
        """The contracted JSON form: code, box, confidence, alternatives as `[code, probability]` pairs."""
        return {
            "code": self.code,
            "box": [round(float(v), 2) for v in self.box],
            "confidence": round(float(self.confidence), 4),
            "alternatives": [[code, round(float(p), 5)] for code, p in self.alternatives if code != self.code],
        }


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something a person must look at before the reading counts; `tile_index` points into `TableReading.tiles`."""

    kind: str
    message_zh: str
    message_en: str
    tile_index: int | None = None

    def to_json(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "kind": self.kind,
            "message_zh": self.message_zh,
            "message_en": self.message_en,
            "tile_index": self.tile_index,
        }


@dataclass(frozen=True, slots=True)
class QualityNote:
    """A fault of the picture itself and what to do about it. `severe`: a reading of this picture is not trusted."""

    kind: str
    message_zh: str
    message_en: str
    value: float = 0.0
    severe: bool = False
    box: Box | None = None

    def to_json(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "kind": self.kind,
            "message_zh": self.message_zh,
            "message_en": self.message_en,
            "value": round(float(self.value), 3),
            "severe": self.severe,
            "box": None if self.box is None else [round(float(v), 1) for v in self.box],
        }


@dataclass(frozen=True, slots=True)
class KnownSet:
    """A set that lay open before a player earlier in the hand. `kind` and sorted `tiles` as in `MeldReading`, the tiles
    all `back` where no face showed; `place` along the player's edge, 0 to 1. Probabilities: `confidence` that it lay
    there with these faces, `sure_size` that it is of three tiles or of four, `sure_kind` that a kong is of just this
    kind."""

    kind: str
    tiles: tuple[str, ...]
    place: float
    confidence: float
    sure_size: float = 1.0
    sure_kind: float = 1.0


#: What is known of a seat: its sets; None where nobody has watched it.
Known = Sequence[KnownSet] | None


@dataclass(frozen=True, slots=True)
class MeldReading:
    """One meld as read. `kind` as in `scoring` (`chow`, `pung`, `kong_exposed`, `kong_added`, `kong_concealed`);
    `tiles` are playing codes (a face-down tile of a concealed kong already named), `indices` point into
    `TableReading.tiles` in the same order."""

    kind: str
    tiles: tuple[str, ...]
    indices: tuple[int, ...] = ()
    confidence: float = 1.0

    def to_json(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "kind": self.kind,
            "tiles": list(self.tiles),
            "indices": list(self.indices),
            "confidence": round(float(self.confidence), 4),
        }


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A "did you mean": replace tile `tile_index` (read as `code`) by `instead`; `probability` of the hand it gives."""

    tile_index: int
    code: str
    instead: str
    probability: float

    def to_json(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "tile_index": self.tile_index,
            "code": self.code,
            "instead": self.instead,
            "probability": round(float(self.probability), 5),
        }


@dataclass(frozen=True, slots=True)
class TableReading:
    """A whole hand as read from one picture (or voted over several).

    `tiles` are all observations with their final codes, in reading order; `roles` names each one's place (see
    `ROLES`). `concealed` includes `win_tile`. `status` is `accepted` (nothing to ask), `confirm` (see `doubts`) or
    `unreadable` (no hand can be made of it; `doubts`/`quality` say why). `probability` is that of the codes and
    groups as a whole; `wins` says whether the shape is a winning one (None: not checked). `tile_set` is the enrolled
    set whose looks named the tiles, None for no set in particular.
    """

    tiles: tuple[TileObservation, ...]
    concealed: tuple[str, ...] = ()
    melds: tuple[MeldReading, ...] = ()
    flowers: tuple[str, ...] = ()
    win_tile: str | None = None
    doubts: tuple[Doubt, ...] = ()
    quality: tuple[QualityNote, ...] = ()
    roles: tuple[str, ...] = ()
    status: str = CONFIRM
    probability: float = 0.0
    win_tile_index: int | None = None
    win_tile_confidence: float = 0.0
    wins: bool | None = None
    suggestions: tuple[Suggestion, ...] = ()
    size: tuple[int, int] = (0, 0)
    rotation: float | None = None
    tile_set: str | None = None

    def indices(self, role: str) -> tuple[int, ...]:
        """Indices into `tiles` of everything with this role."""
        return tuple(i for i, r in enumerate(self.roles) if r == role)

    def hand_record(self) -> dict[str, Any]:
        """The hand in the fields `scoring.score_record` takes (tiles only; seat, winds and flags are added by the
        caller, who must never take them from a doubtful reading)."""
        return {
            "concealed": list(self.concealed),
            "melds": [{"kind": m.kind, "tiles": list(m.tiles)} for m in self.melds],
            "flowers": list(self.flowers),
            "win_tile": self.win_tile,
        }

    def to_json(self) -> dict[str, Any]:
        """The contracted JSON object of a picture, without the `image` name, which the caller knows."""
        doubtful = {d.tile_index for d in self.doubts if d.tile_index is not None}
        tiles = []
        for index, tile in enumerate(self.tiles):
            entry = tile.to_json()
            entry["role"] = self.roles[index] if index < len(self.roles) else "left_out"
            entry["doubtful"] = index in doubtful
            tiles.append(entry)
        return {
            "size": list(self.size),
            "tiles": tiles,
            "status": self.status,
            "hand": self.hand_record(),
            "groups": [meld.to_json() for meld in self.melds],
            "win_tile_index": self.win_tile_index,
            "win_tile_confidence": round(float(self.win_tile_confidence), 4),
            "wins": self.wins,
            "probability": round(float(self.probability), 5),
            "rotation": None if self.rotation is None else round(float(self.rotation), 1),
            "tile_set": self.tile_set,
            "doubts": [doubt.to_json() for doubt in self.doubts],
            "suggestions": [s.to_json() for s in self.suggestions],
            "quality": [note.to_json() for note in self.quality],
        }
