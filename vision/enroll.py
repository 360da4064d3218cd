"""Learning one tile set from a few crops of each face: a small correction on top of the re-reader's own odds.

A profile is one linear layer over the re-reader's features that is added to the (logarithms of the) odds a tile has
already. It is a ridge regression, on the enrolment crops and distortions of them, of what those odds are off by; how
far it may go is found by naming each photo's tiles with what the other photos taught. So a set that is read well stays
as it is, and where no strength helps the profile has none. Beside it stand the mean features of the faces, by which a
set is recognised.

Tried and left: naming by distance to the mean features, in the plain and in a whitened metric, and by gradient
histograms of the crops (with a weak re-reader these gain most; with a good one they lose more tiles than they mend);
softmax regression instead of the ridge (no better, a hundred times slower).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from vision.enroll_crops import variants

Crops = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]

#: Distorted copies of each crop that are learnt from.
VARIANTS = 6
#: Pulls the layer towards zero, in mean squares of the features; chosen on rendered sets, as are the strengths.
DECAYS = (0.3, 1.0)
STRENGTHS = (0.0, 2.0, 4.0, 8.0)
_DEFAULT_DECAY, _DEFAULT_STRENGTH = 0.3, 4.0
#: Photos (or groups of crops) the choice is made on, at most.
_FOLDS = 5
#: Held-back crops that make a choice worth more than the default.
_ENOUGH = 20
_BIAS = 0.3
_TINY = 1e-6
_SHRINK = 0.5


class EnrolError(ValueError):
    """Enrolment cannot go on; the message says what is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class Features:
    """Of N crops: `odds` NxC over the embedder's names (rows sum to one), `embedding` NxE."""

    odds: Floats
    embedding: Floats


class Embedder(Protocol):
    """What turns upright crops into features; the re-reader by `vision.enroll_reader.RereaderEmbedder`."""

    @property
    def names(self) -> tuple[str, ...]:
        """Tile codes in the order of the odds."""
        ...

    @property
    def fingerprint(self) -> str:
        """Changes when the features do: a profile serves only the network it was learnt with."""
        ...

    def describe(self, crops: Crops) -> Features:
        """Features of Nx64x48x3 uint8 BGR crops, upright."""
        ...


@dataclass(frozen=True, slots=True)
class Shot:
    """One upright crop (64x48x3 uint8 BGR) of a face, and the photo it is from."""

    crop: Crops
    code: str
    photo: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """A learnt tile set.

    `names` are all C codes, `codes` the K enrolled ones. `layer` is (E+1)xC, added to logarithms of odds after the
    features have lost `centre` (E); `strength` scales it. `means` KxE are the faces' mean features times `metric`
    (ExE); `reach` is the squared distance within which 95 in 100 crops of the set lie from their own mean. `counts`
    are crops a face.
    """

    name: str
    names: tuple[str, ...]
    codes: tuple[str, ...]
    layer: Floats
    centre: Floats
    strength: float
    means: Floats
    metric: Floats
    reach: float
    fingerprint: str
    counts: dict[str, int] = field(default_factory=dict)
    version: int = 0
    created: str = ""

    def judge(self, features: Features) -> Floats:
        """Odds NxC with the set's own appearance taken into account; rows sum to one."""
        if not len(features.odds) or not self.strength:
            return features.odds
        log = np.log(np.maximum(features.odds, _TINY))
        return softmax(log + self.strength * (_inputs(features.embedding, self.centre) @ self.layer))

    def strangeness(self, embedding: Floats) -> float:
        """How far tiles (NxE) lie from this set, in usual distances: below 1 for its own, well above for others."""
        if not len(embedding):
            return float("inf")
        nearest = _squared(embedding @ self.metric, self.means).min(axis=1)
        return float(np.median(nearest) / max(self.reach, _TINY))


