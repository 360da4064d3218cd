"""What becomes of the views of play: settled, put right afterwards, never answered; and what their sidecars say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from taicam.capture import CaptureSettings, CaptureStore, Circumstances
from taicam.config import load_settings
from taicam.learning import RECORDED, Learner, View
from taicam.models_registry import ModelRegistry
from taicam.networks import ReaderKeeper
from taicam.outcome import Outcome
from vision.enroll import Shot
from vision.enroll_reader import EnrolledDetector, RereaderEmbedder
from vision.enroll_store import ProfileStore

HAND = {"melds": [], "flowers": [], "win_tile": "8s"}


@pytest.fixture
def learner(tmp_path: Path) -> Iterator[Learner]:
    with CaptureStore(tmp_path, CaptureSettings(keep_free_mb=0, sample_share=0.0)) as store:
        store.set_consent(True)
        yield Learner(store, "camera 1")


def view(reading: Any, seed: int = 0) -> View:
    noise = np.random.default_rng(seed).integers(0, 255, (400, 1200, 3), dtype=np.uint8)
    return View(noise, reading, sequence=seed)


def samples(learner: Learner) -> list[Any]:
    assert learner.store.flush(20)
    library = learner.store.library
    return [library.entry(row.id).sample for row in library.rows()]


def hand(readings: Any, **changes: str) -> dict[str, Any]:
    concealed = [changes.get(f"t{code}", code) for code in readings.plain().concealed]
    return {"concealed": concealed, **HAND}


def test_the_sidecar_says_under_what_circumstances_a_view_was_taken(learner: Learner, readings: Any) -> None:
    asked: list[Any] = []

    def known(reading: Any) -> Circumstances:
        asked.append(reading)
        return Circumstances(
            camera={"name": "default"},
            calibration={"corners": [[0, 0], [1200, 0], [1200, 400], [0, 400]]},
            model={"tiles": "0003 abc"},
            table="default",
            tile_set="jade",
            table_corners=((0, 0), (1200, 0), (1200, 400), (0, 400)),
        )

    learner.known = known
    doubtful = readings.doubtful()
    learner.looked(view(doubtful, 7), Outcome("frame 7", "confirm", hand_id="offer"))
    learner.known = lambda _: Circumstances(tile_set="another, later")
    learner.settled("offer", hand(readings), "h1", "tablet")
    (sample,) = samples(learner)
    assert asked == [doubtful]
    assert (sample.reason, sample.hand_id, sample.sequence) == ("confirmed", "h1", 7)
    assert (sample.tile_set, sample.table) == ("jade", "default")
    assert sample.camera == {"source": "camera 1", "name": "default"}
    assert sample.model == {"tiles": "0003 abc"} and len(sample.calibration["corners"]) == 4


def test_a_hand_put_right_afterwards_labels_its_view_anew(learner: Learner, readings: Any) -> None:
    learner.looked(view(readings.doubtful()), Outcome("f", "confirm", hand_id="offer"))
    learner.settled("offer", hand(readings), "h1", "tablet")  # pressed too soon
    assert [s.reason for s in samples(learner)] == ["confirmed"]
    learner.corrected("h1", hand(readings, t5m="6m"), "tablet")
    (sample,) = samples(learner)  # one sample of one hand, and it has the right names
    assert sample.reason == "corrected"
    assert sorted(b.code for b in sample.boxes) == sorted(hand(readings, t5m="6m")["concealed"])


def test_a_hand_recorded_unasked_and_put_right_is_a_labelled_sample(learner: Learner, readings: Any) -> None:
    learner.looked(view(readings.plain()), Outcome("f", "recorded", hand_id="h2"))
    assert samples(learner) == []  # read without a doubt, and not one of the few kept by chance
    learner.corrected("h2", hand(readings, t5m="6m"), "tablet")
    (sample,) = samples(learner)
    assert (sample.reason, sample.hand_id) == ("corrected", "h2")


def test_put_right_too_late_a_sample_waits_for_review_again(learner: Learner, readings: Any) -> None:
    for number in range(RECORDED + 1):
        learner.looked(view(readings.doubtful(), number), Outcome("f", "confirm", hand_id=f"offer {number}"))
        learner.settled(f"offer {number}", hand(readings), f"h{number}", "tablet")
    assert [s.state for s in samples(learner)] == ["accepted"] * (RECORDED + 1)
    learner.corrected("h0", hand(readings, t5m="6m"), "tablet")
    states = {s.hand_id: s.state for s in samples(learner)}
    assert states.pop("h0") == "proposed" and set(states.values()) == {"accepted"}
    learner.corrected("unknown", hand(readings), "tablet")


def test_what_nobody_answered_is_doubtful_when_the_table_closes(learner: Learner, readings: Any) -> None:
    learner.looked(view(readings.doubtful()), Outcome("f", "confirm", hand_id="offer"))
    learner.close()
    assert [(s.reason, s.state) for s in samples(learner)] == [("doubtful", "proposed")]


def test_without_consent_no_frame_is_even_held(tmp_path: Path, readings: Any) -> None:
    with CaptureStore(tmp_path, CaptureSettings(keep_free_mb=0)) as store:
        learner = Learner(store, "camera 1")
        learner.looked(view(readings.doubtful()), Outcome("f", "confirm", hand_id="offer"))
        store.set_consent(True)
        learner.settled("offer", hand(readings), "h1", "tablet")
        assert samples(learner) == []


def test_a_promoted_rereader_reads_the_enrolled_set_too(
    tmp_path: Path, promote_rereader: Callable[[Path], None]
) -> None:
    """The set is learnt anew with the network in use, and the switch comes between two hands."""
    data = tmp_path / "data"
    rng = np.random.default_rng(0)
    shots = [
        Shot(rng.integers(0, 255, (64, 48, 3), dtype=np.uint8), code, photo)
        for code in ("1m", "2m")
        for photo in ("a", "b")
    ]
    from vision.enroll import learn

    ProfileStore(data / "tile-sets").save(learn(shots, RereaderEmbedder(), "mine", copies=1), {}, shots)
    keeper = ReaderKeeper(load_settings(None, {"data_dir": data, "reading": {"tile_set": "mine"}}))
    first = keeper.reader.detector
    assert isinstance(first, EnrolledDetector) and keeper.tile_set == "mine"
    assert keeper.model["rereader"].startswith("shipped ")
    promote_rereader(data)
    assert keeper.reader.detector is first and keeper.model["rereader"].startswith("shipped ")
    assert keeper.between_hands()
    second = keeper.reader.detector
    assert isinstance(second, EnrolledDetector) and keeper.model["rereader"].startswith("0001 ")
    assert first.embedder.fingerprint != second.embedder.fingerprint
    assert second.embedder.fingerprint == f"rereader-{keeper.model['rereader'].split()[1]}"
    assert second.in_use is not None and second.in_use.fingerprint == second.embedder.fingerprint
    ModelRegistry(data).rollback("rereader")
    assert keeper.between_hands() and keeper.model["rereader"].startswith("shipped ")
