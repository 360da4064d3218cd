"""The check finds what was spoilt on purpose, and nothing in a clean set."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.dataset import LabelledBox, Sample
from vision.dataset.check import check_dataset
from vision.dataset.entries import Dataset, Entry
from vision.dataset.phash import distances, near_pairs, picture_hash, to_bits
from vision.dataset.report import write_report

SIZE = (160, 120)


def noise(seed: int) -> np.ndarray:
    """Soft blobs with a few sharp ones, as photographs have."""
    rng = np.random.default_rng(seed)
    coarse = cv2.resize(rng.integers(60, 180, (4, 5, 3), dtype=np.uint8), SIZE, interpolation=cv2.INTER_CUBIC)
    fine = cv2.resize(rng.integers(0, 60, (12, 16, 3), dtype=np.uint8), SIZE, interpolation=cv2.INTER_CUBIC)
    return np.asarray(cv2.add(coarse, fine))


def entry(folder: Path, name: str, image: np.ndarray, *boxes: LabelledBox, **more: object) -> Entry:
    folder.mkdir(exist_ok=True)
    assert cv2.imwrite(str(folder / name), image)
    return Entry(Sample(image=name, width=SIZE[0], height=SIZE[1], boxes=boxes, **more), folder / name)


def good(code: str = "1m", at: float = 10) -> LabelledBox:
    return LabelledBox(box=(at, 10, at + 30, 50), code=code)


def test_a_clean_set_is_clean(tmp_path: Path) -> None:
    entries = [entry(tmp_path, f"{n}.png", noise(n), good(), split="train" if n else "test") for n in range(4)]
    report = check_dataset(Dataset(entries))
    assert report.ok
    assert (report.pairs, report.faults, report.unknown, report.empty) == ([], [], {}, [])
    assert report.splits == {"test": 1, "train": 3}
    assert report.classes["1m"] == {"test": 1, "train": 3}
    assert "2m" in report.missing_classes["train"] and "1m" not in report.missing_classes["train"]


def test_a_copy_saved_again_in_another_split_is_found(tmp_path: Path) -> None:
    image = noise(1)
    again = cv2.convertScaleAbs(cv2.resize(cv2.resize(image, (110, 80)), SIZE), alpha=1.1, beta=8)
    entries = [
        entry(tmp_path, "a.png", image, good(), split="train"),
        entry(tmp_path, "b.jpg", again, good(), split="test"),
        entry(tmp_path, "c.png", noise(2), good(), split="test"),
    ]
    report = check_dataset(Dataset(entries))
    (pair,) = report.pairs
    assert pair.same and pair.across and {pair.one, pair.two} == {"a.png", "b.jpg"}
    assert not report.ok


@pytest.mark.parametrize(
    ("box", "kind"),
    [
        ((10, 10, 10, 40), "no_area"),
        ((150, 10, 190, 40), "outside"),
        ((200, 10, 230, 40), "outside"),
        ((10, 10, 14, 40), "tiny"),
        ((1, 1, 159, 119), "huge"),
        ((10, 60, 100, 70), "slim"),
        ((11, 10, 40, 50), "twice"),
    ],
)
def test_absurd_boxes_are_named(tmp_path: Path, box: tuple[float, ...], kind: str) -> None:
    bad = LabelledBox(box=box, code="2m")
    report = check_dataset(Dataset([entry(tmp_path, "a.png", noise(1), good(), bad)]))
    assert [(fault.index, fault.kind) for fault in report.faults] == [(1, kind)]
    assert not report.ok


def test_unknown_classes_empty_and_missing_and_wrongly_sized_pictures(tmp_path: Path) -> None:
    entries = [
        entry(tmp_path, "a.png", noise(1), good("dog"), good("dog", 60)),
        entry(tmp_path, "b.png", noise(2)),
        Entry(Sample(image="gone.png", width=10, height=10), tmp_path / "gone.png"),
        entry(tmp_path, "d.png", cv2.resize(noise(3), (80, 60)), good()),
    ]
    (tmp_path / "torn.png").write_bytes(b"\x89PNG")
    entries.append(Entry(Sample(image="torn.png", width=10, height=10), tmp_path / "torn.png"))
    report = check_dataset(Dataset(entries))
    assert report.unknown == {"dog": 2}
    assert "b.png" in report.empty
    assert report.missing_pictures == ["gone.png"]
    text = " ".join(str(issue) for issue in report.issues)
    assert "d.png: is 80x60, its labels are for 160x120" in text and "torn.png" in text


def test_tile_sets_in_two_splits_by_name_and_by_looks(tmp_path: Path) -> None:
    face = noise(5)[:40, :30]
    entries = []
    for number, (split, name) in enumerate([("train", "blue"), ("test", "blue"), ("test", "green")]):
        image = noise(10 + number)
        if name == "blue":
            image[10:50, 10:40] = cv2.GaussianBlur(face, (3, 3), number + 0.5)
        entries.append(entry(tmp_path, f"{number}.png", image, good(), split=split, tile_set=name))
    report = check_dataset(Dataset(entries))
    assert report.shared_sets == {"blue": ["test", "train"]}
    shares = {look.group: look.share for look in report.looks}
    assert shares == {"blue": 1.0, "green": 0.0}


def test_the_hash_bears_what_cameras_do_and_tells_pictures_apart() -> None:
    image = noise(3)
    ok, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 40])
    assert ok
    changed = [cv2.imdecode(data, 1), cv2.resize(image, (320, 240)), cv2.convertScaleAbs(image, alpha=0.7)]
    base = to_bits([picture_hash(image)])[0]
    assert distances(base, to_bits([picture_hash(c) for c in changed])).max() <= 12
    assert distances(base, to_bits([picture_hash(noise(n)) for n in range(20, 40)])).min() > 60
    hashes = [picture_hash(noise(1)), picture_hash(noise(2)), picture_hash(noise(1))]
    assert list(near_pairs(hashes, 10)) == [(0, 2, 0)]
    with pytest.raises(ValueError, match="64 hexadecimal digits"):
        to_bits(["00"])


def test_the_report_is_a_page_with_its_sheets(tmp_path: Path, make: Callable[..., list[Entry]]) -> None:
    entries = make(tmp_path / "in", 4, 2)
    entries.append(entry(tmp_path / "in", "twin.png", cv2.imread(str(entries[0].picture)), good("<dog>"), split="x"))
    dataset = Dataset(entries)
    report = check_dataset(dataset)
    page = write_report(dataset, report, tmp_path / "out").read_text(encoding="utf-8")
    assert "&lt;dog&gt;" in page and "<dog>" not in page
    for name in ("groups.jpg", "tiles.jpg", "pairs.jpg"):
        assert f'src="{name}"' in page
        sheet = cv2.imread(str(tmp_path / "out" / name))
        assert sheet is not None and sheet.std() > 10


@pytest.mark.shared
def test_the_real_photos_keep_their_splits_apart() -> None:
    from vision.dataset.formats import read_dataset

    root = Path(__file__).resolve().parents[4] / "shared/data/real"
    if not root.is_dir():
        pytest.skip("the photos beside the checkout are not here")
    dataset = read_dataset(root)
    assert not dataset.issues.errors
    chosen = [e for i, e in enumerate(dataset.entries) if e.sample.split != "train" or i % 8 == 0]
    report = check_dataset(Dataset(chosen))
    assert not [pair for pair in report.pairs if pair.across]
    share = {look.group: look.share for look in report.looks}
    assert 2 * share["rmd_R_test"] < share["rmd_D_test"]
