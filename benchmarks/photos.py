"""Whole hands on real photos, with and without the rules: `python benchmarks/photos.py --data DIR [--split test,val]`.

`DIR` is a YOLO data set. Photos whose labels can be one hand (no piles, no parts of hands) are read as the networks
name them and as decoded; labels name tiles, neither melds nor the winning tile, so the question which tile won does not
count. Raw rows: `benchmarks/results/photos.jsonl`. With `--poorer` the same photos are made poorer in every way of
`poorer.py` first, so that there are misread hands to put right: rows in `photos-poorer.jsonl`, one a photo and way.
What the networks find in those is kept under `benchmarks/found` and found anew when they or the ways change: a run that
was stopped goes on, and one after a change to the reading alone is short.

`--report` prints the figures, `--plot FILE.png` draws how often probabilities are right; both run nothing. Nothing is
fitted here.
"""

from __future__ import annotations

import argparse
import json
import pickle
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import poorer
from numpy.random import default_rng

from scoring.encoding import encode, suits_of
from scoring.shapes.distance import distance
from vision.decode_odds import all_odds, default_calibration
from vision.decode_reading import ReadingRules
from vision.decode_special import pairs_shape
from vision.detector import Detector
from vision.metrics import match
from vision.metrics_hands import hand_size_of
from vision.observation import ACCEPTED, TileObservation
from vision.picture import Picture, load_picture
from vision.reader import HandReader
from vision.training.classes import CLASSES
from vision.training.photos import Photo, PhotoDataError, load_photos
from vision.weights import model_path, sha256_of

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "photos.jsonl"
POORER = ROOT / "benchmarks" / "results" / "photos-poorer.jsonl"
FOUND = ROOT / "benchmarks" / "found"
SURE = 0.9  # without the rules a tile less sure than this is asked about
MATCHED = 0.4  # IoU from which a tile is the labelled one: labels of far tiles are drawn tight
DRAWS = 2000  # of photos, for an interval
#: Probabilities are told apart near 1, where they decide what is asked.
EDGES = (0.0, 0.3, 0.5, 0.7, 0.85, 0.95, 0.99, 0.999, 1.0001)

Row = dict[str, Any]


def can_win(codes: Sequence[str], hand_size: int) -> bool:
    """Whether tiles can win: sets (any four of a kind may be a kong) and a pair, or the game's pairs."""
    playing = [code for code in codes if not code.startswith("f")]
    kongs = len(playing) - hand_size - 1
    if kongs < 0 or "back" in playing:
        return False
    pairs = [] if kongs else [pairs_shape(hand_size)]
    fours = [code for code, count in Counter(playing).items() if count == 4]
    return any(
        distance(suits_of(encode(playing) - encode(chosen)), shapes=pairs) == 0 for chosen in combinations(fours, kongs)
    )


def row_of(
    photo: Photo, split: str, hand_size: int, picture: Picture, tiles: tuple[TileObservation, ...], share: float = 1.0
) -> Row:
    """The raw row of one photo: truth, both readings, and every tile's probability with whether it was right.

    Args:
        photo: the labels.
        split: which split it is of.
        hand_size: tiles held before the winning one.
        picture: the photo, or what was made of it.
        tiles: those found in the picture.
        share: how large the picture is, of the photo.
    """
    reading = HandReader(rules=ReadingRules(hand_size)).read_tiles(picture, tiles)
    odds = all_odds(tiles, default_calibration())
    truth = [CLASSES[int(code)] for code in photo.classes]
    found = [[tile.code, tile.confidence, *(np.array(tile.box) / share)] for tile in tiles]
    labels = [[code, *box] for code, box in zip(truth, photo.boxes.tolist(), strict=True)]
    matched = match({"truth": labels, "found": found}, MATCHED)
    doubts = [doubt.kind for doubt in reading.doubts]
    severe = any(note.severe for note in reading.quality)
    decoded = [*reading.concealed, *(code for meld in reading.melds for code in meld.tiles), *reading.flowers]
    return {
        "image": photo.path.name,
        "part": f"{photo.scene} {split}",
        "hand_size": hand_size,
        "wins": can_win(truth, hand_size),
        "missed": len(matched.missed),
        "extra": len(matched.extra),
        "truth": sorted(truth),
        "plain": sorted(tile.code for tile in tiles),
        "plain_asked": any(o.odds[0][1] < SURE for o in odds),
        "decoded": sorted(decoded),
        "decoded_asked": severe or any(d != "win_tile" for d in doubts) or (reading.status != ACCEPTED and not doubts),
        "status": reading.status,
        "doubts": doubts,
        "probability": round(reading.probability, 5),
        "odds": [(round(odds[f].odds[0][1], 5), odds[f].top == truth[t]) for t, f in matched.pairs],
    }


