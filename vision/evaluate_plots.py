"""The plots of the evaluation page, as SVG: reliability of the confidences, confusion of the names."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Sequence

import numpy as np

from vision.evaluate import Evaluation
from vision.metrics import calibration_error, match, reliability
from vision.training.classes import CLASSES

#: One colour a reader; they go round when there are more readers.
COLOURS = ("#1c6fb5", "#d0661b", "#2a8f5a", "#8a4fb0", "#a33", "#666")
_STEADY = 10  # findings from which a bin is joined to the others by a line


def reliability_plot(evaluations: Sequence[Evaluation]) -> str:
    """Confidence against share right, a colour a reader; a dot grows with the findings; few are not joined."""
    marks, legend = [], []
    for number, evaluation in enumerate(evaluations):
        colour = COLOURS[number % len(COLOURS)]
        points = reliability(evaluation.rows)
        places = [(50 + 260 * c, 300 - 260 * share, c, share, count) for c, share, count in points]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y, *_, count in places if count >= _STEADY)
        marks.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-opacity=".5"/>')
        marks += [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{2 + 1.1 * np.log1p(count):.1f}" fill="{colour}" fill-opacity=".6">'
            f"<title>{count}: {c:.2f} → {share:.3f}</title></circle>"
            for x, y, c, share, count in places
        ]
        error = f"ECE {calibration_error(evaluation.rows):.3f}" if points else "nothing found"
        name = html.escape(evaluation.name)
        legend.append(f'<text x="330" y="{60 + 20 * number}" fill="{colour}">{name} · {error}</text>')
    ticks = "".join(
        f'<text x="{50 + 260 * v:.0f}" y="316" text-anchor="middle">{v:g}</text>'
        f'<text x="44" y="{304 - 260 * v:.0f}" text-anchor="end">{v:g}</text>'
        for v in (0, 0.5, 1)
    )
    return (
        '<svg width="860" height="345" font-size="12" role="img" aria-label="reliability">'
        '<rect x="50" y="40" width="260" height="260" fill="none" stroke="#999"/>'
        '<line x1="50" y1="300" x2="310" y2="40" stroke="#bbb" stroke-dasharray="4"/>'
        f'{ticks}{"".join(marks)}{"".join(legend)}<text x="180" y="334" text-anchor="middle">confidence</text>'
        '<text x="14" y="170" transform="rotate(-90 14 170)" text-anchor="middle">share right</text></svg>'
    )


def confusion_plot(evaluation: Evaluation) -> str:
    """Truth (down) against reading (across); empty where nothing happened."""
    seen: Counter[tuple[str, str]] = Counter()
    for row in evaluation.rows:
        matched = match(row)
        seen.update((row["truth"][t][0], row["found"][f][0]) for t, f in matched.pairs)
        seen.update((row["truth"][t][0], "-") for t in matched.missed)
        seen.update(("-", row["found"][f][0]) for f in matched.extra)
    names = [*CLASSES, "-"]
    cell = 15
    side = cell * (len(names) + 3)
    parts = [f'<svg width="{side}" height="{side}" font-size="8" role="img" aria-label="confusion">']
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
        if a != b:
            parts.append(f'<text x="{x + 4}" y="{y + 10}">{count}</text>')
    return "".join(parts) + "</svg>"
