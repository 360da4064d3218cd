"""The store as the appliance uses it: policies, labels, privacy, duplicates, caps, disk trouble."""

from __future__ import annotations

import contextlib
import datetime
import os
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from timing import slack_now

from taicam.capture import CaptureSettings, CaptureStore, Circumstances, TileChange, Verdict, verdict_from_hand
from vision.dataset import LabelledBox
from vision.dataset.formats import read_dataset

View = Callable[..., Any]
CONFIRMED = Verdict("confirmed")
FACE = (1, 2, 255)


def settings(**changes: Any) -> CaptureSettings:
    return CaptureSettings(**{"keep_free_mb": 0, **changes})


def opened(folder: Path, clock: Callable[[], datetime.datetime] | None = None, **changes: Any) -> CaptureStore:
    more = {} if clock is None else {"clock": clock}
    store = CaptureStore(folder, settings(**changes), seed=1, **more)
    store.set_consent(True, "東家")
    store.start()
    return store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CaptureStore]:
    made = opened(tmp_path / "captures")
    yield made
    made.close()


def test_nothing_is_kept_without_consent_and_consent_is_remembered(tmp_path: Path, view: View) -> None:
    folder = tmp_path / "captures"
    with CaptureStore(folder, settings()) as store:
        assert store.offer(*view(), CONFIRMED) == "no_consent"
        store.flush()
        assert not folder.exists()
        store.set_consent(True, "me")
        assert store.offer(*view(), CONFIRMED) == "queued"
        assert store.flush()
    with CaptureStore(folder, settings()) as again:
        assert again.consent and again.status().samples == 1
        again.set_consent(False)
        assert again.offer(*view(seed=3), CONFIRMED) == "no_consent"
    assert not CaptureStore(folder).consent


def test_what_another_program_does_is_heeded_at_once(tmp_path: Path, view: View) -> None:
    """`taicam capture consent`, `review` and `forget` beside a running table."""
    table = opened(tmp_path)
    table.offer(*view(), Verdict("doubtful"))
    assert table.flush()
    beside = CaptureStore(tmp_path, settings())
    (row,) = beside.library.rows()
    beside.library.review(row.id, "accepted")
    assert [one.state for one in table.library.rows()] == ["accepted"]
    assert beside.library.forget() == 1
    assert table.library.rows() == [] and table.library.totals() == (0, 0)
    assert table.offer(*view(), Verdict("doubtful")) == "queued"  # no twin of what is gone
    assert table.flush() and len(beside.library.rows()) == 1
    beside.set_consent(False)
    assert table.offer(*view(seed=9), CONFIRMED) == "no_consent" and not table.consent
    table.close()


def test_a_confirmed_hand_is_a_labelled_sample_at_full_resolution(store: CaptureStore, view: View) -> None:
    image, reading = view()
    where = Circumstances(
        camera={"source": "/dev/video0"},
        calibration={"corners": [1, 2]},
        model={"detector": "d1"},
        table="A",
        tile_set="blue",
        sequence=7,
        table_corners=((0, 0), (320, 0), (320, 180), (0, 180)),
    )
    store.offer(image, reading, Verdict("confirmed", hand_id="h1"), where)
    assert store.flush()
    (row,) = store.library.rows()
    entry = store.library.entry(row.id)
    sample = entry.sample
    assert cv2.imread(str(entry.picture)).shape == image.shape
    assert (sample.state, sample.reason, sample.hand_id, sample.doubts) == (
        "accepted",
        "confirmed",
        "h1",
        ("close_call",),
    )
    assert (sample.table, sample.tile_set, sample.sequence) == ("A", "blue", 7)
    assert (sample.camera, sample.model) == ({"source": "/dev/video0"}, {"detector": "d1"})
    first = sample.boxes[0]
    assert (first.code, first.origin, first.confidence) == ("1m", "confirmed", 0.97)
    assert sample.boxes[0].alternatives == (("1m", 0.97), ("9s", pytest.approx(0.03)))
    assert sample.light["mean"] > 0 and sample.captured_at is not None and sample.captured_at.endswith("Z")
    assert sample.boxes[0].box == pytest.approx(reading.tiles[0].box, abs=1)


