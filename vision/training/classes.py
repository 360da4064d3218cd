"""The class list of the networks: 42 faces and the back, in the order of the real data's ``data.yaml``.

Class numbers never travel between files: every data set and every exported model carries names, and numbers are
looked up by name here.
"""

from __future__ import annotations

CLASSES: tuple[str, ...] = (
    *(f"{n}m" for n in range(1, 10)),
    *(f"{n}s" for n in range(1, 10)),
    *(f"{n}p" for n in range(1, 10)),
    *("E", "S", "W", "N", "C", "F", "P"),
    *(f"f{n}" for n in range(1, 9)),
    "back",
)
INDEX: dict[str, int] = {name: number for number, name in enumerate(CLASSES)}
BACK = INDEX["back"]
FACES = CLASSES[:BACK]

#: Faces that (nearly) look the same after half a turn: their upright direction cannot be learned.
HALF_TURN_SAME = frozenset({"2s", "4s", "5s", "6s", "8s", "9s", "1p", "2p", "3p", "4p", "5p", "8p", "9p", "P", "back"})
