"""What enrolling a tile set is worth: tiles named rightly before and after, on sets held out whole.

Parts (raw rows go to benchmarks/results/enroll.jsonl, one a set and number of crops):

- `crops/linear`: every set of the crop collection in turn, named by a linear reader on gradient histograms that was
  trained without that set: an honest measure of the method, with a weak reader.
- `crops/rereader`: the same crops and the shipped re-reader, which has seen these sets in training.
- `crops/unseen`: the same crops and a re-reader trained without them, given by `--rereader FILE`: an honest measure
  with the real network.
- `photos/R`, `photos/D`: test photos the shipped networks have not seen; the tiles are found by the detector, half of
  the photos is enrolled from (at most three crops a face), the other half is named. R is one unseen set; D are several
  sets of one owner enrolled as if they were one.

Run: python benchmarks/enroll.py [--parts crops/linear,photos/R] [--print]
     python benchmarks/enroll.py --rereader OTHER/rereader.onnx     (the part crops/unseen)
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "2")

import argparse
import json
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from scoring.tiles import FLOWERS, KINDS
from vision.dataset.entries import Entry
from vision.dataset.formats import read_dataset
from vision.detector import Detector
from vision.enroll import Described, Embedder, Features, Shot, describe_shots, learn_described, softmax
from vision.enroll_crops import fit_crop, tile_crops, variants
from vision.enroll_reader import RereaderEmbedder, odds_of
from vision.observation import TileObservation
from vision.picture import load_picture
from vision.rereader import Rereader

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "data"
RESULTS = ROOT / "benchmarks" / "results" / "enroll.jsonl"
SETS = ("3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "u")
CODES = (*KINDS, *FLOWERS)
PARTS = ("crops/linear", "crops/rereader", "photos/R", "photos/D")
UNSEEN = "crops/unseen"
DISTORTIONS = 3
SPLITS = 5


@dataclass(frozen=True)
class FaceCrop:
    """A crop of the collection: its set, and which copy of its face in that set it is."""

    set: str
    code: str
    copy: int
    crop: np.ndarray


def set_of(name: str) -> str:
    """The tile set of a crop's file name; pieces of one set are put together, loose crops have none."""
    stem = re.sub(r"_r\d+c\d+$", "", Path(name).stem)
    stem = re.sub(r"^(\d)-\d$", r"\1", stem)
    return "u" if stem.startswith("u_") else "" if stem.startswith(("camtile", "jct")) else stem


def face_crops() -> list[FaceCrop]:
    """The whole collection."""
    found = []
    for folder in sorted((SHARED / "crops").iterdir()):
        seen: Counter[str] = Counter()
        for file in sorted(folder.glob("*.jpg")):
            name = set_of(file.name)
            if name:
                found.append(FaceCrop(name, folder.name, seen[name], fit_crop(load_picture(file))))
                seen[name] += 1
    return found


def gradients(crop: np.ndarray) -> np.ndarray:
    """Histograms of oriented gradients, 10x8 cells of 9 directions in overlapping blocks of four, and coarse colour."""
    values = np.sqrt(crop.astype(np.float32) / 255)
    gx, gy = cv2.Sobel(values, cv2.CV_32F, 1, 0, ksize=1), cv2.Sobel(values, cv2.CV_32F, 0, 1, ksize=1)
    size = np.hypot(gx, gy)
    strongest = size.argmax(axis=2)[..., None]
    size, gx, gy = (np.take_along_axis(a, strongest, 2)[..., 0] for a in (size, gx, gy))
    place = (np.arctan2(gy, gx) % np.pi) / np.pi * 9 - 0.5
    low = np.floor(place).astype(int)
    maps = np.zeros((9, *size.shape), np.float32)
    for step, share in ((0, 1 - (place - low)), (1, place - low)):
        for direction in range(9):
            maps[direction] += size * share * ((low + step) % 9 == direction)
    cells = np.stack([cv2.resize(m, (8, 10), interpolation=cv2.INTER_AREA) for m in maps], -1)
    blocks = np.concatenate([cells[:-1, :-1], cells[1:, :-1], cells[:-1, 1:], cells[1:, 1:]], -1)
    blocks /= np.linalg.norm(blocks, axis=-1, keepdims=True) + 0.05
    small = cv2.resize(crop, (6, 8), interpolation=cv2.INTER_AREA).astype(np.float32)
    colour = (small - small.mean((0, 1))) / (small.std() + 10) * 0.08
    return np.concatenate([blocks.ravel(), colour.ravel()])


