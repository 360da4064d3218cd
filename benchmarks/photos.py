"""Whole hands on real photos, with and without the rules: `python benchmarks/photos.py --data DIR [--split test,val]`.

`DIR` is a YOLO data set. Photos whose labels can be one hand (no piles, no parts of hands) are read as the networks
name them and as decoded; labels name tiles, neither melds nor the winning tile, so the question which tile won does not
count. Raw rows: `benchmarks/results/photos.jsonl`. `--report` prints the figures, `--plot FILE.png` draws how often
probabilities are right; both run nothing. Nothing is fitted here.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.decode_odds import all_odds, default_calibration
from vision.decode_reading import ReadingRules
from vision.metrics import iou_matrix
from vision.metrics_hands import HAND_SIZES, hand_size_of
from vision.observation import ACCEPTED, TileObservation
from vision.picture import load_picture
from vision.reader import HandReader
from vision.training.classes import CLASSES
from vision.training.photos import Photo, PhotoDataError, load_photos

RESULTS = Path(__file__).resolve().parent / "results" / "photos.jsonl"
SURE = 0.9  # without the rules a tile less sure than this is asked about
#: Probabilities are told apart near 1, where they decide what is asked.
EDGES = (0.0, 0.3, 0.5, 0.7, 0.85, 0.95, 0.99, 0.999, 1.0001)


def row_of(photo: Photo, split: str, reader: HandReader) -> dict[str, Any]:
    """The raw row of one photo: truth, both readings, and every tile's probability with whether it was right."""
    picture = load_picture(photo.path)
    tiles = tuple(reader.detector.detect(picture))
    reading = reader.read_tiles(picture, tiles)
    odds = all_odds(tiles, default_calibration())
    truth = [CLASSES[int(code)] for code in photo.classes]
    doubts = [doubt.kind for doubt in reading.doubts]
    severe = any(note.severe for note in reading.quality)
    decoded = [*reading.concealed, *(code for meld in reading.melds for code in meld.tiles), *reading.flowers]
    return {
        "image": photo.path.name,
        "part": f"{photo.scene} {split}",
        "hand_size": reader.rules.hand_size,
        "truth": sorted(truth),
        "plain": sorted(tile.code for tile in tiles),
        "plain_asked": any(o.odds[0][1] < SURE for o in odds),
        "decoded": sorted(decoded),
        "decoded_asked": severe or any(d != "win_tile" for d in doubts) or (reading.status != ACCEPTED and not doubts),
        "status": reading.status,
        "doubts": doubts,
        "probability": round(reading.probability, 5),
        "odds": _right(photo, tiles, [(o.top, o.odds[0][1]) for o in odds]),
    }


def _right(
    photo: Photo, tiles: Sequence[TileObservation], named: Sequence[tuple[str, float]]
) -> list[tuple[float, bool]]:
    """Each found tile's probability and whether its name is that of the label at its place."""
    if not tiles or not len(photo.boxes):
        return []
    overlap = iou_matrix(np.array([tile.box for tile in tiles], np.float64), photo.boxes.astype(np.float64))
    pairs = [(named[i], int(overlap[i].argmax())) for i in range(len(tiles)) if overlap[i].max() > 0.4]
    return [(round(p, 5), code == CLASSES[int(photo.classes[k])]) for (code, p), k in pairs]


def report(rows: Sequence[dict[str, Any]]) -> str:
    """The figures as a Markdown table, one line a part."""
    head = "| photos | hands | wrong as named | wrong as decoded | right made wrong | of these silently "
    lines = [head + "| silently wrong, decoded | asked |", "|---|---|---|---|---|---|---|---|"]
    for part in sorted({row["part"] for row in rows}):
        of = [row for row in rows if row["part"] == part]
        plain = sum(row["plain"] != row["truth"] for row in of)
        decoded = [row for row in of if row["decoded"] != row["truth"]]
        turned = [row for row in decoded if row["plain"] == row["truth"]]
        silent = sum(not row["decoded_asked"] for row in decoded)
        asked = sum(row["decoded_asked"] for row in of)
        turned_silent = sum(not row["decoded_asked"] for row in turned)
        figures = [len(of), plain, len(decoded), len(turned), turned_silent, silent, asked]
        lines.append(f"| {part} | " + " | ".join(map(str, figures)) + " |")
    return "\n".join(lines)


