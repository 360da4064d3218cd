"""Model cards, written from raw rows: ``models/tiles.md``, ``models/rereader.md`` and the metrics in their JSON, and
``models/stacked.md`` from what its export measured.

Nothing in the tables is typed by hand: every figure comes from ``benchmarks/results/*.jsonl`` (rows of ``taicam
evaluate --rows``) or from the checkpoints' own records.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from vision.evaluate import hand_table, missed_targets, read_rows, table
from vision.metrics import confusions

MAIN = "tiles.jsonl"
ATTRIBUTION = """- "Chinese Mahjong Detection, riichimahjongdetection (Roboflow Universe), CC BY 4.0, modified"
- "mahjong, leomiurarobot (Roboflow Universe), CC BY 4.0"
- "mahjong-dataset, (c) 2019 Esmond Wong, MIT" (its pictures were collected from shops; the compilation is MIT)
- 66 crops of "Mahjong_Tile_Classifier, (c) 2023 justinchan114, MIT"
- Drawn sets: samoheen (CC0), FluffyStuff (CC0), xhokir (CC BY 4.0), Shizhao / Wikimedia (public domain),
  AkizumiFox (MIT), taksuyu (free use stated by its author, no formal licence)
- The project's own drawings and renderer"""

_TILES = """# tiles.onnx: finds mahjong tiles

A YOLO11n body (ultralytics, AGPL-3.0) trained from random weights with this project's own head channels and
losses: each place answers whether a tile is there, where its edges are, which of 43 faces it shows (raw
scores), and how it lies. Finding is trained apart from naming, so a set never seen is still found; names come
mostly from `rereader.onnx`. Licence of the weights: AGPL-3.0-or-later.

Input `images` N3HW (RGB, 0..1, sides a multiple of 32; 640 is usual). Outputs: `boxes` (x1, y1, x2, y2 in
pixels), `tile` (probability), `classes` (43 raw scores, names in the metadata), `pose` (cos 2a, sin 2a of the
face's long axis; width / (width + height)). No suppression inside: `vision.findings.merge` makes one finding a
tile.

## Data

Photos: 815 labelled training photos of six scenes; 90 of another for choosing; the test photos (`D`: rack hands
with flowers; `R`: a tile set and a table that occur nowhere else) were never trained on; thresholds and
calibration come from the 90 and from rendered scenes (but see the first two weaknesses). Faces: 1,944 crops of
about 15 sets, seven drawn sets, and 160 to 600 restyled sets of our own drawings (Chinese fonts of several scripts).
From these: windows of real photos (turned, scaled, relit), quick composites of solid tiles in true perspective,
and rendered scenes. Tile backs exist only in made pictures.

{attribution}

"""

_REREADER = """# rereader.onnx: names tiles

A residual CNN of 0.9 million weights, its convolutions in 8 bit, over upright crops (48 x 64 pixels, BGR bytes) cut at
the camera's own resolution.
Outputs: `names` (43 faces and *unknown*, raw scores), `turns` (which way the top points), `embedding` (128
numbers of length one, for enrolment). Each tile is read with either end up, and again on its side when it seems
to lie across its crop. Temperature, and the weight against the detector's own odds, were chosen on the
validation photos and, weighing a tenth, on rendered scenes with sets no training has drawn. Licence of the
weights: AGPL-3.0-or-later.

Trained from random weights on crops of the training photos and endless drawn and rendered ones; all families of
`crops/` and `art/` and all training scenes (G, O, T, gray, leo, cam) were used, so figures on those say nothing
about new sets.

{attribution}

"""

_STACKED = """# stacked.onnx: tells a tile that lies on another

A residual CNN of 0.25 million weights over a tile's surroundings (64 x 64 pixels, BGR bytes, 2.8 tile widths a side) in
a table's zone, and how far the tile would seem to move if it lay on another, by the camera's place (`moved`, tile
widths). Output `scores`; times `slope` and plus `shift` (metadata) the logarithm of how many times likelier the picture
is if the tile is stacked. It is asked about tiles beside others of their kind, over a calibrated table only: whether
three equal tiles are a pung or a kong whose fourth lies on one of them. What it says is weighed with where the tiles
lie (`vision.layout_raised`). Licence of the weights: AGPL-3.0-or-later.

Trained from random weights on rendered tables alone (`vision.training.stacks`): our own drawings and renderer, no
photo. So it has never seen a real stacked kong; a kong it finds is asked about all the same.

"""