def test_corrections_become_labels_and_are_written_down(store: CaptureStore, view: View) -> None:
    image, reading = view()
    changes = (
        TileChange(0, "9m"),
        TileChange(1, None),
        TileChange(None, "f1", (10.0, 100.0, 40.0, 140.0)),
    )
    store.offer(image, reading, Verdict("corrected", changes, by="東家"))
    assert store.flush()
    sample = store.library.entry(store.library.rows()[0].id).sample
    assert [b.code for b in sample.boxes] == ["9m", "3m", "E", "E", "f1"]
    assert (sample.boxes[0].read_as, sample.boxes[0].origin) == ("1m", "person")
    assert [(c.field, c.before, c.after, c.by) for c in sample.corrections] == [
        ("code", "1m", "9m", "東家"),
        ("removed", "2m", None, "東家"),
        ("added", None, "f1", "東家"),
    ]
    assert sample.state == "accepted"


def test_what_nobody_confirmed_waits_for_review(store: CaptureStore, view: View) -> None:
    store.offer(*view(seed=1), Verdict("doubtful"))
    store.offer(*view(seed=2), Verdict("button"))
    store.offer(*view(seed=3, confidence=0.5, roles=["concealed"] * 4 + ["left_out"]), CONFIRMED)
    store.offer(*view(seed=4), Verdict("corrected", (TileChange(None, "f1"),)))
    store.offer(*view(seed=5), Verdict("corrected", (TileChange(0, "9m"),), sure=False))
    assert store.flush()
    assert [row.state for row in store.library.rows()] == ["proposed"] * 5


def test_the_final_hand_alone_tells_which_tile_was_wrong(view: View) -> None:
    _, reading = view(("1m", "2m", "3m", "E", "E"))
    assert verdict_from_hand(reading, ["E", "E", "3m", "2m", "1m"]).kind == "confirmed"
    one = verdict_from_hand(reading, ["1m", "2m", "4m", "E", "E"])
    assert (one.kind, one.changes, one.sure) == ("corrected", (TileChange(2, "4m"),), True)
    pair = verdict_from_hand(reading, ["1m", "2m", "3m", "E", "W"])
    assert pair.changes[0].code == "W" and not pair.sure
    two = verdict_from_hand(reading, ["1m", "9s", "4m", "E", "E"])
    assert not two.sure and {c.index for c in two.changes} == {1, 2}
    more = verdict_from_hand(reading, ["1m", "2m", "3m", "E", "E", "f1"])
    assert more.changes == (TileChange(None, "f1"),)


def test_policies_choose(tmp_path: Path, view: View) -> None:
    quiet = opened(tmp_path / "a", confirmed=False, sample_share=0.0)
    assert quiet.offer(*view(), CONFIRMED) == "unwanted"
    assert quiet.offer(*view(), Verdict("corrected")) == "queued"
    assert {quiet.offer(*view(), Verdict("passing")) for _ in range(50)} == {"unwanted"}
    quiet.close()
    eager = opened(tmp_path / "b", sample_share=0.5, sample_interval_s=0, queue=64)
    answers = [eager.offer(*view(seed=n), Verdict("passing")) for n in range(40)]
    assert 8 < answers.count("queued") < 32
    eager.close()
    spaced = opened(tmp_path / "c", sample_share=1.0, sample_interval_s=1000)
    assert [spaced.offer(*view(seed=n), Verdict("passing")) for n in range(3)] == ["queued", "unwanted", "unwanted"]
    spaced.close()


