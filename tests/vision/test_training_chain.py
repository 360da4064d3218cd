"""The whole chain once over, small and seeded: make pictures, train, export, evaluate. Needs the train extra."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = [pytest.mark.train, pytest.mark.slow]
# Looked for, not imported: ultralytics must not be imported before `vision.training.quiet` has had its say.
if not (find_spec("torch") and find_spec("ultralytics")):
    pytest.skip("needs the train extra: pip install 'taicam[train]'", allow_module_level=True)
pytest.importorskip("resvg_py", reason="needs the render extra: pip install 'taicam[render]'")

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from vision.training.smoke import write_data

    return write_data(tmp_path_factory.mktemp("data"))


def run(*words: str, home: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"HOME": str(home), "OMP_NUM_THREADS": "2", "PYTHONPATH": str(ROOT)}
    for name in ("YOLO_CONFIG_DIR", "ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME"):
        environment.pop(name, None)
    command = [sys.executable, "-m", "taicam", *words]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT, timeout=900, check=False)


def test_render_200_train_an_epoch_export_evaluate_resume(data: Path, tmp_path: Path) -> None:
    home, out, own = tmp_path / "home", tmp_path / "out", tmp_path / "own"
    home.mkdir()
    (own / "images").mkdir(parents=True)
    (own / "labels").mkdir()
    (own / "data.yaml").write_bytes((data / "real" / "data.yaml").read_bytes())
    for kind in ("images", "labels"):  # the test split of the made set stands for the owner's own pictures
        (own / kind / "train").symlink_to(data / "real" / kind / "test")
    words = f"train --data {data} --out {out} --batch 8 --size 128 --rendered 0 --photos 1 --drawn-sets 0 --seed 4"
    first = run(*words.split(), "--steps", "20", home=home)  # 20 steps of 8: as many windows as there are pictures
    assert first.returncode == 0, first.stderr
    assert "step 10, 50% of this run" in first.stderr
    card = json.loads((out / "tiles.json").read_text())
    assert (card["training"]["steps"], card["training"]["images"]) == (20, 160)
    assert card["onnx_vs_torch_worst_difference"] < 1e-3
    recipe = json.loads((out / "detector.recipe.json").read_text())
    assert recipe["settings"]["recipe"]["seed"] == 4
    assert recipe["data"]["files"] == 321  # 160 pictures, their labels, and data.yaml
    measured = run(
        "evaluate",
        "--data",
        str(data / "real"),
        "--split",
        "test",
        str(out / "tiles.onnx"),
        "--json",
        "-",
        "--rows",
        str(tmp_path / "rows.jsonl"),
        home=home,
    )
    assert measured.returncode in {0, 1}, measured.stderr
    assert json.loads(measured.stdout)["pictures"] == 20
    assert len((tmp_path / "rows.jsonl").read_text().splitlines()) == 20
    again = run(*words.split(), "--steps", "10", "--resume", "--captured", str(own), home=home)
    assert again.returncode == 0, again.stderr
    assert json.loads((out / "tiles.json").read_text())["training"]["steps"] == 30
    recipe = json.loads((out / "detector.recipe.json").read_text())
    assert recipe["data"]["files"] == 321 + 41
    assert recipe["started_from"]["file"] == "detector.pt"
    assert not list(home.rglob("*")), "training wrote into HOME"


def test_training_is_quiet(tmp_path: Path) -> None:
    """No connection, no package installed at run time, nothing in HOME: seen from inside by an audit hook."""
    script = """
import json, sys
seen = []
def hook(event, args):
    if event in {"socket.connect", "socket.getaddrinfo"} or event == "subprocess.Popen" and "pip" in str(args):
        seen.append([event, str(args)])
