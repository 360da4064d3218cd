"""What became of a view, as the appliance tells the capture: confirmed, corrected (and how), doubtful, asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from vision.observation import Box, TableReading

Kind = Literal["confirmed", "corrected", "doubtful", "button", "passing"]


@dataclass(frozen=True, slots=True)
class TileChange:
    """A person's correction: tile `index` of the reading is `code` (None: it is no tile); `index` None: a tile that was
    not seen, at `box` when that was pointed out."""

    index: int | None
    code: str | None
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """`sure` is False when the changes were guessed from the corrected hand, so that somebody should look again."""

    kind: Kind
    changes: tuple[TileChange, ...] = ()
    hand_id: str = ""
    by: str = ""
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Where and with what a view was taken; everything JSON can hold. `table_corners`: the table's outline in pixels of
    the frame, in order round it; outside it nothing is kept when `crop = "table"`."""

    camera: Mapping[str, object] | None = None
    calibration: Mapping[str, object] | None = None
    model: Mapping[str, object] | None = None
    table: str | None = None
    tile_set: str | None = None
    sequence: int | None = None
    table_corners: Sequence[tuple[float, float]] | None = None


def verdict_from_hand(reading: TableReading, codes: Sequence[str], hand_id: str = "", by: str = "") -> Verdict:
    """The verdict when only the final hand is known: all its tile codes, in any order (melds and flowers included).

    Where one tile differs it is found for sure; where several differ, each new code goes to the tile whose odds favour
    it most, and the verdict is not `sure`. Tiles left out of the hand (discards in view) are not touched.
    """
    inside = [i for i in range(len(reading.tiles)) if i >= len(reading.roles) or reading.roles[i] != "left_out"]
    wanted = Counter(codes)
    wrong: list[int] = []
    # The surest tiles are matched first, so that of two tiles read alike the doubtful one is the wrong one.
    for index in sorted(inside, key=lambda i: -reading.tiles[i].confidence):
        code = reading.tiles[index].code
        if wanted[code] > 0:
            wanted[code] -= 1
        else:
            wrong.append(index)
    missing = [code for code, count in wanted.items() for _ in range(count)]
    if not wrong and not missing:
        return Verdict("confirmed", hand_id=hand_id, by=by)
    sure = len(wrong) <= 1 and len(missing) <= 1 and _only_suspect(reading, inside, wrong)
    return Verdict("corrected", _assign(reading, wrong, missing), hand_id, by, sure)


def _only_suspect(reading: TableReading, inside: Sequence[int], wrong: Sequence[int]) -> bool:
    """Whether no other tile was read as the same code: else which of them is wrong is a guess."""
    return all(sum(reading.tiles[i].code == reading.tiles[w].code for i in inside) == 1 for w in wrong)


def _assign(reading: TableReading, wrong: Sequence[int], missing: Sequence[str]) -> tuple[TileChange, ...]:
    odds = {(i, code): dict(reading.tiles[i].alternatives).get(code, 0.0) for i in wrong for code in missing}
    left_wrong, left_missing = list(wrong), list(missing)
    changes = []
    while left_wrong and left_missing:
        index, code = max(((i, c) for i in left_wrong for c in left_missing), key=lambda pair: odds[pair])
        changes.append(TileChange(index, code))
        left_wrong.remove(index)
        left_missing.remove(code)
    changes += [TileChange(index, None) for index in left_wrong]
    changes += [TileChange(None, code) for code in left_missing]
    return tuple(changes)