class TestPrivacy:
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[CaptureStore]:
        made = opened(tmp_path / "captures", format="png")
        yield made
        made.close()

    def test_only_the_table_is_kept(self, store: CaptureStore, view: View) -> None:
        image, reading = view(size=(640, 360))
        image[:75] = FACE
        image[:, :15] = FACE
        corners = ((100, 80), (600, 80), (640, 340), (20, 340))
        store.offer(image, reading, CONFIRMED, Circumstances(table_corners=corners))
        assert store.flush()
        entry = store.library.entry(store.library.rows()[0].id)
        kept = cv2.imread(str(entry.picture))
        assert kept.shape == (260, 620, 3)
        assert not (kept == FACE).all(axis=2).any()
        assert (kept[2, 2] == 128).all()  # outside the outline: grey
        for box, tile in zip(entry.sample.boxes, reading.tiles, strict=True):
            assert box.box == pytest.approx(np.subtract(tile.box, (20, 80, 20, 80)), abs=1)

    def test_without_calibration_only_the_tiles_and_a_little_round_them(self, store: CaptureStore, view: View) -> None:
        image, reading = view(size=(640, 360))
        image[:55] = FACE
        store.offer(image, reading, CONFIRMED)
        assert store.flush()
        entry = store.library.entry(store.library.rows()[0].id)
        kept = cv2.imread(str(entry.picture))
        assert kept.shape[0] < 300 and not (kept == FACE).all(axis=2).any()
        box = entry.sample.boxes[0].box
        x1, y1, x2, y2 = (round(v) for v in box)
        original = tuple(round(v) for v in reading.tiles[0].box)
        was = image[original[1] : original[3], original[0] : original[2]]
        now = kept[y1:y2, x1:x2][: was.shape[0], : was.shape[1]]
        assert np.array_equal(was, now)

    def test_no_table_and_no_tiles_nothing_kept(self, store: CaptureStore, view: View) -> None:
        image, _ = view()
        _, empty = view(codes=())
        store.offer(image, empty, Verdict("button"))
        assert store.flush()
        assert store.status().samples == 0 and store.status().counts["no_table"] == 1

    def test_the_whole_frame_when_asked_for(self, tmp_path: Path, view: View) -> None:
        store = opened(tmp_path, crop="frame", format="png")
        image, reading = view()
        store.offer(image, reading, CONFIRMED)
        store.close()
        kept = cv2.imread(str(store.library.entry(store.library.rows()[0].id).picture))
        assert np.array_equal(kept, image)

    def test_a_tile_over_the_rim_of_the_table_stays_whole(self, tmp_path: Path, view: View) -> None:
        image, reading = view(size=(640, 360))
        x1, y1, x2, y2 = reading.tiles[0].box
        rim = (x1 + x2) / 2 - 2  # the outline cuts the first tile; its middle lies inside
        corners = ((rim, 0), (640, 0), (640, 360), (rim, 360))
        store = opened(tmp_path, format="png")
        store.offer(image, reading, CONFIRMED, Circumstances(table_corners=corners))
        store.close()
        entry = store.library.entry(store.library.rows()[0].id)
        kept = cv2.imread(str(entry.picture))
        box = entry.sample.boxes[0].box
        a, b, c, d = (round(v) for v in box)
        assert (c - a, d - b) == (round(x2) - round(x1), round(y2) - round(y1))
        was = image[round(y1) + 1 : round(y2) - 1, round(x1) + 1 : round(x2) - 1]
        assert np.array_equal(kept[b + 1 : d - 1, a + 1 : c - 1], was)


class TestDuplicates:
    def test_the_same_view_twice_is_one_sample(self, store: CaptureStore, view: View) -> None:
        image, reading = view()
        noisy = np.clip(image + np.random.default_rng(0).normal(0, 4, image.shape), 0, 255).astype(np.uint8)
        for frame in (image, noisy, image):
            store.offer(frame, reading, CONFIRMED)
        assert store.flush()
        assert store.status().samples == 1 and store.status().counts["duplicate"] == 2

    def test_other_tiles_on_the_same_table_are_another_sample(self, store: CaptureStore, view: View) -> None:
        store.offer(*view(("1m", "2m", "3m", "E", "E")), CONFIRMED)
        store.offer(*view(("1m", "2m", "3m", "W", "W")), CONFIRMED)
        assert store.flush()
        assert store.status().samples == 2

    def test_a_correction_replaces_what_was_kept_before(self, store: CaptureStore, view: View) -> None:
        image, reading = view()
        store.offer(image, reading, Verdict("doubtful"))
        assert store.flush()
        store.offer(image, reading, Verdict("corrected", ()))
        assert store.flush()
        assert [row.reason for row in store.library.rows()] == ["corrected"]


