"""Versions of networks: added, compared, promoted, refused, rolled back, taken up by a running appliance."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from taicam.errors import JobError, UsageError
from taicam.models_compare import GateRow, compare
from taicam.models_registry import ModelRegistry, ModelVersion, PromotionRefusedError, Reloading
from vision.weights import sha256_of


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModelRegistry:
    shipped = tmp_path / "shipped"
    shipped.mkdir()
    for kind in ("tiles", "rereader"):
        (shipped / f"{kind}.onnx").write_bytes(f"{kind} 0.80".encode())
        card = {"sha256": sha256_of(shipped / f"{kind}.onnx"), "metrics": {"R": 0.8}}
        (shipped / f"{kind}.json").write_text(json.dumps(card))
    monkeypatch.setenv("TAICAM_MODELS", str(shipped))
    return ModelRegistry(tmp_path / "data")


def network(tmp_path: Path, skill: float) -> Path:
    """A file that stands for a network which names `skill` of the tiles rightly."""
    path = tmp_path / f"new-{skill}.onnx"
    path.write_bytes(f"tiles {skill:.2f}".encode())
    return path


def gate(paths: Mapping[str, Path], pictures: int = 60) -> Sequence[GateRow]:
    """Rows as a network of that skill would earn: harder and easier pictures, the same for every network."""
    skill = float(paths["tiles"].read_bytes().split()[1])
    luck = np.random.default_rng(0).random((pictures, 17))
    right = (luck < skill).sum(axis=1)
    return [GateRow(f"{n}.jpg", 17, int(right[n]), bool(right[n] == 17)) for n in range(pictures)]


def test_a_better_network_takes_over_and_rollback_brings_the_old_one_back(
    registry: ModelRegistry, tmp_path: Path
) -> None:
    assert registry.current("tiles").version == "shipped"
    added = registry.add("tiles", network(tmp_path, 0.95), {"training": {"steps": 5}})
    assert (added.version, registry.current("tiles").version) == ("0001", "shipped")
    assert registry.add("tiles", network(tmp_path, 0.95)).version == "0001"  # the same file once more
    result = registry.promote("tiles", "0001", gate)
    assert result.better and not result.worse and "→" in result.summary()
    assert registry.current("tiles").version == "0001"
    assert [(v.version, v.in_use) for v in registry.versions("tiles")] == [("shipped", False), ("0001", True)]
    assert registry.versions("tiles")[1].to_json()["training"] == {"steps": 5}
    assert registry.current("rereader").version == "shipped"
    assert registry.rollback("tiles").version == "shipped"
    with pytest.raises(JobError, match="no other version"):
        registry.rollback("tiles")


def test_a_worse_network_is_refused_with_figures_unless_forced(registry: ModelRegistry, tmp_path: Path) -> None:
    registry.add("tiles", network(tmp_path, 0.70))
    with pytest.raises(PromotionRefusedError, match="worse than the one in use") as refused:
        registry.promote("tiles", "0001", gate)
    assert refused.value.comparison.tiles_right.high < 0
    assert registry.current("tiles").version == "shipped"
    registry.promote("tiles", "0001", gate, force=True)
    assert registry.current("tiles").version == "0001"


def test_noise_is_not_worse_and_not_better(registry: ModelRegistry, tmp_path: Path) -> None:
    registry.add("tiles", network(tmp_path, 0.799))
    result = registry.promote("tiles", "0001", gate)
    assert not result.worse and not result.better and registry.current("tiles").version == "0001"


def test_the_comparison_is_paired_and_honest_about_chance() -> None:
    rng = np.random.default_rng(1)
    wrongly = 0
    for trial in range(60):
        base = rng.integers(8, 17, 40)
        one = [GateRow(str(i), 17, int(b), False) for i, b in enumerate(base)]
        two = [GateRow(str(i), 17, int(b + rng.integers(-1, 2)), False) for i, b in enumerate(base)]
        result = compare(one, two, seed=trial)
        wrongly += result.worse or result.better
    assert wrongly <= 9  # 5 % by design
    fallen = [GateRow(row.picture, 17, row.right - 1, False) for row in one]
    assert compare(one, fallen).worse
    with pytest.raises(JobError, match="different pictures"):
        compare(one, two[:-1])
    with pytest.raises(JobError, match="too few"):
        compare(one[:5], two[:5])


def test_damage_and_absence_fall_back_instead_of_stopping(registry: ModelRegistry, tmp_path: Path) -> None:
    for skill in (0.9, 0.95):
        registry.add("tiles", network(tmp_path, skill))
    registry.promote("tiles", "0001", gate)
    registry.promote("tiles", "0002", gate)
    (registry.folder / "tiles/0002/tiles.onnx").write_bytes(b"torn")
    assert registry.current("tiles").version == "0001"
    assert [v.version for v in registry.versions("tiles")] == ["shipped", "0001"]
    (registry.folder / "tiles/0001/tiles.onnx").unlink()
    assert registry.current("tiles").version == "shipped"
    (registry.folder / "current.json").write_text("{")
    assert registry.current("tiles").version == "shipped"


@pytest.mark.parametrize("wrong", ["kind", "file", "version"])
def test_mistakes(wrong: str, registry: ModelRegistry, tmp_path: Path) -> None:
    if wrong == "kind":
        with pytest.raises(UsageError, match="did you mean 'tiles'"):
            registry.current("tile")
    elif wrong == "file":
        with pytest.raises(UsageError, match="not an ONNX file"):
            registry.add("tiles", tmp_path / "none.onnx")
    else:
        with pytest.raises(JobError, match="no version '0009'"):
            registry.promote("tiles", "0009", gate)


def test_a_running_appliance_takes_the_change_up_between_hands(registry: ModelRegistry, tmp_path: Path) -> None:
    built: list[str] = []

    def build(used: Mapping[str, ModelVersion]) -> bytes:
        data = used["tiles"].path.read_bytes()
        if data == b"tiles 0.99":
            raise ValueError("not a network")
        built.append(data.decode())
        return data

    reader = Reloading(registry, build)
    assert reader.value == b"tiles 0.80" and not reader.between_hands()
    registry.add("tiles", network(tmp_path, 0.95))
    # Another process promotes, as `taicam models promote` does.
    script = (
        "import sys; from pathlib import Path; from taicam.models_registry import ModelRegistry;"
        "ModelRegistry(Path(sys.argv[1]))._switch('tiles', '0001')"
    )
    subprocess.run([sys.executable, "-c", script, str(registry.folder.parent)], check=True)
    assert reader.value == b"tiles 0.80"
    assert reader.between_hands() and reader.value == b"tiles 0.95" and not reader.between_hands()
    registry.add("tiles", network(tmp_path, 0.99))
    registry.promote("tiles", "0002", gate)
    assert not reader.between_hands() and reader.value == b"tiles 0.95" and "the old one stays" in reader.problem
    registry.rollback("tiles")
    assert reader.between_hands() and reader.problem == ""
    assert built == ["tiles 0.80", "tiles 0.95", "tiles 0.95"]


def test_many_at_once_never_leave_a_half_state(registry: ModelRegistry, tmp_path: Path) -> None:
    for number in range(4):
        registry.add("tiles", network(tmp_path, 0.81 + number / 100))
    stop = threading.Event()
    seen: set[str] = set()

    def watch() -> None:
        while not stop.is_set():
            seen.add(registry.current("tiles").version)

    watcher = threading.Thread(target=watch)
    watcher.start()
    switchers = [
        threading.Thread(target=lambda n=n: [registry._switch("tiles", f"{n:04d}") for _ in range(15)])
        for n in range(1, 5)
    ]
    for thread in switchers:
        thread.start()
    for thread in switchers:
        thread.join()
    stop.set()
    watcher.join()
    assert seen <= {"shipped", "0001", "0002", "0003", "0004"} and registry.current("tiles").version != "shipped"
    assert not list(registry.folder.rglob("*.part"))


@pytest.mark.shared
@pytest.mark.slow
def test_the_gate_on_real_photos(tmp_path: Path) -> None:
    from taicam.models_gate import photo_gate
    from vision.weights import WeightsError, model_path

    data = Path(__file__).resolve().parents[3] / "shared/data/real"
    if not data.is_dir():
        pytest.skip("the photos beside the checkout are not here")
    try:
        file = model_path("rereader")
    except WeightsError as error:
        pytest.skip(f"the networks are not here: {error}")
    registry = ModelRegistry(tmp_path)
    registry.add("rereader", file)
    result = registry.promote("rereader", "0001", photo_gate(data, ("val",), limit=15))
    assert result.pictures == 15 and result.tiles_right.gain == 0 and result.tiles_right.before > 0.8
    assert registry.current("rereader").version == "0001"
