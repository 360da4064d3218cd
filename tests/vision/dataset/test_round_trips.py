"""Out and back through every format, class orders shuffled: nothing a format can hold is lost or renamed."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.tiles import ALL_CODES
from vision.dataset import Sample
from vision.dataset.entries import Entry, WriteOptions
from vision.dataset.formats import FORMATS, guess_format, read_dataset, write_dataset

Maker = Callable[..., list[Entry]]
LOSSLESS = ("taicam", "coco", "labelstudio", "cvat", "voc")


def by_name(samples: list[Sample]) -> dict[str, Sample]:
    return {sample.name: sample for sample in samples}


def same_boxes(before: Sample, after: Sample, *, everything: bool) -> None:
    assert len(before.boxes) == len(after.boxes)
    for one, two in zip(before.boxes, after.boxes, strict=True):
        assert one.code == two.code
        assert two.box == pytest.approx(one.box, abs=1e-6)
        if everything:
            assert one.model_copy(update={"box": two.box}) == two


def same_sample(before: Sample, after: Sample) -> None:
    same_boxes(before, after, everything=True)
    changed = {"boxes": after.boxes, "image": after.image}
    assert before.model_copy(update=changed) == after


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10_000), count=st.integers(1, 4), order_seed=st.integers(0, 10_000))
@pytest.mark.parametrize("name", LOSSLESS)
def test_lossless_formats_give_back_everything(make: Maker, name: str, seed: int, count: int, order_seed: int) -> None:
    order = list(ALL_CODES)
    random.Random(order_seed).shuffle(order)
    with tempfile.TemporaryDirectory() as folder:
        entries = make(Path(folder) / "in", count, seed)
        target = Path(folder) / "out"
        report = write_dataset(entries, target, name, WriteOptions(classes=order))
        assert not report.lost
        assert report.boxes == sum(len(e.sample.boxes) for e in entries)
        assert guess_format(target) == name
        back = read_dataset(target, name)
        assert not back.issues.errors
        after = by_name(back.samples)
        for entry in entries:
            same_sample(entry.sample, after[entry.sample.name])
        for entry in back.entries:
            assert entry.picture is not None and entry.picture.is_file()


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), count=st.integers(1, 4), order_seed=st.integers(0, 10_000))
def test_yolo_keeps_boxes_codes_and_splits_and_counts_the_rest_as_lost(
    make: Maker, seed: int, count: int, order_seed: int
) -> None:
    order = list(ALL_CODES)
    random.Random(order_seed).shuffle(order)
    with tempfile.TemporaryDirectory() as folder:
        entries = make(Path(folder) / "in", count, seed)
        target = Path(folder) / "out"
        report = write_dataset(entries, target, "yolo", WriteOptions(classes=order))
        assert report.lost["camera"] == count
        assert report.lost["boxes.confidence"] == report.boxes
        assert "split" not in report.lost
        assert guess_format(target) == "yolo"
        back = read_dataset(target)
        assert not back.issues.errors
        after = by_name(back.samples)
        for entry in entries:
            same_boxes(entry.sample, after[entry.sample.name], everything=False)
            assert after[entry.sample.name].split == entry.sample.split


@pytest.mark.parametrize("first", sorted(FORMATS))
@pytest.mark.parametrize("second", sorted(FORMATS))
def test_any_format_into_any_other_keeps_boxes_and_codes(make: Maker, first: str, second: str, tmp_path: Path) -> None:
    entries = make(tmp_path / "in", 3, seed=7)
    shuffled, reversed_order = list(ALL_CODES), list(reversed(ALL_CODES))
    random.Random(1).shuffle(shuffled)
    write_dataset(entries, tmp_path / "a", first, WriteOptions(classes=shuffled))
    middle = read_dataset(tmp_path / "a", first)
    write_dataset(middle.entries, tmp_path / "b", second, WriteOptions(classes=reversed_order))
    after = by_name(read_dataset(tmp_path / "b", second).samples)
    assert len(after) == 3
    for entry in entries:
        same_boxes(entry.sample, after[entry.sample.name], everything=False)


def test_equal_picture_names_in_different_folders_stay_two_pictures(make: Maker, tmp_path: Path) -> None:
    one, two = make(tmp_path / "a", 1, 1), make(tmp_path / "b", 1, 2)
    entries = [
        Entry(one[0].sample.model_copy(update={"image": "a/pic0.png"}), one[0].picture),
        Entry(two[0].sample.model_copy(update={"image": "b/pic0.png"}), two[0].picture),
    ]
    for name in FORMATS:
        report = write_dataset(entries, tmp_path / name, name)
        assert any("same name" in issue.message for issue in report.issues)
        back = read_dataset(tmp_path / name, name)
        assert len({e.picture for e in back.entries}) == 2
        codes = sorted(tuple(b.code for b in s.boxes) for s in back.samples)
        assert codes == sorted(tuple(b.code for b in e.sample.boxes) for e in entries)


def test_discarded_and_unreviewed_samples_do_not_become_labels(make: Maker, tmp_path: Path) -> None:
    entries = make(tmp_path / "in", 3, 3)
    states = ("accepted", "proposed", "discarded")
    mixed = [Entry(e.sample.model_copy(update={"state": s}), e.picture) for e, s in zip(entries, states, strict=True)]
    for name in ("yolo", "coco", "voc", "cvat"):
        report = write_dataset(mixed, tmp_path / name, name)
        assert (report.pictures, report.skipped) == (1, 2)
    report = write_dataset(mixed, tmp_path / "with", "yolo", WriteOptions(proposed=True))
    assert (report.pictures, report.skipped) == (2, 1)
    report = write_dataset(mixed, tmp_path / "ls", "labelstudio")
    assert (report.pictures, report.skipped) == (2, 1)
    assert sorted(s.state for s in read_dataset(tmp_path / "ls").samples) == ["accepted", "proposed"]


def test_a_picture_stored_sideways_is_written_upright(tmp_path: Path) -> None:
    from PIL import Image

    exif = Image.Exif()
    exif[0x0112] = 6
    picture = tmp_path / "turned.jpg"
    Image.new("RGB", (80, 40), (10, 200, 30)).save(picture, exif=exif)
    entry = Entry(Sample(image="turned.jpg", width=40, height=80), picture)
    report = write_dataset([entry], tmp_path / "out", "coco")
    assert any("upright" in issue.message for issue in report.issues)
    with Image.open(tmp_path / "out/images/turned.jpg") as written:
        assert written.size == (40, 80)
        assert written.getexif().get(0x0112, 1) == 1


def test_hard_links_save_space_and_leave_the_source_alone(make: Maker, tmp_path: Path) -> None:
    entries = make(tmp_path / "in", 1, 5)
    write_dataset(entries, tmp_path / "out", "yolo", WriteOptions(pictures="link"))
    written = next((tmp_path / "out").rglob("*.png"))
    assert entries[0].picture is not None
    assert written.stat().st_ino == entries[0].picture.stat().st_ino


def test_a_class_order_that_lacks_a_used_class_is_refused(make: Maker, tmp_path: Path) -> None:
    from vision.dataset import DatasetError

    entries = make(tmp_path / "in", 1, 5)
    used = entries[0].sample.boxes[0].code
    order = [code for code in ALL_CODES if code != used]
    with pytest.raises(DatasetError, match=used):
        write_dataset(entries, tmp_path / "out", "yolo", WriteOptions(classes=order))


def test_an_export_never_mixes_into_a_folder_in_use(make: Maker, tmp_path: Path) -> None:
    from vision.dataset import DatasetError

    entries = make(tmp_path / "in", 1, 5)
    with pytest.raises(DatasetError, match="not empty"):
        write_dataset(entries, tmp_path / "in", "yolo")