class TestCaps:
    def test_the_least_useful_go_first(self, tmp_path: Path, view: View) -> None:
        store = opened(tmp_path, max_samples=4, queue=64)
        kinds = ["passing", "confirmed", "corrected", "doubtful", "confirmed", "corrected"]
        store.settings = store.settings.model_copy(update={"sample_share": 1.0, "sample_interval_s": 0})
        for number, kind in enumerate(kinds):
            store.offer(*view(seed=number), Verdict(kind))
            assert store.flush()
        store.close()
        kept = [row.reason for row in store.library.rows()]
        assert kept == ["corrected", "doubtful", "confirmed", "corrected"]

    def test_a_less_useful_view_never_pushes_out_a_better_one(self, tmp_path: Path, view: View) -> None:
        store = opened(tmp_path, max_samples=2)
        for number in range(2):
            store.offer(*view(seed=number), Verdict("corrected"))
        store.offer(*view(seed=9), CONFIRMED)
        store.close()
        assert [row.reason for row in store.library.rows()] == ["corrected", "corrected"]
        assert store.status().counts["no_room"] == 1

    def test_megabytes(self, tmp_path: Path, view: View) -> None:
        store = opened(tmp_path, max_mb=1, format="png", crop="frame")
        for number in range(12):
            image = np.random.default_rng(number).integers(0, 255, (240, 320, 3), dtype=np.uint8)  # about 230 kB each
            store.offer(image, view(seed=number)[1], CONFIRMED)
            assert store.flush()
        store.close()
        samples, size = store.library.totals()
        assert 3 <= samples <= 4 and size <= 1_000_000
        assert [row.id for row in store.library.rows()][-1] == "00000012"
        assert sum(p.stat().st_size for p in tmp_path.glob("0*")) == size

    def test_age(self, tmp_path: Path, view: View) -> None:
        now = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
        times = [now, now + datetime.timedelta(days=20), now + datetime.timedelta(days=40)]
        current = [now]
        store = opened(tmp_path, lambda: current[0], max_days=30)
        for number, moment in enumerate(times):
            current[0] = moment
            store.offer(*view(seed=number), Verdict("corrected"))
            assert store.flush()
        store.close()
        assert [row.captured_at[:10] for row in store.library.rows()] == ["2026-01-21", "2026-02-10"]

    def test_free_space_for_others_is_left_alone(self, tmp_path: Path, view: View) -> None:
        store = opened(tmp_path, keep_free_mb=0)
        for number in range(3):
            store.offer(*view(seed=number), CONFIRMED)
        assert store.flush()
        before = store.library.totals()
        store.library.settings = settings(keep_free_mb=10**9)  # no disk has so much: the samples must not grow
        store.offer(*view(seed=9), CONFIRMED)
        store.close()
        after = store.library.totals()
        assert after[1] <= before[1] and after[0] in (before[0], before[0] - 1)

    def test_a_sample_discarded_in_review_is_the_first_to_go(self, tmp_path: Path, view: View) -> None:
        store = opened(tmp_path, max_samples=2)
        for number in range(2):
            store.offer(*view(seed=number), Verdict("corrected"))
        assert store.flush()
        first, second = (row.id for row in store.library.rows())
        store.library.review(second, "discarded")
        store.offer(*view(seed=5), CONFIRMED)
        store.close()
        kept = [row.id for row in store.library.rows()]
        assert kept[0] == first and second not in kept and len(kept) == 2


class TestReview:
    def test_boxes_mended_and_accepted_come_out_as_labels(
        self, store: CaptureStore, view: View, tmp_path: Path
    ) -> None:
        store.offer(*view(), Verdict("doubtful"))
        assert store.flush()
        (row,) = store.library.rows(state="proposed")
        boxes = list(store.library.entry(row.id).sample.boxes)
        boxes[0] = boxes[0].model_copy(update={"code": "9p", "origin": "person"})
        boxes.append(LabelledBox(box=(1, 1, 20, 30), code="f2", origin="person"))
        changed = store.library.review(row.id, "accepted", boxes, by="me")
        assert [(c.field, c.before, c.after) for c in changed.corrections] == [
            ("code", "1m", "9p"),
            ("added", None, "f2"),
        ]
        assert store.library.rows(state="proposed") == []
        (sample,) = read_dataset(store.folder, "taicam").samples
        assert (sample.state, sample.boxes[0].code, sample.boxes[-1].code) == ("accepted", "9p", "f2")

    def test_unknown_ids_and_vanished_files_say_so(self, store: CaptureStore, view: View) -> None:
        with pytest.raises(Exception, match="no sample 'x'"):
            store.library.entry("x")
        store.offer(*view(), CONFIRMED)
        assert store.flush()
        (row,) = store.library.rows()
        row.picture.unlink()
        with pytest.raises(Exception, match=f"no sample '{row.id}'"):
            store.library.entry(row.id)

    def test_forget_and_delete(self, store: CaptureStore, view: View) -> None:
        for number in range(3):
            store.offer(*view(seed=number), CONFIRMED)
        assert store.flush()
        store.library.delete(store.library.rows()[0].id)
        assert store.library.forget() == 2
        assert [p.name for p in store.folder.iterdir()] == ["consent.json"]


