"""What an enrolment is worth: tiles named rightly before and after, on photos held back from learning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vision.enroll import Described, Embedder, Features, folds_of, learn_described


@dataclass(frozen=True, slots=True)
class Confusion:
    """Tiles of `truth` that were called `called`, `times` of them."""

    truth: str
    called: str
    times: int


@dataclass(frozen=True, slots=True)
class EnrolReport:
    """`tiles` crops were each judged by a profile learnt without their photo; `right_*` of them were named rightly.

    `mended` and `broken` count those where only the one or only the other was right; `confused` lists what is still
    wrong, worst first; `missing` the faces without a crop; `held_back` how many photos (0: single crops of one photo).
    """

    tiles: int
    right_before: int
    right_after: int
    mended: int
    broken: int
    held_back: int
    confused: tuple[Confusion, ...] = ()
    missing: tuple[str, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def before(self) -> float:
        """Share named rightly without the profile."""
        return self.right_before / max(self.tiles, 1)

    @property
    def after(self) -> float:
        """Share named rightly with it."""
        return self.right_after / max(self.tiles, 1)

    def to_json(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "tiles": self.tiles,
            "before": round(self.before, 4),
            "after": round(self.after, 4),
            "mended": self.mended,
            "broken": self.broken,
            "held_back_photos": self.held_back,
            "confused": [[c.truth, c.called, c.times] for c in self.confused],
            "missing": list(self.missing),
            "counts": self.counts,
        }

    def lines(self) -> list[str]:
        """For people."""
        where = f"held-back photos ({self.held_back})" if self.held_back else "held-back crops of one photo"
        lines = [
            f"準確率 tiles named rightly, {where}: {self.before:.1%} → {self.after:.1%} "
            f"({self.tiles} tiles; {self.mended} mended, {self.broken} broken)"
        ]
        if not self.tiles:
            lines = ["nothing could be held back: add a second photo of the same faces to measure what was learnt"]
        if self.confused:
            still = ", ".join(f"{c.truth}→{c.called}" + (f" ×{c.times}" if c.times > 1 else "") for c in self.confused)
            lines.append(f"仍會混淆 still confused: {still}")
        if self.missing:
            lines.append(f"尚缺 not photographed yet: {' '.join(self.missing)}")
        return lines


def report(described: Described, embedder: Embedder, wanted: Sequence[str] = ()) -> EnrolReport:
    """Judge every crop by what the other photos teach. `wanted` are the faces a whole set has."""
    names = tuple(embedder.names)
    before: dict[int, str] = {}
    after: dict[int, str] = {}
    everything = range(len(described.codes))
    for group in folds_of(described):
        held = set(group)
        rest = [i for i in everything if i not in held]
        taught = {described.codes[i] for i in rest}
        asked = [i for i in group if described.codes[i] in taught]
        if not asked or len(taught) < 2:
            continue
        profile = learn_described(described.subset(rest), embedder, "held back")
        plain = described.subset(asked).plain
        judged = profile.judge(Features(plain.odds, plain.embedding))
        for row, index in enumerate(asked):
            before[index] = names[int(np.argmax(plain.odds[row]))]
            after[index] = names[int(np.argmax(judged[row]))]
    right_before = {i for i, name in before.items() if name == described.codes[i]}
    right_after = {i for i, name in after.items() if name == described.codes[i]}
    wrong = Counter((described.codes[i], name) for i, name in after.items() if name != described.codes[i])
    counts = Counter(described.codes)
    photos = len(set(described.photos))
    return EnrolReport(
        tiles=len(after),
        right_before=len(right_before),
        right_after=len(right_after),
        mended=len(right_after - right_before),
        broken=len(right_before - right_after),
        held_back=photos if photos > 1 else 0,
        confused=tuple(Confusion(truth, called, times) for (truth, called), times in wrong.most_common(12)),
        missing=tuple(code for code in wanted if not counts[code]),
        counts=dict(counts),
    )
