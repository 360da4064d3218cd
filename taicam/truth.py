"""`truth.json` beside a folder of pictures: what each really shows, to hold the readings against.

The bundled sample is such a folder, and so may anybody's own test pictures be.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from taicam.errors import UsageError
from taicam.facts import Facts

TRUTH_NAME = "truth.json"
Mark = Literal["right", "asked", "wrong", "failed"]


@dataclass(frozen=True, slots=True)
class Truth:
    """What one picture really shows; `concealed` includes `win_tile`."""

    picture: str
    concealed: tuple[str, ...]
    melds: tuple[tuple[str, tuple[str, ...]], ...]
    flowers: tuple[str, ...]
    win_tile: str | None
    wins: bool
    facts: Facts

    def matches(self, hand: Mapping[str, Any]) -> bool:
        """Whether a hand as read (`TableReading.hand_record`) is exactly this one, order left aside."""
        return (
            Counter(hand["concealed"]) == Counter(self.concealed)
            and Counter(hand["flowers"]) == Counter(self.flowers)
            and _melds((meld["kind"], meld["tiles"]) for meld in hand["melds"]) == _melds(self.melds)
            and hand["win_tile"] == self.win_tile
        )

    def to_record(self) -> dict[str, Any]:
        """The true hand as a scoring record."""
        return {
            "concealed": list(self.concealed),
            "melds": [{"kind": kind, "tiles": list(tiles)} for kind, tiles in self.melds],
            "flowers": list(self.flowers),
            "win_tile": self.win_tile,
            **self.facts.to_record(),
        }


def _melds(melds: Any) -> Counter[tuple[str, tuple[str, ...]]]:
    return Counter((str(kind), tuple(sorted(tiles))) for kind, tiles in melds)


def find_truth(source: str) -> Path | None:
    """The truth file of a folder of pictures, when there is one."""
    path = Path(source) / TRUTH_NAME
    return path if path.is_file() else None


def load_truth(path: Path) -> dict[str, Truth]:
    """Picture name -> truth. Raises UsageError naming the entry and field that cannot be understood."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}", "mend it, or move it out of the folder") from None
    entries = document.get("pictures") if isinstance(document, Mapping) else document
    if not isinstance(entries, list):
        raise UsageError(f"{path} has no list of pictures", 'it must be {"pictures": [{"picture": "a.jpg", …}, …]}')
    truths = [_truth(path, number, entry) for number, entry in enumerate(entries, start=1)]
    return {truth.picture: truth for truth in truths}


def _truth(path: Path, number: int, entry: Any) -> Truth:
    try:
        return Truth(
            picture=str(entry["picture"]),
            concealed=tuple(entry["concealed"]),
            melds=tuple((str(meld["kind"]), tuple(meld["tiles"])) for meld in entry["melds"]),
            flowers=tuple(entry["flowers"]),
            win_tile=entry["win_tile"],
            wins=bool(entry["wins"]),
            facts=Facts.from_mapping(entry),
        )
    except KeyError as error:
        raise UsageError(f"{path}: picture {number} has no field {error}", "add it") from None
    except (TypeError, ValueError) as error:
        raise UsageError(f"{path}: picture {number} cannot be understood: {error}", "mend that entry") from None