sys.addaudithook(hook)
from vision.training.net import TileLoss, build, raw_outputs
import torch
from ultralytics import utils
model = build().train()
targets = torch.full((1, 1, 8), -1.0)
TileLoss(model)(raw_outputs(model, torch.zeros(1, 3, 64, 64)), targets)
print(json.dumps([seen, utils.ONLINE, utils.AUTOINSTALL, str(utils.USER_CONFIG_DIR)]))
"""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("YOLO_")}
    environment |= {"HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    seen, online, installs, config = json.loads(done.stdout.splitlines()[-1])
    assert (seen, online, installs) == ([], False, False)
    assert not Path(config).is_relative_to(tmp_path)
    assert not list(tmp_path.rglob("*"))


def test_losses_fall_on_one_batch(data: Path) -> None:
    import torch

    from vision.training.net import TileLoss, build, raw_outputs
    from vision.training.stream import Mixture, Stream

    torch.manual_seed(0)
    torch.set_num_threads(1)  # two that wait for each other take ten times as long on a busy machine
    mixture = Mixture(data=data, photos=1.0, composites=0.0, size=160)
    images, targets = next(iter(Stream(mixture, 4, [3])))
    model = build().train()
    loss_of = TileLoss(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    values = []
    for _ in range(12):
        loss, parts = loss_of(raw_outputs(model, images.float() / 255), targets)
        assert set(parts) == {"tile", "box", "dfl", "name", "pose"}
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        values.append(float(loss.detach()))
    assert values[-1] < 0.8 * values[0]


def _differ_then_meet(rank: int, out: Path) -> None:
    import torch

    from vision.training.workers import agreed, average_weights

    net = torch.nn.Linear(2, 1)
    torch.nn.init.constant_(net.weight, float(rank))
    average_weights(net, 2)
    stop = agreed(rank == 0, 2)
    (out / f"{rank}.json").write_text(json.dumps([net.weight.detach().tolist(), stop]))


def test_workers_average_their_weights_and_stop_together(tmp_path: Path) -> None:
    from vision.training.workers import launch

    launch(_differ_then_meet, 2, (tmp_path,))
    assert [json.loads((tmp_path / f"{rank}.json").read_text()) for rank in (0, 1)] == [[[[0.5, 0.5]], True]] * 2
    with pytest.raises(RuntimeError, match="a training worker failed"):
        launch(_differ_then_meet, 2, (tmp_path / "nowhere",))


def _train_and_tell(rank: int, data: Path, out: Path) -> None:
    """A worker of a real run that notes which pictures it was given and the weights it began and ended with."""
    import hashlib

    from vision.training.fit import Recipe, Trainer
    from vision.training.stream import Mixture

    def digest(trainer: Trainer) -> str:
        summed = hashlib.sha256()
        for tensor in trainer.model.state_dict().values():
            summed.update(tensor.detach().numpy().tobytes())
        return summed.hexdigest()

    class Telling(Trainer):
        def step(self, images: Any, targets: Any) -> dict[str, float]:
            drawn.append(hashlib.sha256(images.numpy().tobytes()).hexdigest())
            parts = super().step(images, targets)
            between.append(digest(self))
            return parts

    drawn: list[str] = []
    between: list[str] = []
    recipe = Recipe(batch=2, processes=2, threads=1, workers=1, meet=2, max_steps=4, warmup=1)
    trainer = Telling(recipe, Mixture(data=data, photos=1.0, composites=0.0, size=128), out, None, rank)
    first = digest(trainer)
    progress = trainer.run()
    told = {"drawn": drawn, "first": first, "between": between, "last": digest(trainer), "images": progress.images}
    (out / f"{rank}.json").write_text(json.dumps(told))


def test_every_worker_trains_on_pictures_of_its_own_and_all_end_with_the_same_weights(
    data: Path, tmp_path: Path
) -> None:
    """What several GPUs do, one process each, on the CPU: the same code, whose device is the only difference."""
    from vision.training.fit import load
    from vision.training.workers import launch

    launch(_train_and_tell, 2, (data, tmp_path))
    one, two = (json.loads((tmp_path / f"{rank}.json").read_text()) for rank in (0, 1))
    assert one["first"] == two["first"]
    assert len(one["drawn"]) == 4 and not set(one["drawn"]) & set(two["drawn"])
    assert one["between"][0] != two["between"][0]  # apart until they meet
    assert one["last"] == two["last"] != one["first"]
    assert one["images"] == 4 * 2 * 2
    assert load(tmp_path / "detector.pt")[1].steps == 4 and (tmp_path / "full-1.pt").is_file()


def test_a_gpu_has_a_process_to_itself_and_others_to_make_its_pictures() -> None:
    from vision.training.workers import hands

    assert hands(None, cards=0) == (1, 0) and hands(2, cards=0) == (2, 0)
    assert hands(None, cards=1, cores=16) == (1, 15)
    assert hands(None, cards=4, cores=16) == (4, 3)
    assert hands(2, cards=4, cores=2) == (2, 1)


def test_stream_is_the_same_for_a_seed(data: Path) -> None:
    from vision.training.stream import Mixture, Stream

    mixture = Mixture(data=data, photos=1.0, composites=0.0, size=160)
    one, other = (next(iter(Stream(mixture, 3, [5]))) for _ in range(2))
    assert np.array_equal(one[0].numpy(), other[0].numpy())
    assert np.array_equal(one[1].numpy(), other[1].numpy(), equal_nan=True)


def test_stacks_are_learned_without_photos_go_on_and_are_exported(tmp_path: Path) -> None:
    from vision.stack_reader import StackReader
    from vision.training.fit_stack import StackRecipe, export_stack, fit_stack
    from vision.training.stacks import stacks_of

    words = ["train", "stacks", "--steps", "10", "--batch", "2", "--out", str(tmp_path), "--no-export"]
    first = run(*words, home=tmp_path)
    assert first.returncode == 0, first.stderr
    made = fit_stack(StackRecipe(max_steps=10, batch=32), tmp_path, tmp_path / "stacks.pt")
    card = export_stack(made, tmp_path / "stacked.onnx", tables=6)
    assert (card["training"]["steps"], card["training"]["crops"]) == (20, 10 * 16 + 10 * 32)
    assert card["onnx_vs_torch"] < 1e-3
    assert card["held_back"]["stacked"] > 3
    table = stacks_of(5)
    assert np.isfinite(StackReader(tmp_path / "stacked.onnx").evidence(table.crops, table.moved)).all()


def test_evidence_is_how_many_times_likelier_a_stacked_tile_is() -> None:
    from vision.training.fit_stack import evidence_of

    rng = np.random.default_rng(1)
    raised = rng.random(40_000) < 0.1
    scores = rng.normal(np.where(raised, 3.0, -1.0), 2.0).astype(np.float32)
    slope, shift, figures = evidence_of(scores, raised)
    # Two bells of width 2 about 3 and -1: the logarithm of their ratio is the score less one.
    assert slope == pytest.approx(1.0, abs=0.05)
    assert shift == pytest.approx(-1.0, abs=0.1)
    assert figures["stacked"] == int(raised.sum())


def test_rereader_learns_exports_and_calibrates(data: Path, tmp_path: Path) -> None:
    from vision.rereader import Rereader
    from vision.training import calibrated
    from vision.training.export import write_card
    from vision.training.export_reread import RAW, ExportError, export_rereader, training_crops
    from vision.training.fit_reread import RereadRecipe, fit_reread, load

    recipe = RereadRecipe(data=data, max_steps=12, batch=24, real=0.3, drawn_sets=1, cache=tmp_path / "cache", meet=2)
    shipped = ROOT / "models" / "checkpoints" / "rereader.pt"  # one of twelve steps alone is too raw for 8 bits
    before = load(shipped)[1]["steps"]
    made = fit_reread(recipe, tmp_path, resume=shipped)
    crops = training_crops(recipe, 120)
    whole = export_rereader(made, tmp_path / "whole.onnx", crops=None)
    card = export_rereader(made, tmp_path / "rereader.onnx", crops=crops)
    card = write_card(tmp_path / "rereader.onnx", card, RAW | {"temperature": 0.8, "weight": 0.9})
    assert card["training"]["steps"] == before + 12
    assert whole["onnx_vs_torch"]["rounding"] < 1e-4 < card["onnx_vs_torch"]["rounding"]
    assert card["bytes"] < 0.5 * whole["bytes"]
    reader, exact = (Rereader(tmp_path / name, threads=1) for name in ("rereader.onnx", "whole.onnx"))
    assert (reader.temperature, reader.weight) == (0.8, 0.9)
    read, true = reader.read(crops[:9]), exact.read(crops[:9])
    assert read.odds.shape == (9, 43)
    assert (read.embedding * true.embedding).sum(1).min() > 0.98
    with pytest.raises(ExportError, match="do not ship it"):  # fitted to crops without light: nothing is left of others
        export_rereader(made, tmp_path / "dark.onnx", crops=np.concatenate([np.zeros_like(crops), crops[:60]]))
    card, how = calibrated.rereader(made, tmp_path / "fitted.onnx", data, crops)
    assert "photos and rendered scenes" in how
    assert Rereader(tmp_path / "fitted.onnx").temperature == pytest.approx(card["calibration"]["temperature"], rel=1e-3)
    card, how = calibrated.rereader(made, tmp_path / "carried.onnx", tmp_path, crops)  # no photos at all
    assert "network in use" in how
    assert card["calibration"]["temperature"] == Rereader().temperature


def test_bundle_holds_everything_but_the_test_split(data: Path, tmp_path: Path) -> None:
    from vision.training.bundle import BundleError, make_bundle, unpack

    file = tmp_path / "bundle.tar.gz"
    assert make_bundle(data, file) < 64 * 2**20
    with tarfile.open(file) as tar:
        names = tar.getnames()
    assert not [name for name in names if "/test/" in name]
    assert (unpack(file, tmp_path / "there") / "real" / "data.yaml").is_file()
    with pytest.raises(BundleError, match="never goes into training"):
        make_bundle(data, file, splits=("train", "test"))
    (tmp_path / "no.tar").write_text("x")
    with pytest.raises(BundleError, match="is no bundle"):
        unpack(tmp_path / "no.tar", tmp_path / "nowhere")