def read(photo: Photo, split: str, hand_size: int, detector: Detector) -> Row:
    """The row of a photo as it was taken."""
    picture = load_picture(photo.path)
    return row_of(photo, split, hand_size, picture, detector.detect(picture))


def read_poorer(photo: Photo, split: str, hand_size: int, detector: Detector) -> list[Row]:
    """The rows of a photo made poorer, one a way that changes it."""
    file = FOUND / f"photo-{photo.path.stem}.pickle"
    key = [sha256_of(path) for path in (model_path("tiles"), model_path("rereader"), Path(poorer.__file__))]
    key += [field.name for field in fields(TileObservation)]  # kept ones of another form cannot be read
    kept = pickle.loads(file.read_bytes()) if file.is_file() else None
    found: dict[str, tuple[TileObservation, ...]] = kept[1] if kept is not None and kept[0] == key else {}
    known, rows, taken = len(found), [], load_picture(photo.path)
    for way in poorer.WAYS:
        picture = poorer.poorer(taken, photo, way)
        if picture is None:
            continue
        if way not in found:
            found[way] = detector.detect(picture)
        share = picture.shape[1] / taken.shape[1]
        rows.append({"way": way, **row_of(photo, split, hand_size, picture, found[way], share)})
    if len(found) > known:
        FOUND.mkdir(parents=True, exist_ok=True)
        file.write_bytes(pickle.dumps((key, found)))
    return rows


def report(rows: Sequence[Row]) -> str:
    """The figures as a Markdown table, one line a part."""
    return _table("photos", [(part, [row for row in rows if row["part"] == part]) for part in _each(rows, "part")])


def report_poorer(rows: Sequence[Row]) -> str:
    """The figures of photos made poorer as Markdown tables.

    Rules can put a tile right that was misnamed or leave one out that is none, but bring none back that was not found;
    they know more of a hand that wins than of another, and nothing of which flower one is: these are told apart.
    """
    found = [row for row in rows if not row["missed"]]
    winning = [row for row in found if row["wins"]]
    kinds = [
        *((f"winning, no tile missed, {split}", _of(winning, "part", split)) for split in ("val", "test")),
        ("winning, no tile missed", winning),
        ("of these with a tile too many", [row for row in winning if row["extra"]]),
        ("of these misnamed as another winning hand", [row for row in winning if _wins_otherwise(row)]),
        ("winning, some tile missed", [row for row in rows if row["wins"] and row["missed"]]),
        ("other, no tile missed", [row for row in found if not row["wins"]]),
        ("other, some tile missed", [row for row in rows if not row["wins"] and row["missed"]]),
    ]
    return "\n\n".join(
        [
            _table("hands, all ways", kinds),
            _table("winning hands, no tile missed", [(way, _of(winning, "way", way)) for way in _each(rows, "way")]),
            _table("misnamed of these hands", [(name, _of_kind(winning, name)) for name in MISNAMED]),
        ]
    )


MISNAMED = ("nothing", "one tile", "two tiles", "three and more", "flowers alone", "flowers and others")


def _misnamed(row: Row) -> str:
    """Which of `MISNAMED` the labelled tiles are."""
    wrong: list[str] = list((Counter(row["truth"]) - Counter(row["plain"])).elements())
    flowers = sum(code.startswith("f") for code in wrong)
    if flowers:
        return MISNAMED[4 if flowers == len(wrong) else 5]
    return MISNAMED[min(len(wrong), 3)]


def _wins_otherwise(row: Row) -> bool:
    """Whether the names are wrong and win all the same: no rule tells that."""
    return row["plain"] != row["truth"] and can_win(row["plain"], row["hand_size"])


def _of(rows: Sequence[Row], key: str, ends: str) -> list[Row]:
    return [row for row in rows if row[key].endswith(ends)]


def _of_kind(rows: Sequence[Row], name: str) -> list[Row]:
    return [row for row in rows if _misnamed(row) == name]


