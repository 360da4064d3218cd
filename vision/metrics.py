"""Figures from raw rows: how well found, how well named, how honest. No network here: they can be made anew any time.

A row is one picture: ``{"image", "part", "truth": [[code, x1, y1, x2, y2], …], "found": [[code, confidence, x1, y1, x2,
y2], …]}``, boxes in pixels.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Row = Mapping[str, Any]

MATCH_IOU = 0.5
THRESHOLDS = np.arange(0.5, 1.0, 0.05)


def iou_matrix(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """IoU of every box of ``a`` (Nx4) with every box of ``b`` (Mx4)."""
    low = np.maximum(a[:, None, :2], b[None, :, :2])
    high = np.minimum(a[:, None, 2:], b[None, :, 2:])
    shared = np.prod(np.clip(high - low, 0, None), axis=2)
    area_a, area_b = np.prod(a[:, 2:] - a[:, :2], axis=1), np.prod(b[:, 2:] - b[:, :2], axis=1)
    return np.asarray(shared / np.maximum(area_a[:, None] + area_b[None] - shared, 1e-9))


@dataclass(slots=True)
class Matched:
    """One picture's tiles paired with what was found. Pairs are (truth index, found index)."""

    pairs: list[tuple[int, int]] = field(default_factory=list)
    missed: list[int] = field(default_factory=list)
    extra: list[int] = field(default_factory=list)


def _boxes(entries: Sequence[Sequence[Any]], first: int) -> NDArray[np.float64]:
    return np.array([entry[first : first + 4] for entry in entries], np.float64).reshape(-1, 4)


def match(row: Row, least: float = MATCH_IOU) -> Matched:
    """Pair tiles and findings of at least that IoU, best first; each is used once, whatever its class."""
    truth, found = row["truth"], row["found"]
    iou = iou_matrix(_boxes(truth, 1), _boxes(found, 2))
    out = Matched()
    left_t, left_f = set(range(len(truth))), set(range(len(found)))
    for flat in np.argsort(-iou, axis=None):
        t, f = divmod(int(flat), max(1, len(found)))
        if iou[t, f] < least:
            break
        if t in left_t and f in left_f:
            out.pairs.append((t, f))
            left_t.discard(t)
            left_f.discard(f)
    out.missed, out.extra = sorted(left_t), sorted(left_f)
    return out


def lines_of(row: Row) -> list[list[int]]:
    """Tiles that stand side by side in one line: lists of truth indices, two or more each."""
    boxes = _boxes(row["truth"], 1)
    group = list(range(len(boxes)))

    def root(k: int) -> int:
        while group[k] != k:
            k = group[k]
        return k

    centre = (boxes[:, :2] + boxes[:, 2:]) / 2
    size = boxes[:, 2:] - boxes[:, :2]
    for a in range(len(boxes)):
        for b in range(a + 1, len(boxes)):
            step = np.abs(centre[a] - centre[b])
            typical = (size[a] + size[b]) / 2
            if step[0] < 1.35 * typical[0] and step[1] < 0.35 * typical[1]:
                group[root(a)] = root(b)
    lines: dict[int, list[int]] = defaultdict(list)
    for k in range(len(boxes)):
        lines[root(k)].append(k)
    return [line for line in lines.values() if len(line) > 1]


@dataclass(frozen=True, slots=True)
class Counts:
    """What one picture contributes; all ratios are sums of these."""

    tiles: int
    found: int
    located: int
    right: int
    exact: int
    lines: int
    exact_lines: int


def count(row: Row) -> Counts:
    """Counts of one picture."""
    matched = match(row)
    good = {t for t, f in matched.pairs if row["truth"][t][0] == row["found"][f][0]}
    lines = lines_of(row)
    exact = len(good) == len(row["truth"]) and not matched.extra
    return Counts(
        len(row["truth"]),
        len(row["found"]),
        len(matched.pairs),
        len(good),
        int(exact),
        len(lines),
        sum(all(t in good for t in line) for line in lines),
    )


def _ratio(top: float, bottom: float) -> float:
    return top / bottom if bottom else float("nan")


#: Figure -> columns of the counts: of what, and what share of it.
_TILES, _FOUND, _LOCATED, _RIGHT, _EXACT, _LINES, _EXACT_LINES, _PICTURES = range(8)
RATIOS: dict[str, tuple[int, int]] = {
    "precision": (_FOUND, _LOCATED),
    "recall": (_TILES, _LOCATED),
    "class_accuracy": (_LOCATED, _RIGHT),
    "tiles_right": (_TILES, _RIGHT),
    "exact_pictures": (_PICTURES, _EXACT),
    "exact_rows": (_LINES, _EXACT_LINES),
}


def unsure(value: float, low: float, high: float, count: float) -> tuple[float, float]:
    """The interval of a share, never certain: all of `count` right (or none) may be 3 / `count` off, which is the rule
    of three; a bootstrap alone would claim certainty there."""
    if not low == high == value or not count:
        return low, high
    rare = min(1.0, 3 / count)
    return (1 - rare, 1.0) if value == 1 else (0.0, rare) if value == 0 else (low, high)