class LinearReader:
    """Linear discriminant analysis on principal components of gradient histograms."""

    names = CODES
    _DIMENSIONS = 200

    def __init__(self, inputs: np.ndarray, codes: Sequence[str], left_out: str, basis: tuple[np.ndarray, np.ndarray]):
        self.fingerprint = f"linear-without-{left_out}"
        self.centre, self.basis = basis
        label = np.array([CODES.index(code) for code in codes])
        points = (inputs - self.centre) @ self.basis.T
        means = np.stack([points[label == k].mean(0) for k in range(len(CODES))])
        rest = points - means[label]
        scatter = rest.T @ rest / len(rest)
        size = len(scatter)
        scatter = 0.7 * scatter + 0.3 * np.trace(scatter) / size * np.eye(size)
        self.white = np.linalg.cholesky(np.linalg.inv(scatter))
        middle = means @ self.white
        self.plane = np.linalg.svd(middle - middle.mean(0), full_matrices=False)[2][: len(CODES) - 1]
        self.means = middle @ self.plane.T

    @staticmethod
    def basis_of(inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and principal directions."""
        centre = inputs.mean(0)
        squares = np.cov((inputs - centre).T.astype(np.float32))
        return centre, np.linalg.eigh(squares)[1][:, ::-1][:, : LinearReader._DIMENSIONS].T

    def describe(self, crops: np.ndarray) -> Features:
        """Odds and the discriminant coordinates, of length about one."""
        points = (np.stack([gradients(crop) for crop in crops]) - self.centre) @ self.basis.T
        points = points @ self.white @ self.plane.T
        apart = ((points[:, None] - self.means[None]) ** 2).sum(-1)
        length = np.sqrt((self.means**2).sum(1).mean())
        return Features(softmax(-apart / 8), (points / length).astype(np.float32))


def linear_readers(crops: Sequence[FaceCrop], entries: Sequence[Entry]) -> Iterator[tuple[str, LinearReader]]:
    """A reader for each set, trained on the training photos' tiles and the other sets.

    Photos that show the collection's sheets, or that could (sheets on desks, for set u), are left out.
    """
    inputs, codes, owners = [], [], []
    for entry in entries:
        scene = "_".join(entry.sample.name.split("_")[:2])
        if (
            entry.sample.split != "train"
            or scene not in ("rmd_G", "rmd_O", "rmd_T", "rmd_gray")
            or entry.picture is None
        ):
            continue
        image = load_picture(entry.picture)
        for box in entry.sample.boxes[::3]:
            crop = tile_crops(image, TileObservation(box.code, box.box, 1.0, (), 0.0))[0]
            inputs.append(gradients(crop))
            codes.append(box.code)
            owners.append(scene)
    for face in crops:
        inputs.append(gradients(face.crop))
        codes.append(face.code)
        owners.append(face.set)
    everything, owner = np.stack(inputs), np.array(owners)
    basis = LinearReader.basis_of(everything[:: max(1, len(everything) // 3000)])
    for name in SETS:
        kept = (owner != name) & ((owner != "rmd_O") if name == "u" else np.ones(len(owner), bool))
        yield name, LinearReader(everything[kept], [codes[i] for i in np.flatnonzero(kept)], name, basis)


def score(
    part: str,
    name: str,
    most: int,
    enrolled: Described,
    embedder: Embedder,
    truth: Sequence[str],
    test: Features,
    owner: Sequence[int],
    before: Sequence[str] | None = None,
) -> dict[str, object]:
    """One row: a profile from `enrolled`, and the `truth` tiles named with and without; `owner` maps rows to tiles."""
    began = time.process_time()
    profile = learn_described(enrolled, embedder, name)
    seconds = time.process_time() - began
    names = list(embedder.names)
    owners = np.array(owner)

    def called(odds: np.ndarray) -> list[str]:
        result = []
        for tile in range(len(truth)):
            rows = odds[owners == tile]
            result.append(names[int(rows[int(rows.max(1).argmax())].argmax())])
        return result

    was = list(before) if before is not None else called(test.odds)
    now = called(profile.judge(test))
    right_was = np.array([a == b for a, b in zip(was, truth, strict=True)])
    right_now = np.array([a == b for a, b in zip(now, truth, strict=True)])
    return {
        "part": part,
        "set": name,
        "crops_a_face": most,
        "faces": len(profile.codes),
        "enrolled": len(enrolled.codes),
        "tiles": len(truth),
        "right_before": int(right_was.sum()),
        "right_after": int(right_now.sum()),
        "mended": int((right_now & ~right_was).sum()),
        "broken": int((right_was & ~right_now).sum()),
        "strength": profile.strength,
        "closeness": profile.closeness,
        "learn_cpu_s": round(seconds, 2),
        "network": embedder.fingerprint,
    }


def crop_rows(part: str, name: str, embedder: Embedder, crops: Sequence[FaceCrop]) -> Iterator[dict[str, object]]:
    """Enrol from the first one to three copies of every face; name distorted crops of the fourth."""
    own = [face for face in crops if face.set == name]
    held = [face for face in own if face.copy == 3]
    rng = np.random.default_rng(99)
    test = embedder.describe(np.concatenate([variants(face.crop, DISTORTIONS, rng, 1.0) for face in held]))
    truth = [face.code for face in held for _ in range(DISTORTIONS)]
    for most in (1, 3):
        shots = [Shot(face.crop, face.code, f"copy {face.copy}") for face in own if face.copy < most]
        described = describe_shots(shots, embedder)
        yield score(part, name, most, described, embedder, truth, test, range(len(truth)))


def matched(entry: Entry, detector: Detector) -> Iterator[tuple[str, TileObservation]]:
    """The detector's tiles that overlap a labelled box by half, with the label."""
    image = load_picture(str(entry.picture))
    corners = np.array([box.box for box in entry.sample.boxes])
    areas = (corners[:, 2] - corners[:, 0]) * (corners[:, 3] - corners[:, 1])
    for tile in detector.detect(image):
        x1, y1, x2, y2 = tile.box
        wide = np.minimum(corners[:, 2], x2) - np.maximum(corners[:, 0], x1)
        high = np.minimum(corners[:, 3], y2) - np.maximum(corners[:, 1], y1)
        shared = np.maximum(wide, 0) * np.maximum(high, 0)
        overlap = shared / (areas + (x2 - x1) * (y2 - y1) - shared)
        best = int(overlap.argmax())
        if overlap[best] > 0.5:
            yield entry.sample.boxes[best].code, tile


def photo_rows(scene: str, entries: Sequence[Entry], embedder: RereaderEmbedder) -> Iterator[dict[str, object]]:
    """Random halves of the photos of a scene: enrolled from, and named."""
    detector = Detector()
    photos = []
    for entry in entries:
        if entry.sample.split == "test" and entry.sample.name.startswith(f"rmd_{scene}"):
            image = load_picture(str(entry.picture))
            photos.append([(code, tile, tile_crops(image, tile)) for code, tile in matched(entry, detector)])
    for split in range(SPLITS):
        order = np.random.default_rng(split).permutation(len(photos))
        half = len(photos) // 2
        taken: Counter[str] = Counter()
        shots = []
        for number in order[:half]:
            for code, _tile, crops in photos[number]:
                if taken[code] < 3:
                    taken[code] += 1
                    shots.append(Shot(crops[0], code, str(number)))
        described = describe_shots(shots, embedder)
        rest = [item for number in order[half:] for item in photos[number]]
        owner = [index for index, item in enumerate(rest) for _ in item[2]]
        seen = embedder.describe(np.concatenate([item[2] for item in rest]))
        base = np.stack([odds_of(rest[index][1], embedder.names) for index in owner])
        row = score(
            f"photos/{scene}",
            f"{scene} split {split}",
            3,
            described,
            embedder,
            [item[0] for item in rest],
            Features(base, seen.embedding),
            owner,
            [item[1].code for item in rest],
        )
        yield row


def rows(parts: Sequence[str], rereader: Path | None = None) -> Iterator[dict[str, object]]:
    """Every row of the parts; `rereader` is the network of `crops/unseen`."""
    entries = read_dataset(SHARED / "real").entries
    crops = face_crops() if any(part.startswith("crops") for part in parts) else []
    shipped = RereaderEmbedder() if set(parts) - {"crops/linear", UNSEEN} else None
    for scene in ("R", "D"):
        if shipped is not None and f"photos/{scene}" in parts:
            yield from photo_rows(scene, entries, shipped)
    if shipped is not None and "crops/rereader" in parts:
        for name in SETS:
            yield from crop_rows("crops/rereader", name, shipped, crops)
    if rereader is not None and UNSEEN in parts:
        other = RereaderEmbedder(Rereader(rereader))
        for name in SETS:
            yield from crop_rows(UNSEEN, name, other, crops)
    if "crops/linear" in parts:
        for name, reader in linear_readers(crops, entries):
            yield from crop_rows("crops/linear", name, reader, crops)


def table(found: Sequence[dict[str, object]]) -> str:
    """The rows for people, and means with bootstrap intervals over sets."""
    lines = []
    groups: dict[tuple[object, object], list[tuple[float, float]]] = defaultdict(list)
    for row in found:
        tiles = int(str(row["tiles"]))
        before, after = int(str(row["right_before"])) / tiles, int(str(row["right_after"])) / tiles
        groups[row["part"], row["crops_a_face"]].append((before, after))
        lines.append(
            f"{row['part']:15} {row['set']:12} {row['crops_a_face']} crops a face, {row['tiles']:4} tiles: "
            f"{before:.3f} -> {after:.3f}  "
            f"(mended {row['mended']}, broken {row['broken']}, weights {row['strength']:g}, {row['closeness']:g})"
        )
    lines.append("")
    for (part, most), pairs in groups.items():
        values = np.array(pairs)
        rng = np.random.default_rng(0)
        gains = (values[:, 1] - values[:, 0])[rng.integers(0, len(values), (4000, len(values)))].mean(1)
        low, high = np.quantile(gains, [0.025, 0.975])
        before, after = values.mean(0)
        lines.append(
            f"{part:15} {most} crops a face: {before:.4f} -> {after:.4f}, gain {after - before:+.4f} "
            f"[{low:+.4f}, {high:+.4f}] over {len(values)}"
        )
    return "\n".join(lines)


def main() -> None:
    """Run the parts asked for, or print what was measured last."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--rereader", type=Path, metavar="FILE", help="a re-reader trained without the crops")
    parser.add_argument("--print", action="store_true", help="only print the table of the rows stored")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    stored = [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.is_file() else []
    if not arguments.print:
        parts = arguments.parts.split(",") if arguments.parts else [UNSEEN] if arguments.rereader else list(PARTS)
        unknown = sorted(set(parts) - {*PARTS, UNSEEN})
        if unknown or (UNSEEN in parts) != (arguments.rereader is not None):
            parser.error(f"--parts: no {', '.join(unknown)}" if unknown else f"{UNSEEN} and --rereader go together")
        stored = [row for row in stored if row["part"] not in parts]
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        for row in rows(parts, arguments.rereader):
            stored.append(row)
            RESULTS.write_text("".join(json.dumps(row) + "\n" for row in stored))
            sys.stdout.write(json.dumps(row) + "\n")
            sys.stdout.flush()
    sys.stdout.write(table(stored) + "\n")


if __name__ == "__main__":
    main()
