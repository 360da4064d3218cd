"""Small labelled pictures for every test of the formats."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from scoring.tiles import ALL_CODES
from vision.dataset import Correction, LabelledBox, Sample
from vision.dataset.entries import Entry

Maker = Callable[..., list[Entry]]


def make_picture(path: Path, size: tuple[int, int], seed: int) -> None:
    """A picture of random blocks, different for each seed."""
    width, height = size
    blocks = np.random.default_rng(seed).integers(0, 255, (6, 8, 3), dtype=np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    assert cv2.imwrite(str(path), cv2.resize(blocks, (width, height), interpolation=cv2.INTER_CUBIC))


def make_entries(folder: Path, count: int = 3, seed: int = 0, rich: bool = True) -> list[Entry]:
    """`count` samples with real picture files; `rich` ones use every field a sample has."""
    rng = random.Random(seed)
    entries = []
    for number in range(count):
        width, height = rng.choice([(160, 120), (101, 77), (320, 90)])
        image = f"{'中文 ' if number == 1 else ''}pic{number}.png"
        make_picture(folder / image, (width, height), seed * 100 + number)
        boxes = tuple(make_box(rng, width, height, rich) for _ in range(rng.randint(0 if number else 1, 6)))
        extra = rich_fields(rng, number) if rich else {}
        split = rng.choice(["train", "val", "test"])
        sample = Sample(image=image, width=width, height=height, boxes=boxes, split=split, **extra)
        entries.append(Entry(sample, folder / image))
    return entries


def make_box(rng: random.Random, width: int, height: int, rich: bool) -> LabelledBox:
    x1, y1 = rng.uniform(0, width - 12), rng.uniform(0, height - 12)
    box = (x1, y1, rng.uniform(x1 + 4, width), rng.uniform(y1 + 4, height))
    code = rng.choice(ALL_CODES)
    if not rich:
        return LabelledBox(box=box, code=code)
    other = rng.choice(ALL_CODES)
    return LabelledBox(
        box=box,
        code=code,
        confidence=rng.random(),
        alternatives=((other, rng.random()), ("1m", 0.25)),
        read_as=other,
        origin=rng.choice(["confirmed", "model", "rendered"]),
        role=rng.choice(["concealed", "meld", None]),
        turn=rng.choice([0.0, 90.0, None]),
        occluded=rng.random() < 0.5,
        attributes={"worn": "yes", "漆": 3},
    )


def rich_fields(rng: random.Random, number: int) -> dict[str, object]:
    return {
        "state": "accepted",
        "reason": "corrected",
        "captured_at": f"2026-01-0{number + 1}T12:00:00Z",
        "sequence": number,
        "table": "桌 1",
        "tile_set": f"set-{number}",
        "hand_id": f"h{number}",
        "camera": {"source": "/dev/video0", "exposure": rng.random()},
        "calibration": {"corners": [[0, 0], [10, 0], [10, 10], [0, 10]]},
        "model": {"detector": "det-1", "rereader": "re-1"},
        "light": {"mean": 120.5},
        "corrections": (Correction(index=0, field="code", before="1m", after="2m", by="東家", at="2026-01-01"),),
        "doubts": ("low_confidence",),
        "phash": "0f" * 32,
        "extra": {"note": 'a <b> & "c"'},
    }


@pytest.fixture(scope="session")
def make() -> Maker:
    """`make(folder, count, seed, rich)` -> entries with real picture files in `folder`."""
    return make_entries