class TestTrouble:
    def test_halves_of_samples_and_damaged_sidecars_after_a_power_cut(self, tmp_path: Path, view: View) -> None:
        store = opened(tmp_path)
        for number in range(3):
            store.offer(*view(seed=number), CONFIRMED)
        store.close()
        (tmp_path / "00000001.json").unlink()
        (tmp_path / "00000002.json").write_text('{"image": "x"')
        (tmp_path / ".00000009.jpg.part").write_bytes(b"half")
        beside = opened(tmp_path)  # as another program looking in: what may just be being written stays
        assert [row.id for row in beside.library.rows()] == ["00000003"]
        beside.close()
        assert (tmp_path / "00000001.jpg").exists() and (tmp_path / ".00000009.jpg.part").exists()
        for half in ("00000001.jpg", ".00000009.jpg.part"):
            os.utime(tmp_path / half, (time.time() - 3600,) * 2)
        again = opened(tmp_path)
        assert [row.id for row in again.library.rows()] == ["00000003"]
        assert "00000002.json" in again.library.damaged[0]
        assert not (tmp_path / "00000001.jpg").exists() and not (tmp_path / ".00000009.jpg.part").exists()
        again.offer(*view(seed=7), CONFIRMED)
        again.close()
        assert again.library.rows()[-1].id == "00000004"

    def test_a_live_loop_is_written_beside_only_while_it_rests(self, store: CaptureStore, view: View) -> None:
        store.resting(0)
        store.offer(*view(seed=1), CONFIRMED)
        time.sleep(0.4)
        assert store.library.totals()[0] == 0  # the loop reads: it has the machine to itself
        store.resting(0.01)
        time.sleep(0.3)
        assert store.library.totals()[0] == 0  # too short a rest
        store.resting(1.0)
        assert store.flush(1.0)
        assert store.library.totals()[0] == 1

    def test_a_loop_that_never_rests_costs_no_sample(self, store: CaptureStore, view: View) -> None:
        store.resting(0)
        began = time.monotonic()
        store.offer(*view(seed=1), CONFIRMED)
        assert store.flush() and store.library.totals()[0] == 1
        assert time.monotonic() - began > 1

    def test_what_waits_for_a_rest_is_written_when_the_table_closes(self, tmp_path: Path, view: View) -> None:
        store = opened(tmp_path)
        store.resting(0)
        for number in range(3):
            store.offer(*view(seed=number), CONFIRMED)
        began = time.monotonic()
        store.close()
        assert store.library.totals()[0] == 3
        assert time.monotonic() - began < 2 * slack_now()

    def test_a_full_queue_drops_and_never_waits(self, tmp_path: Path, view: View) -> None:
        store = opened(tmp_path, queue=2)
        gate = threading.Event()
        keep = store.library.keep

        def slow(*args: Any) -> Any:
            gate.wait(5)
            return keep(*args)

        store.library.keep = slow  # type: ignore[method-assign]
        began = time.monotonic()
        answers = [store.offer(*view(seed=n), CONFIRMED) for n in range(8)]
        assert time.monotonic() - began < 4  # the gate would hold it for five
        gate.set()
        store.close()
        assert answers.count("busy") >= 5 and store.status().counts["busy"] == answers.count("busy")
        assert store.status().samples == answers.count("queued")

    def test_a_reading_that_cannot_be_kept_does_not_end_the_writer(self, store: CaptureStore, view: View) -> None:
        image, reading = view()
        store.offer(image[:0], reading, CONFIRMED)
        store.offer(image, reading, CONFIRMED)
        assert store.flush()
        assert store.status().samples == 1

    @pytest.mark.skipif(os.geteuid() != 0, reason="needs root to mount a small file system")
    def test_a_full_disk_costs_samples_but_not_play(self, tmp_path: Path, view: View) -> None:
        disk = tmp_path / "disk"
        disk.mkdir()
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)], check=False, capture_output=True
        )
        if mounted.returncode:
            pytest.skip("mounting is not allowed here")
        try:
            store = opened(disk / "captures", crop="frame", format="png")
            for number in range(8):
                image = np.random.default_rng(number).integers(0, 255, (240, 320, 3), dtype=np.uint8)
                began = time.monotonic()
                store.offer(image, view(seed=number)[1], CONFIRMED)
                assert time.monotonic() - began < 0.05 * slack_now()
                assert store.flush()
            kept = store.library.rows()
            # 230 kB each on 1 MB: the older ones have given way to the newer.
            assert 3 <= len(kept) <= 4 and kept[-1].id == "00000008" and store.status().problem == ""
            assert not list(disk.rglob("*.part"))
            for row in kept:
                assert store.library.entry(row.id).sample.boxes and cv2.imread(str(row.picture)) is not None
            store.library.forget()
            filler = disk / "others"
            with contextlib.suppress(OSError), filler.open("wb") as file:
                while True:
                    file.write(b"x" * 4096)
                    file.flush()
            store.offer(image, view(seed=30)[1], CONFIRMED)
            assert store.flush()
            assert "free some space" in store.status().problem
            assert store.offer(*view(), CONFIRMED) == "paused"
            filler.unlink()
            store._paused_until = 0.0  # the pause of a minute is over
            store.offer(*view(seed=20), CONFIRMED)
            assert store.flush()
            assert store.status().problem == "" and len(store.library.rows()) == 1
            store.close()
        finally:
            subprocess.run(["umount", str(disk)], check=True)

    def test_a_file_size_limit_is_survived_too(self, tmp_path: Path) -> None:
        """The same without root: the kernel refuses to write on, as a quota does."""
        script = """
            import resource, sys
            from pathlib import Path
            import numpy as np
            from taicam.capture import CaptureStore, CaptureSettings, Verdict
            from vision.observation import TableReading, TileObservation
            resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
            store = CaptureStore(Path(sys.argv[1]), CaptureSettings(keep_free_mb=0, format="png", crop="frame"))
            store.set_consent(True)
            store.start()
            image = np.random.default_rng(1).integers(0, 255, (240, 320, 3), dtype=np.uint8)
            reading = TableReading(tiles=(TileObservation("1m", (1, 1, 30, 40), 0.9),))
            assert store.offer(image, reading, Verdict("confirmed")) == "queued"
            assert store.flush()
            assert store.offer(image, reading, Verdict("confirmed")) == "paused"
            store.close()
            print(store.status().problem)
        """
        words = [sys.executable, "-c", textwrap.dedent(script), str(tmp_path)]
        done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        assert "File too large" in done.stdout
        assert [p.name for p in tmp_path.iterdir()] == ["consent.json"]


def test_the_live_loop_loses_less_than_two_milliseconds_a_frame(tmp_path: Path, view: View) -> None:
    """Full HD at a brisk pace, every tenth view kept: what the loop's thread spends in `offer`, by the clock."""
    store = opened(tmp_path, sample_share=0.05, sample_interval_s=0, queue=8)
    image, reading = view(size=(1920, 1080))
    frames = [np.roll(image, 40 * n, axis=1) for n in range(6)]
    taken = []
    for number in range(120):
        verdict = Verdict("confirmed" if number % 10 == 0 else "passing")
        began = time.perf_counter()
        store.offer(frames[number % 6], reading, verdict)
        taken.append(time.perf_counter() - began)
        time.sleep(0.01)
    store.close()
    assert store.status().samples >= 1
    milliseconds = np.array(taken) * 1000
    assert np.median(milliseconds) < 0.5 * slack_now(), milliseconds
    assert np.mean(milliseconds) < 2.0 * slack_now(), milliseconds
    assert np.percentile(milliseconds, 95) < 2.0 * slack_now(), milliseconds