def softmax(scores: npt.NDArray[np.floating]) -> Floats:
    """Odds from logarithms, over the last axis."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True), dtype=np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Described:
    """Features of N shots and their V forms, the undistorted first: odds NxVxC, embedding NxVxE."""

    codes: tuple[str, ...]
    photos: tuple[str, ...]
    odds: Floats
    embedding: Floats

    def subset(self, keep: Sequence[int]) -> Described:
        """Some of the shots."""
        index = list(keep)
        codes, photos = tuple(self.codes[i] for i in index), tuple(self.photos[i] for i in index)
        return Described(codes, photos, self.odds[index], self.embedding[index])

    @property
    def plain(self) -> Features:
        """Of the undistorted crops."""
        return Features(self.odds[:, 0], self.embedding[:, 0])


def describe_shots(
    shots: Sequence[Shot],
    embedder: Embedder,
    *,
    copies: int = VARIANTS,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Described:
    """The features of crops and of `copies` distortions each; `progress` is told the share done, 0 to 1.

    Raises:
        EnrolError: fewer than two faces, or a face the embedder does not know.
    """
    unknown = sorted({shot.code for shot in shots} - set(embedder.names))
    if unknown:
        raise EnrolError(f"{', '.join(unknown)}: no tile the network knows; valid are {' '.join(embedder.names)}")
    if len({shot.code for shot in shots}) < 2:
        raise EnrolError("at least two different faces are needed to tell tiles apart: add photos of more tiles")
    rng = np.random.default_rng(seed)
    odds, embedding = [], []
    for number, shot in enumerate(shots):
        features = embedder.describe(np.concatenate([shot.crop[None], variants(shot.crop, copies, rng)]))
        odds.append(features.odds)
        embedding.append(features.embedding)
        if progress is not None:
            progress((number + 1) / len(shots))
    codes, photos = tuple(s.code for s in shots), tuple(s.photo for s in shots)
    return Described(codes, photos, np.stack(odds), np.stack(embedding))


def learn(
    shots: Sequence[Shot],
    embedder: Embedder,
    name: str,
    *,
    copies: int = VARIANTS,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Profile:
    """Learn a set from crops of its faces; a few of each, one is enough; a face left out keeps the odds it has.

    A few seconds for 126 crops on two cores. Raises EnrolError as `describe_shots` does.
    """
    described = describe_shots(shots, embedder, copies=copies, seed=seed, progress=progress)
    return learn_described(described, embedder, name)


def learn_described(described: Described, embedder: Embedder, name: str) -> Profile:
    """As `learn`, from features that are there already."""
    names = tuple(embedder.names)
    decay, strength = choose(described, names)
    layer, centre = fit(described, names, decay)
    codes = tuple(sorted(set(described.codes), key=names.index))
    label = np.array([codes.index(code) for code in described.codes])
    metric = _metric(described.embedding, label)
    spread = described.embedding @ metric
    means = np.stack([spread[label == k].reshape(-1, spread.shape[-1]).mean(axis=0) for k in range(len(codes))])
    counts = np.bincount(label, minlength=len(codes))
    return Profile(
        name=name,
        names=names,
        codes=codes,
        layer=layer,
        centre=centre,
        strength=strength,
        means=means.astype(np.float32),
        metric=metric,
        reach=_reach(spread, label, means),
        fingerprint=embedder.fingerprint,
        counts={code: int(counts[k]) for k, code in enumerate(codes)},
    )


def _inputs(embedding: npt.NDArray[np.floating], centre: Floats) -> npt.NDArray[np.floating]:
    moved = embedding - centre
    return np.concatenate([moved, np.full((len(moved), 1), _BIAS, moved.dtype)], axis=1)


def fit(described: Described, names: Sequence[str], decay: float) -> tuple[Floats, Floats]:
    """The layer (E+1)xC and the centre E: what the odds are off by, regressed on the features, faces weighing alike."""
    copies = described.embedding.shape[1]
    flat = described.embedding.reshape(-1, described.embedding.shape[-1]).astype(np.float64)
    centre = flat.mean(axis=0)
    inputs = _inputs(flat, centre)
    label = np.repeat([list(names).index(code) for code in described.codes], copies)
    off = -described.odds.reshape(len(flat), -1).astype(np.float64)
    off[np.arange(len(label)), label] += 1
    share = 1.0 / np.bincount(label, minlength=len(names))[label]
    weighted = inputs * (share / share.sum())[:, None]
    squares = inputs.T @ weighted
    size = len(squares)
    layer = np.linalg.solve(squares + (decay * np.trace(squares) / size + 1e-9) * np.eye(size), weighted.T @ off)
    return np.asarray(layer, np.float32), np.asarray(centre, np.float32)


def folds_of(described: Described) -> list[list[int]]:
    """Shots held back together: those of one photo; single crops in turn where there is one photo only."""
    photos = sorted(set(described.photos))
    if len(photos) < 2:
        return [list(range(start, len(described.codes), _FOLDS)) for start in range(_FOLDS)]
    groups: list[list[int]] = [[] for _ in range(min(_FOLDS, len(photos)))]
    for index, photo in enumerate(described.photos):
        groups[photos.index(photo) % len(groups)].append(index)
    return groups


def choose(described: Described, names: Sequence[str]) -> tuple[float, float]:
    """Decay and strength under which held-back photos are named best; no strength unless it names them better."""
    best_loss, decay, strength, tried = np.inf, _DEFAULT_DECAY, _DEFAULT_STRENGTH, 0
    groups = folds_of(described)
    for candidate in DECAYS:
        losses = np.zeros(len(STRENGTHS))
        tried = 0
        for group in groups:
            rest = [i for i in range(len(described.codes)) if i not in set(group)]
            taught = {described.codes[i] for i in rest}
            asked = [i for i in group if described.codes[i] in taught]
            if not asked or len(taught) < 2:
                continue
            layer, centre = fit(described.subset(rest), names, candidate)
            losses += _losses(described.subset(asked), names, layer, centre)
            tried += len(asked)
        for loss, value in zip(losses, STRENGTHS, strict=True):
            if loss < best_loss:
                best_loss, decay, strength = float(loss), candidate, value
    return (decay, strength) if tried >= _ENOUGH else (_DEFAULT_DECAY, _DEFAULT_STRENGTH)


def _losses(held: Described, names: Sequence[str], layer: Floats, centre: Floats) -> npt.NDArray[np.float64]:
    """For each strength: the summed logarithmic loss of the undistorted crops, plus one for each wrongly named."""
    label = np.array([list(names).index(code) for code in held.codes])
    log = np.log(np.maximum(held.plain.odds, _TINY))
    change = _inputs(held.plain.embedding, centre) @ layer
    result = []
    for strength in STRENGTHS:
        odds = softmax(log + strength * change)
        own = odds[np.arange(len(label)), label]
        result.append(float(-np.log(np.maximum(own, _TINY)).sum() + (odds.argmax(axis=1) != label).sum()))
    return np.array(result)


def _metric(embedding: Floats, label: npt.NDArray[np.int64]) -> Floats:
    """The matrix that makes the scatter of one face's crops round and of size one in every direction."""
    flat = embedding.reshape(-1, embedding.shape[-1]).astype(np.float64)
    owner = np.repeat(label, embedding.shape[1])
    means = np.stack([flat[owner == k].mean(axis=0) for k in range(int(label.max()) + 1)])
    rest = flat - means[owner]
    scatter = rest.T @ rest / max(len(rest) - len(means), 1)
    size = scatter.shape[0]
    scatter = (1 - _SHRINK) * scatter + (_SHRINK * np.trace(scatter) / size + 1e-9) * np.eye(size)
    return np.asarray(np.linalg.cholesky(np.linalg.inv(scatter)), dtype=np.float32)


def _squared(points: npt.NDArray[np.floating], means: npt.NDArray[np.floating]) -> Floats:
    result = (points**2).sum(axis=-1)[..., None] - 2 * (points @ means.T) + (means**2).sum(axis=-1)
    return np.asarray(np.maximum(result, 0), dtype=np.float32)


def _reach(spread: Floats, label: npt.NDArray[np.int64], means: npt.NDArray[np.floating]) -> float:
    own = ((spread - means[label][:, None]) ** 2).sum(axis=-1)
    return float(np.quantile(own, 0.95))
