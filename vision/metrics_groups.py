"""Figures per face, and rows put together by tile set or by light."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from vision.metrics import Row, match
from vision.training.classes import CLASSES

#: Mean brightness of a picture, 0 to 255, up to which it counts as dim and from which as bright.
DIM, BRIGHT = 85.0, 130.0


def brightness(picture: npt.NDArray[np.uint8]) -> float:
    """Mean brightness of a BGR picture, 0 to 255 (a tenth of the pixels either way is enough)."""
    return float(picture[::10, ::10].mean())


def tile_set_of(row: Row) -> str | None:
    """The tile set of a row; None in rows written before it was noted."""
    return row.get("set")


def light_of(row: Row) -> str | None:
    """``dim``, ``even`` or ``bright``; None in rows written before brightness was noted."""
    value = row.get("brightness")
    if value is None:
        return None
    return "dim" if value < DIM else "even" if value < BRIGHT else "bright"


def grouped(rows: Sequence[Row], key: Callable[[Row], str | None]) -> dict[str, list[Row]]:
    """Rows by the key's answer, sorted; those without an answer are left out."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        name = key(row)
        if name is not None:
            groups[name].append(row)
    return dict(sorted(groups.items()))


def per_tile(rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """Precision and recall of every face that is there or was read, in the usual order.

    Right means located and named rightly. ``precision``: right of all so named; ``recall``: right of all there; None
    where nothing was so named, or none was there.
    """
    there: Counter[str] = Counter()
    named: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for row in rows:
        there.update(entry[0] for entry in row["truth"])
        named.update(entry[0] for entry in row["found"])
        pairs = match(row).pairs
        right.update(row["truth"][t][0] for t, f in pairs if row["truth"][t][0] == row["found"][f][0])
    return {
        code: {
            "tiles": there[code],
            "read": named[code],
            "right": right[code],
            "precision": round(right[code] / named[code], 4) if named[code] else None,
            "recall": round(right[code] / there[code], 4) if there[code] else None,
        }
        for code in CLASSES
        if there[code] or named[code]
    }
