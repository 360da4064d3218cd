"""Measure the reader's eyes on labelled photos: raw rows, figures per part, a page to look at.

Parts: ``D`` rack hands, ``R rows`` and ``R piles`` an unseen set, ``val``, and each training scene (``train G`` …).
The set of a photo is the first word of its file name (the second after ``rmd_``).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vision.decode_reading import ReadingRules
from vision.detector import Detector
from vision.metrics import confusions, count, summary
from vision.metrics_groups import brightness, grouped, light_of, per_tile, tile_set_of
from vision.metrics_hands import HAND_SIZES, hand_size_of, hand_summary
from vision.observation import TileObservation
from vision.picture import Picture, load_picture
from vision.reader import HandReader
from vision.training.classes import CLASSES
from vision.training.photos import Photo, PhotoDataError, load_photos

Reader = Callable[[Picture], Sequence[TileObservation]]

#: What must be reached (see the model card); None where only reported.
TARGETS: dict[str, dict[str, float]] = {
    "D": {"precision": 0.99, "recall": 0.99, "class_accuracy": 0.995, "exact_pictures": 0.85},
    "R rows": {"precision": 0.985, "recall": 0.985, "class_accuracy": 0.99, "exact_pictures": 0.75},
    "R piles": {"precision": 0.95, "recall": 0.95, "class_accuracy": 0.98},
}


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Raw rows of one reader on one data set, and what they say."""

    name: str
    rows: tuple[dict[str, Any], ...]
    seconds: float

    def parts(self) -> dict[str, dict[str, Any]]:
        """Figures per part, and of all together."""
        return self._summaries(lambda row: str(row["part"]), overall=True)

    def _summaries(self, key: Callable[[Any], str | None], *, overall: bool = False) -> dict[str, dict[str, Any]]:
        groups = grouped(self.rows, key)
        if overall and len(groups) > 1:
            groups["all"] = list(self.rows)
        return {name: {**summary(rows), **hand_summary(rows)} for name, rows in groups.items()}

    def to_json(self) -> dict[str, Any]:
        """Everything but the raw rows."""
        parts = self.parts()
        return {
            "reader": self.name,
            "pictures": len(self.rows),
            "seconds_per_picture": round(self.seconds / max(1, len(self.rows)), 4),
            "parts": parts,
            "tile_sets": self._summaries(tile_set_of),
            "lights": self._summaries(light_of),
            "per_tile": per_tile(self.rows),
            "missed_targets": missed_targets(parts),
            "confusions": [list(entry) for entry in confusions(self.rows)[:40]],
            "worst": [row["image"] for row in worst(self.rows)[:12]],
        }


def part_of(photo: Photo, split: str) -> str:
    """The part a photo is reported under."""
    scene = photo.scene
    if split == "test":
        return f"R {'rows' if photo.tidy else 'piles'}" if scene == "R" else scene
    return "val" if split == "val" else f"{split} {scene}"


def evaluate(
    data: Path, splits: Iterable[str], read: Reader | None = None, name: str = "detector", limit: int = 0
) -> Evaluation:
    """Read every labelled photo of the splits.

    Args:
        data: a YOLO data set (``data.yaml``, ``images/SPLIT``, ``labels/SPLIT``).
        splits: names of splits.
        read: what reads a picture; by default the shipped detector with its re-reader.
        name: of the reader, for the rows.
        limit: at most so many photos a split, 0 for all.

    Raises:
        PhotoDataError: the data set is missing or malformed.
    """
    reader = read or Detector().detect
    hands = {size: HandReader(rules=ReadingRules(size)) for size in set(HAND_SIZES.values())}
    rows: list[dict[str, Any]] = []
    spent = 0.0
    for split in splits:
        photos = load_photos(data, split)
        if not photos:
            raise PhotoDataError(f"{data / 'images' / split} holds no pictures: choose another split or folder")
        for photo in photos[: limit or None]:
            picture = load_picture(photo.path)
            start = time.perf_counter()
            seen = reader(picture)
            spent += time.perf_counter() - start
            row = _row(photo, part_of(photo, split), seen, name)
            row |= {"set": photo.scene, "brightness": round(brightness(picture), 1)}
            held = hand_size_of([entry[0] for entry in row["truth"]]) if photo.tidy else None
            if held is not None:
                row["hand"] = _hand(hands[held], picture, seen)
            rows.append(row)
    return Evaluation(name, tuple(rows), spent)


