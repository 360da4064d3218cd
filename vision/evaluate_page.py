"""The evaluation as one self-contained HTML page: tables, reliability and confusion plots, the worst pictures."""

from __future__ import annotations

import base64
import html
from collections import Counter
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.evaluate import Evaluation, worst
from vision.metrics import match, reliability
from vision.picture import load_picture
from vision.training.classes import CLASSES

_STYLE = """body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:72rem;color:#222}
table{border-collapse:collapse;margin:1rem 0}td,th{border:1px solid #ccc;padding:.3rem .6rem;text-align:right}
td:first-child,th:first-child{text-align:left}small{color:#777}img{max-width:22rem;margin:.3rem}
figure{display:inline-block;margin:.4rem;vertical-align:top}figcaption{font-size:.8rem;max-width:22rem}
.bad{color:#b00}"""
_GREEN, _RED, _PURPLE = (60, 170, 40), (40, 40, 220), (220, 40, 200)


def write_page(evaluation: Evaluation, path: Path, data: Path | None) -> None:
    """Write the page.

    Args:
        evaluation: rows and figures.
        path: the ``.html`` file.
        data: the data set, for the worst pictures; left out when None or when a picture is not found there.
    """
    figures = evaluation.to_json()
    body = [
        f"<h1>{html.escape(str(figures['reader']))}: {figures['pictures']} pictures</h1>",
        _figures(figures["parts"]),
    ]
    missed = "".join(f"<li class=bad>{html.escape(line)}</li>" for line in figures["missed_targets"])
    body.append(f"<h2>Targets missed</h2><ul>{missed}</ul>" if missed else "<p>Every target is reached.</p>")
    body += ["<h2>Calibration</h2>", _reliability(evaluation), "<h2>Confusion</h2>", _confusion(evaluation)]
    if data is not None:
        body += ["<h2>Worst pictures</h2><p>green: right; red: wrong or too many; purple: missed</p>"]
        body += [_picture(row, data) for row in worst(evaluation.rows)[:12]]
    title = "taicam evaluate"
    page = f"<!doctype html><meta charset=utf-8><title>{title}</title><style>{_STYLE}</style>" + "\n".join(body)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, encoding="utf-8")


def _figures(parts: dict[str, Any]) -> str:
    keys = ("precision", "recall", "class_accuracy", "exact_pictures", "exact_rows")
    head = "".join(
        f"<th>{k.replace('_', ' ')}</th>" for k in ("part", "pictures", "tiles", *keys, "mAP50", "mAP50-95", "ECE")
    )
    lines = []
    for name, row in parts.items():
        cells = [f"<td>{html.escape(name)}</td><td>{row['pictures']}</td><td>{row.get('tiles', 0)}</td>"]
        for key in keys:
            value, low, high = row.get(key, (None, None, None))
            shown = "–" if value is None else f"{value:.3f}<br><small>{low:.3f}–{high:.3f}</small>"
            cells.append(f"<td>{shown}</td>")
        cells += [
            f"<td>{'–' if row.get(k) is None else format(row[k], '.3f')}</td>" for k in ("map50", "map50_95", "ece")
        ]
        lines.append("<tr>" + "".join(cells) + "</tr>")
    return f"<table><tr>{head}</tr>{''.join(lines)}</table>"


def _reliability(evaluation: Evaluation) -> str:
    """Confidence against share right, as SVG; the area of a dot is the number of findings."""
    marks = [
        f'<circle cx="{40 + 260 * c:.1f}" cy="{300 - 260 * share:.1f}" r="{2 + 1.6 * np.log1p(count):.1f}" '
        f'fill="#1c6fb5" fill-opacity=".6"><title>{count}: {c:.2f} → {share:.3f}</title></circle>'
        for c, share, count in reliability(evaluation.rows)
    ]
    return (
        '<svg width="330" height="340"><rect x="40" y="40" width="260" height="260" fill="none" stroke="#999"/>'
        '<line x1="40" y1="300" x2="300" y2="40" stroke="#bbb" stroke-dasharray="4"/>'
        f'{"".join(marks)}<text x="120" y="330">confidence</text>'
        '<text x="14" y="220" transform="rotate(-90 14 220)">share right</text></svg>'
    )


def _confusion(evaluation: Evaluation) -> str:
    """Truth (down) against reading (across); empty where nothing happened."""
    seen: Counter[tuple[str, str]] = Counter()
    for row in evaluation.rows:
        matched = match(row)
        seen.update((row["truth"][t][0], row["found"][f][0]) for t, f in matched.pairs)
        seen.update((row["truth"][t][0], "-") for t in matched.missed)
        seen.update(("-", row["found"][f][0]) for f in matched.extra)
    names = [*CLASSES, "-"]
    cell = 15
    parts = [f'<svg width="{cell * (len(names) + 3)}" height="{cell * (len(names) + 3)}" font-size="8">']
    for k, name in enumerate(names):
        at = cell * (k + 2)
        parts.append(f'<text x="2" y="{at + 10}">{name}</text><text x="{at + 2}" y="20">{name}</text>')
    for (a, b), count in seen.items():
        x, y = cell * (names.index(b) + 2), cell * (names.index(a) + 2)
        colour = "#2a9d4a" if a == b else "#d33"
        shade = min(1.0, 0.25 + 0.25 * np.log1p(count))
        parts.append(
            f'<rect x="{x}" y="{y}" width="{cell - 1}" height="{cell - 1}" fill="{colour}" fill-opacity="{shade:.2f}">'
            f"<title>{a} read as {b}: {count}</title></rect>"
        )
    return "".join(parts) + "</svg>"


def _picture(row: dict[str, Any], data: Path) -> str:
    found = next(iter(sorted(data.glob(f"images/*/{row['image']}"))), None)
    if found is None:
        return ""
    image = load_picture(found).copy()
    matched = match(row)
    good = {f for t, f in matched.pairs if row["truth"][t][0] == row["found"][f][0]}
    for k, entry in enumerate(row["found"]):
        _mark(image, entry[2:], entry[0], _GREEN if k in good else _RED)
    for k in matched.missed:
        _mark(image, row["truth"][k][1:], row["truth"][k][0], _PURPLE)
    ok, jpeg = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 80])
    if not ok:
        return ""
    wrong = [f"{row['truth'][t][0]} read as {row['found'][f][0]}" for t, f in matched.pairs if f not in good]
    wrong += [f"{row['truth'][t][0]} missed" for t in matched.missed]
    wrong += [f"{row['found'][f][0]} where there is none" for f in matched.extra]
    source = "data:image/jpeg;base64," + base64.b64encode(jpeg.tobytes()).decode()
    text = html.escape(f"{row['image']} ({row['part']}): {', '.join(wrong)}")
    return f'<figure><img src="{source}" alt=""><figcaption>{text}</figcaption></figure>'


def _mark(image: Any, box: list[float], code: str, colour: tuple[int, int, int]) -> None:
    x1, y1, x2, y2 = (round(v) for v in box)
    cv2.rectangle(image, (x1, y1), (x2, y2), colour, 2)
    cv2.putText(image, code, (x1 + 1, y1 + 13), cv2.FONT_HERSHEY_SIMPLEX, 0.45, colour, 1, cv2.LINE_AA)