def _each(rows: Sequence[Row], key: str) -> list[str]:
    return list(dict.fromkeys(row[key] for row in rows))


COLUMNS = (
    "hands",
    "wrong as named",
    "wrong as decoded",
    "decoded / named [95 %]",
    "right made wrong",
    "of these silently",
    "silently wrong as named",
    "silently wrong, decoded",
    "asked",
)


def _table(about: str, groups: Sequence[tuple[str, list[Row]]]) -> str:
    lines = ["| " + " | ".join((about, *COLUMNS)) + " |", "|---" * (1 + len(COLUMNS)) + "|"]
    for name, of in groups:
        if of:
            lines.append("| " + " | ".join((name, *map(str, _figures(of)))) + " |")
    return "\n".join(lines)


def _figures(of: Sequence[Row]) -> list[int | str]:
    plain = [row for row in of if row["plain"] != row["truth"]]
    decoded = [row for row in of if row["decoded"] != row["truth"]]
    turned = [row for row in decoded if row["plain"] == row["truth"]]
    return [
        len(of),
        len(plain),
        len(decoded),
        _ratio(of),
        len(turned),
        sum(not row["decoded_asked"] for row in turned),
        sum(not row["plain_asked"] for row in plain),
        sum(not row["decoded_asked"] for row in decoded),
        sum(row["decoded_asked"] for row in of),
    ]


def _ratio(of: Sequence[Row]) -> str:
    """Hands wrong as decoded over hands wrong as named. The interval is a bootstrap over photos, for what is made of
    one photo fails alike."""
    counts = {image: np.zeros(2, np.int64) for image in _each(of, "image")}
    for row in of:
        counts[row["image"]] += [row["decoded"] != row["truth"], row["plain"] != row["truth"]]
    each = np.array(list(counts.values()))
    decoded, named = each.sum(axis=0)
    if not named:
        return ""
    drawn = each[default_rng(0).integers(0, len(each), (DRAWS, len(each)))].sum(axis=1)
    drawn = drawn[drawn[:, 1] > 0]
    low, high = np.percentile(drawn[:, 0] / drawn[:, 1], [2.5, 97.5])
    return f"{decoded / named:.2f} [{low:.2f}, {high:.2f}]"


def bins(rows: Sequence[Row]) -> list[tuple[float, float, int]]:
    """Mean probability, share right and count of each bin of tiles that is not empty."""
    values = np.array([pair for row in rows for pair in row["odds"]], np.float64).reshape(-1, 2)
    found = []
    for low, high in pairwise(EDGES):
        inside = values[(values[:, 0] >= low) & (values[:, 0] < high)]
        if len(inside):
            found.append((float(inside[:, 0].mean()), float(inside[:, 1].mean()), len(inside)))
    return found


def plot(rows: Sequence[Row], path: Path) -> None:
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


def _kept(path: Path) -> list[Row]:
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def main() -> int:
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="a YOLO data set (data.yaml, images/, labels/)")
    parser.add_argument("--split", default="test,val", help="splits to read (default test,val)")
    parser.add_argument("--poorer", action="store_true", help="the photos made poorer instead of as they were taken")
    parser.add_argument("--report", action="store_true", help="print the figures of the rows kept, run nothing")
    parser.add_argument("--plot", type=Path, help="draw the reliability of the rows kept as a .png, run nothing")
    a = parser.parse_args()
    path = POORER if a.poorer else RESULTS
    try:
        if a.data is not None and not a.report:
            detector, made = Detector(), []
            for split in a.split.split(","):
                for photo, size in whole_hands(a.data, split):
                    if a.poorer:
                        made += read_poorer(photo, split, size, detector)
                    else:
                        made.append(read(photo, split, size, detector))
            others = [row for row in _kept(path) if row["part"].split()[-1] not in a.split.split(",")]
            text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in [*others, *made])
            path.write_text(text, encoding="utf-8")
        rows = _kept(path)
        if a.plot is not None:
            plot(rows, a.plot)
    except (PhotoDataError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    if a.poorer:
        sys.stdout.write(report_poorer(rows) + "\n")
        return 0
    sys.stdout.write(report(rows) + "\n")
    mistakes = Counter((row["part"], row["image"]) for row in rows if row["decoded"] != row["truth"])
    sys.stdout.writelines(f"wrong as decoded: {part}: {image}\n" for part, image in sorted(mistakes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