def bins(rows: Sequence[dict[str, Any]]) -> list[tuple[float, float, int]]:
    """Mean probability, share right and count of each bin of tiles that is not empty."""
    values = np.array([pair for row in rows for pair in row["odds"]], np.float64).reshape(-1, 2)
    found = []
    for low, high in pairwise(EDGES):
        inside = values[(values[:, 0] >= low) & (values[:, 0] < high)]
        if len(inside):
            found.append((float(inside[:, 0].mean()), float(inside[:, 1].mean()), len(inside)))
    return found


def plot(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Draw the bins: probability across, share right up, each with its number of tiles."""
    image = np.full((460, 520, 3), 255, np.uint8)
    x0, y0, side, font = 70, 400, 360, cv2.FONT_HERSHEY_SIMPLEX
    cv2.rectangle(image, (x0, y0 - side), (x0 + side, y0), (150, 150, 150), 1)
    cv2.line(image, (x0, y0), (x0 + side, y0 - side), (190, 190, 190), 1, cv2.LINE_AA)
    for tick in (0.0, 0.5, 1.0):
        cv2.putText(image, f"{tick:g}", (int(x0 + side * tick) - 8, y0 + 20), font, 0.45, (60, 60, 60), 1, cv2.LINE_AA)
        cv2.putText(image, f"{tick:g}", (x0 - 34, int(y0 - side * tick) + 5), font, 0.45, (60, 60, 60), 1, cv2.LINE_AA)
    for p, share, count in bins(rows):
        at = (round(x0 + side * p), round(y0 - side * share))
        cv2.circle(image, at, round(3 + 1.2 * np.log1p(count)), (181, 111, 28), -1, cv2.LINE_AA)
    tiles = sum(count for *_, count in bins(rows))
    for text, at in (
        (f"{tiles} tiles of {len(rows)} photos", (x0 + 120, 28)),
        ("probability of the name", (x0 + 90, y0 + 44)),
        ("share right", (4, y0 - side - 6)),
    ):
        cv2.putText(image, text, at, font, 0.5, (60, 60, 60), 1, cv2.LINE_AA)
    if not cv2.imwrite(str(path), image):
        raise OSError(f"{path} cannot be written: give a name ending in .png in a folder that exists")


def whole_hands(data: Path, split: str) -> list[tuple[Photo, int]]:
    """Photos of a split that show one hand each, with the size of the game it is of."""
    photos = [
        (photo, hand_size_of([CLASSES[int(code)] for code in photo.classes])) for photo in load_photos(data, split)
    ]
    return [(photo, size) for photo, size in photos if size is not None and photo.tidy]


def _kept() -> list[dict[str, Any]]:
    if not RESULTS.is_file():
        return []
    return [json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines()]


def main() -> int:
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="a YOLO data set (data.yaml, images/, labels/)")
    parser.add_argument("--split", default="test,val", help="splits to read (default test,val)")
    parser.add_argument("--report", action="store_true", help="print the figures of the rows kept, run nothing")
    parser.add_argument("--plot", type=Path, help="draw the reliability of the rows kept as a .png, run nothing")
    a = parser.parse_args()
    try:
        if a.data is not None:
            readers = {size: HandReader(rules=ReadingRules(size)) for size in set(HAND_SIZES.values())}
            made = [
                row_of(photo, split, readers[size])
                for split in a.split.split(",")
                for photo, size in whole_hands(a.data, split)
            ]
            others = [row for row in _kept() if row["part"].split()[-1] not in a.split.split(",")]
            text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in [*others, *made])
            RESULTS.write_text(text, encoding="utf-8")
        rows = _kept()
        if a.plot is not None:
            plot(rows, a.plot)
    except (PhotoDataError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(report(rows) + "\n")
    mistakes = Counter((row["part"], row["image"]) for row in rows if row["decoded"] != row["truth"])
    sys.stdout.writelines(f"wrong as decoded: {part}: {image}\n" for part, image in sorted(mistakes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