def summary(rows: Sequence[Row], draws: int = 1000, seed: int = 0) -> dict[str, Any]:
    """All figures of a set of pictures; ratios as ``[value, low, high]``, a 95 % bootstrap interval over pictures, or
    the rule of three where nothing went wrong."""
    if not rows:
        return {"pictures": 0}
    table = np.array([_as_list(count(row)) for row in rows], np.float64)
    rng = np.random.default_rng(seed)
    picks = rng.integers(0, len(rows), (draws, len(rows)))
    sums = table[picks].sum(axis=1)
    out: dict[str, Any] = {"pictures": len(rows), "tiles": int(table[:, 0].sum())}
    total = table.sum(0)
    for name, (of, share) in RATIOS.items():
        spread = np.array([_ratio(s[share], s[of]) for s in sums])
        low, high = np.nanpercentile(spread, [2.5, 97.5]) if np.isfinite(spread).any() else (np.nan, np.nan)
        value = _ratio(total[share], total[of])
        out[name] = [_round(value), *map(_round, unsure(value, low, high, total[of]))]
    out["map50"], out["map50_95"] = (_round(value) for value in mean_ap(rows))
    out["ece"] = _round(calibration_error(rows))
    return out


def _as_list(c: Counts) -> list[int]:
    return [c.tiles, c.found, c.located, c.right, c.exact, c.lines, c.exact_lines, 1]


def _round(value: float) -> float | None:
    return round(float(value), 4) if np.isfinite(value) else None


def mean_ap(rows: Sequence[Row]) -> tuple[float, float]:
    """mAP at IoU 0.5, and averaged over 0.50:0.95, over the classes that occur (101-point interpolation)."""
    truth_count = Counter(entry[0] for row in rows for entry in row["truth"])
    scores: dict[str, list[tuple[float, NDArray[np.bool_]]]] = defaultdict(list)
    for row in rows:
        _score_picture(row, scores)
    per_class = [_average_precision(scores.get(code, []), total) for code, total in truth_count.items()]
    if not per_class:
        return float("nan"), float("nan")
    table = np.array(per_class)
    return float(table[:, 0].mean()), float(table.mean())


def _score_picture(row: Row, scores: dict[str, list[tuple[float, NDArray[np.bool_]]]]) -> None:
    for code in {entry[0] for entry in row["found"]}:
        found = sorted((e for e in row["found"] if e[0] == code), key=lambda e: -e[1])
        truth = [e for e in row["truth"] if e[0] == code]
        iou = iou_matrix(_boxes(found, 2), _boxes(truth, 1))
        taken = np.zeros((len(THRESHOLDS), len(truth)), bool)
        for f, entry in enumerate(found):
            hit = np.zeros(len(THRESHOLDS), bool)
            for level, least in enumerate(THRESHOLDS):
                free = np.where(taken[level], -1.0, iou[f]) if truth else np.array([-1.0])
                best = int(free.argmax())
                if free[best] >= least:
                    taken[level, best] = True
                    hit[level] = True
            scores[code].append((float(entry[1]), hit))


def _average_precision(found: list[tuple[float, NDArray[np.bool_]]], total: int) -> NDArray[np.float64]:
    if not found:
        return np.zeros(len(THRESHOLDS))
    order = np.argsort([-score for score, _ in found], kind="stable")
    hits = np.array([found[k][1] for k in order])
    right = np.cumsum(hits, axis=0)
    recall = right / total
    precision = right / np.arange(1, len(hits) + 1)[:, None]
    precision = np.maximum.accumulate(precision[::-1], axis=0)[::-1]
    grid = np.linspace(0, 1, 101)
    out = np.zeros(len(THRESHOLDS))
    for level in range(len(THRESHOLDS)):
        at = np.searchsorted(recall[:, level], grid, side="left")
        out[level] = np.mean(np.where(at < len(hits), precision[np.minimum(at, len(hits) - 1), level], 0.0))
    return out


def reliability(rows: Sequence[Row], bins: int = 10) -> list[tuple[float, float, int]]:
    """(mean confidence, share right, count) per bin of confidence; right means located and named right."""
    pairs: list[tuple[float, bool]] = []
    for row in rows:
        good = {f for t, f in match(row).pairs if row["truth"][t][0] == row["found"][f][0]}
        pairs += [(float(entry[1]), f in good) for f, entry in enumerate(row["found"])]
    out = []
    for k in range(bins):
        inside = [(c, g) for c, g in pairs if k / bins <= c < (k + 1) / bins or (k == bins - 1 and c == 1)]
        if inside:
            out.append((float(np.mean([c for c, _ in inside])), float(np.mean([g for _, g in inside])), len(inside)))
    return out


def calibration_error(rows: Sequence[Row]) -> float:
    """Expected calibration error of the confidences, ten bins."""
    table = reliability(rows)
    total = sum(n for _, _, n in table)
    return sum(abs(c - g) * n for c, g, n in table) / total if total else float("nan")


def confusions(rows: Sequence[Row]) -> list[tuple[str, str, int]]:
    """(true code, read as, count), most frequent first; ``-`` for a tile missed or a finding with no tile."""
    seen: Counter[tuple[str, str]] = Counter()
    for row in rows:
        matched = match(row)
        for t, f in matched.pairs:
            if row["truth"][t][0] != row["found"][f][0]:
                seen[row["truth"][t][0], row["found"][f][0]] += 1
        seen.update((row["truth"][t][0], "-") for t in matched.missed)
        seen.update(("-", row["found"][f][0]) for f in matched.extra)
    return [(a, b, n) for (a, b), n in seen.most_common()]