def write_cards(models: Path, results: Path, weaknesses: Path | None = None) -> list[Path]:
    """Write the cards and put the metrics into the JSON files.

    Args:
        models: folder of the networks.
        results: folder with ``tiles.jsonl`` and, where they exist, other readers' rows for the comparison.
        weaknesses: a Markdown file to append on what goes wrong, written after looking at the pictures.

    Returns:
        The files written.

    Raises:
        ValueError: the main rows are missing or malformed.
    """
    main = read_rows(results / MAIN)
    parts = main.parts()
    measured = _measured(main.rows, parts)
    others = _others(results)
    written = []
    for name, text in (("tiles", _TILES), ("rereader", _REREADER)):
        card_path = models / f"{name}.json"
        card = json.loads(card_path.read_text(encoding="utf-8")) if card_path.is_file() else {}
        card["metrics"] = parts
        card_path.write_text(json.dumps(card, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        body = text.format(attribution=ATTRIBUTION) + _training(card) + measured + others
        if weaknesses is not None and weaknesses.is_file():
            body += "\n" + weaknesses.read_text(encoding="utf-8")
        page = models / f"{name}.md"
        page.write_text(body.rstrip() + "\n", encoding="utf-8")
        written += [card_path, page]
    return [*written, *_stacked(models)]


def _stacked(models: Path) -> list[Path]:
    card_path, page = models / "stacked.json", models / "stacked.md"
    if not card_path.is_file():
        return []
    card = json.loads(card_path.read_text(encoding="utf-8"))
    figures = "\n".join(f"| {key.replace('_', ' ')} | {value:,} |" for key, value in card["held_back"].items())
    text = "## Measured\n\nOn rendered tables and tile sets held back (shares at even odds):\n\n| | |\n|---|---|\n"
    page.write_text(_STACKED + _training(card) + text + figures + "\n", encoding="utf-8")
    return [page]


def _training(card: dict[str, Any]) -> str:
    training = card.get("training", {})
    facts = ", ".join(f"{key} {value:,}" for key, value in training.items())
    size = card.get("bytes", 0) / 1e6
    return f"## Training\n\n{facts or 'not recorded'} (hours on two shared CPU cores). File: {size:.1f} MB.\n\n"


def _measured(rows: Any, parts: dict[str, Any]) -> str:
    text = (
        "## Measured\n\nBoth networks together, as `taicam read` uses them; brackets: 95 % bootstrap over pictures, or "
        "the rule of three where no mistake was seen.\n\n"
    )
    text += table(parts) + "\n\n"
    hands = hand_table(parts)
    if hands:
        text += (
            "Photos whose labels are one hand, read as one. Asked: a question about a tile; taps: tiles to put right "
            f"before *confirm*.\n\n{hands}\n\n"
        )
    missed = missed_targets(parts)
    text += "Targets missed:\n\n" + "\n".join(f"- {line}" for line in missed) if missed else "Every target is reached."
    worst = ", ".join(f"{a} read as {b} ({n}x)" for a, b, n in confusions(rows)[:12])
    return text + f"\n\nMost frequent mistakes: {worst or 'none'}. (`-`: missed, or where there is no tile.)\n\n"


def _others(results: Path) -> str:
    """Comparison of all rows files: what each step brings, and the rival."""
    lines = [
        "## Compared",
        "",
        "| reader | part | tiles right | class accuracy | exact pictures |",
        "|---|---|---|---|---|",
    ]
    for path in sorted(results.glob("*.jsonl")):
        if path.name != MAIN and not path.name.startswith(("ablation-", "rival-")):
            continue
        evaluation = read_rows(path)
        for part, figures in evaluation.parts().items():
            if part not in {"D", "R rows", "R piles"}:
                continue
            cells = [figures[key][0] for key in ("tiles_right", "class_accuracy", "exact_pictures")]
            shown = " | ".join("-" if cell is None else f"{cell:.3f}" for cell in cells)
            lines.append(f"| {evaluation.name} | {part} | {shown} |")
    return "\n".join(lines) + "\n" if len(lines) > 4 else ""