def _row(photo: Photo, part: str, seen: Sequence[TileObservation], name: str) -> dict[str, Any]:
    truth = [
        [CLASSES[int(code)], *(round(float(v), 1) for v in box)]
        for code, box in zip(photo.classes, photo.boxes, strict=True)
    ]
    found = [[t.code, round(t.confidence, 4), *(round(float(v), 1) for v in t.box)] for t in seen]
    return {"reader": name, "image": photo.path.name, "part": part, "truth": truth, "found": found}


def _hand(reader: HandReader, picture: Picture, seen: Sequence[TileObservation]) -> dict[str, Any]:
    reading = reader.read_tiles(picture, seen)
    tiles = [*reading.concealed, *(code for meld in reading.melds for code in meld.tiles), *reading.flowers]
    doubts = [doubt.kind for doubt in reading.doubts]
    return {"size": reader.rules.hand_size, "status": reading.status, "doubts": doubts, "tiles": sorted(tiles)}


def worst(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows with the most mistakes first."""

    def mistakes(row: dict[str, Any]) -> int:
        c = count(row)
        return (c.tiles - c.right) + (c.found - c.located)

    return sorted((row for row in rows if mistakes(row)), key=mistakes, reverse=True)


def missed_targets(parts: dict[str, dict[str, Any]]) -> list[str]:
    """Sentences on every target that is not reached."""
    out = []
    for part, wanted in TARGETS.items():
        for figure, least in wanted.items():
            value = parts.get(part, {}).get(figure, [None])[0]
            if value is not None and value < least:
                out.append(f"{part}: {figure} {value:.4f}, wanted {least} (short by {least - value:.4f})")
    return out


def figure(found: Sequence[float | None] | None) -> str:
    """A figure and its interval, as ``parts`` gives them, in words; "-" when it was not measured."""
    if found is None or found[0] is None:
        return "-"
    value, low, high = found
    return f"{value:.3f} ({low:.3f}–{high:.3f})"


def table(parts: dict[str, dict[str, Any]]) -> str:
    """The figures as a Markdown table."""
    head = ["part", "pictures", "tiles", "precision", "recall", "class accuracy", "exact pictures", "exact rows"]
    head += ["mAP50", "mAP50-95", "ECE"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for name, figures in parts.items():
        cells = [name, str(figures["pictures"]), str(figures.get("tiles", 0))]
        for key in ("precision", "recall", "class_accuracy", "exact_pictures", "exact_rows"):
            cells.append(figure(figures.get(key)))
        cells += ["-" if figures.get(k) is None else f"{figures[k]:.3f}" for k in ("map50", "map50_95", "ece")]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def hand_table(parts: dict[str, dict[str, Any]]) -> str:
    """Whole hands as a Markdown table; empty where no part has any."""
    head = ["part", "hands", "exact", "asked", "silently wrong", "taps per hand"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for name, figures in parts.items():
        if figures.get("hands"):
            cells = [name, str(figures["hands"])]
            cells += [figure(figures[key]) for key in ("exact", "asked", "silently_wrong", "taps")]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) if len(lines) > 2 else ""


def write_rows(evaluations: Evaluation | Sequence[Evaluation], path: Path) -> None:
    """Raw rows of one or several readers as JSON lines."""
    every = [evaluations] if isinstance(evaluations, Evaluation) else evaluations
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(row, ensure_ascii=False, separators=(",", ":")) for one in every for row in one.rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read_rows(path: Path) -> Evaluation:
    """Rows of one reader, written by ``write_rows``.

    Raises:
        ValueError: the file is missing, not JSON lines, or holds the rows of several readers.
    """
    found = read_all_rows(path)
    if len(found) != 1:
        raise ValueError(f"{path} holds the rows of {len(found)} readers: give a file of one")
    return found[0]


def read_all_rows(path: Path) -> list[Evaluation]:
    """Rows of every reader in a file, in their order there.

    Raises:
        ValueError: the file is missing, empty, or not JSON lines.
    """
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        names = list(dict.fromkeys(str(row["reader"]) for row in rows))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is no file of raw rows ({error}): make one with 'taicam evaluate --rows'") from error
    if not names:
        raise ValueError(f"{path} has no rows: make them with 'taicam evaluate --rows'")
    return [Evaluation(name, tuple(row for row in rows if row["reader"] == name), 0.0) for name in names]
