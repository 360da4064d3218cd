"""Learning one tile set from a few crops of each face: a small correction on top of the re-reader's own odds.

A profile corrects the odds that a tile has already, in two steps. One linear layer over the re-reader's features is
added to their logarithms: a ridge regression, on the enrolment crops and distortions of them, of what the odds are off
by. Then the odds of the enrolled faces, among each other, are weighed with how near the tile's features lie to the
mean of each face. How far either may go is found by naming each photo's tiles with what the other photos taught: a set
that is read well stays as it is, and where nothing helps the profile does nothing. By the means a set is recognised,
too.

On ten rendered sets that the networks had not seen (78 % of tiles named rightly, at most three crops a face): the layer
alone 82 %, the means alone 81 %, both 84 %. Tried and left: the means without the odds that stand already (63 %), means
of gradient histograms instead of features (no gain), softmax regression instead of the ridge (no better, a hundred
times slower).
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
#: Pulls the layer towards zero, in mean squares of the features; chosen on rendered sets, as are the choices below.
DECAY = 0.3
#: Weight of the layer and of the means, from nothing to much. Few choices, hand in hand: each is judged on few crops.
CHOICES = ((0.0, 0.0), (4.0, 1.0), (8.0, 2.0), (8.0, 4.0))
_DEFAULT = (4.0, 1.0)
#: Photos (or groups of crops) the choice is made on, at most.
_FOLDS = 5
#: Held-back crops that make a choice worth more than the default.
_ENOUGH = 20
#: So many reaches from the nearest face a tile begins to keep the odds it had.
FAR = 2.0
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
    (ExE); `closeness` is the weight of distances to them; `reach` is the squared distance within which 95 in 100 crops
    of the set lie from their own mean. `counts` are crops a face.
    """

    name: str
    names: tuple[str, ...]
    codes: tuple[str, ...]
    layer: Floats
    centre: Floats
    strength: float
    means: Floats
    metric: Floats
    closeness: float
    reach: float
    fingerprint: str
    counts: dict[str, int] = field(default_factory=dict)
    version: int = 0
    created: str = ""

    def judge(self, features: Features) -> Floats:
        """Odds NxC with the set's own appearance taken into account; rows sum to one."""
        if not len(features.odds) or not (self.strength or self.closeness):
            return features.odds
        log = np.log(np.maximum(features.odds, _TINY))
        change = _inputs(features.embedding, self.centre) @ self.layer
        distance = _squared(features.embedding @ self.metric, self.means)
        columns = [self.names.index(code) for code in self.codes]
        learnt = _corrected(log, change, distance, columns, self.strength, self.closeness)
        # What lies far from every face (blurred, washed out) was not learnt of, and would become one of them as surely
        # as can be: it keeps the odds it had in the measure it is far.
        near = np.minimum(1.0, FAR * self.reach / np.maximum(distance.min(axis=1, keepdims=True), _TINY))
        return np.asarray(near * learnt + (1.0 - near) * features.odds, dtype=np.float32)

    @property
    def changes_nothing(self) -> bool:
        """Whether the set is read well as it is, so that the profile leaves all odds alone."""
        return not (self.strength or self.closeness)

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
    strength, closeness = choose(described, names)
    taught = teach(described, names)
    counts = np.bincount(taught.label, minlength=len(taught.codes))
    own = ((described.embedding @ taught.metric - taught.means[taught.label][:, None]) ** 2).sum(axis=-1)
    return Profile(
        name=name,
        names=names,
        codes=taught.codes,
        layer=taught.layer,
        centre=taught.centre,
        strength=strength,
        means=taught.means,
        metric=taught.metric,
        closeness=closeness,
        reach=float(np.quantile(own, 0.95)),
        fingerprint=embedder.fingerprint,
        counts={code: int(counts[k]) for k, code in enumerate(taught.codes)},
    )


@dataclass(frozen=True, slots=True, eq=False)
class Taught:
    """What shots teach, before it is known how far to trust it. `label` gives each shot's place in `codes`."""

    codes: tuple[str, ...]
    label: npt.NDArray[np.int64]
    layer: Floats
    centre: Floats
    means: Floats
    metric: Floats


def teach(described: Described, names: Sequence[str]) -> Taught:
    """Layer, means and metric from shots."""
    codes = tuple(sorted(set(described.codes), key=list(names).index))
    label = np.array([codes.index(code) for code in described.codes])
    layer, centre = fit(described, names)
    metric = _metric(described.embedding, label)
    spread = described.embedding @ metric
    means = np.stack([spread[label == k].reshape(-1, spread.shape[-1]).mean(axis=0) for k in range(len(codes))])
    return Taught(codes, label, layer, centre, means.astype(np.float32), metric)


def _corrected(
    log: npt.NDArray[np.floating],
    change: npt.NDArray[np.floating],
    distance: npt.NDArray[np.floating],
    columns: Sequence[int],
    strength: float,
    closeness: float,
) -> Floats:
    """Odds NxC from their logarithms NxC, the layer's change NxC and the squared distances NxK to enrolled faces."""
    odds = softmax(log + strength * change)
    if not closeness:
        return odds
    index = list(columns)
    near = closeness * distance
    among = softmax(np.log(np.maximum(odds[:, index], 1e-12)) - near)
    result = odds.copy()
    result[:, index] = among * odds[:, index].sum(axis=1, keepdims=True)
    return np.asarray(result / result.sum(axis=1, keepdims=True), dtype=np.float32)


def _inputs(embedding: npt.NDArray[np.floating], centre: Floats) -> npt.NDArray[np.floating]:
    moved = embedding - centre
    return np.concatenate([moved, np.full((len(moved), 1), _BIAS, moved.dtype)], axis=1)


def fit(described: Described, names: Sequence[str]) -> tuple[Floats, Floats]:
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
    layer = np.linalg.solve(squares + (DECAY * np.trace(squares) / size + 1e-9) * np.eye(size), weighted.T @ off)
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
    """Strength and closeness under which held-back photos are named best; nothing, unless it mends some crop.

    Distorted crops count, too: the owner photographs a set laid out in good light, play shows it askew and in shadow,
    and a set that is read well only at its best would seem to need no help. The default where too little can be held
    back.
    """
    everything = range(len(described.codes))
    losses = np.zeros((len(CHOICES), 2))
    tried = 0
    for group in folds_of(described):
        held = set(group)
        rest = [i for i in everything if i not in held]
        known = {described.codes[i] for i in rest}
        asked = [i for i in group if described.codes[i] in known]
        if asked and len(known) > 1:
            losses += _losses(described.subset(asked), names, teach(described.subset(rest), names))
            tried += len(asked)
    if tried < _ENOUGH:
        return _DEFAULT
    best = int(losses.sum(axis=1).argmin())
    return CHOICES[best if losses[best, 1] < losses[0, 1] else 0]


def _losses(held: Described, names: Sequence[str], taught: Taught) -> npt.NDArray[np.float64]:
    """For each choice: the summed logarithmic loss of the crops in all their forms, and how many are wrongly named."""
    count, forms = held.odds.shape[:2]
    label = np.repeat([list(names).index(code) for code in held.codes], forms)
    embedding = held.embedding.reshape(count * forms, -1)
    log = np.log(np.maximum(held.odds.reshape(count * forms, -1), _TINY))
    change = _inputs(embedding, taught.centre) @ taught.layer
    distance = _squared(embedding @ taught.metric, taught.means)
    columns = [list(names).index(code) for code in taught.codes]
    result = np.zeros((len(CHOICES), 2))
    for place, (strength, closeness) in enumerate(CHOICES):
        odds = _corrected(log, change, distance, columns, strength, closeness)
        own = odds[np.arange(len(label)), label]
        result[place] = -np.log(np.maximum(own, _TINY)).sum(), (odds.argmax(axis=1) != label).sum()
    return result


def _metric(embedding: Floats, label: npt.NDArray[np.int64]) -> Floats:
    """The matrix that makes the scatter of one face's crops round and of size one in all directions together."""
    flat = embedding.reshape(-1, embedding.shape[-1]).astype(np.float64)
    owner = np.repeat(label, embedding.shape[1])
    means = np.stack([flat[owner == k].mean(axis=0) for k in range(int(label.max()) + 1)])
    rest = flat - means[owner]
    scatter = rest.T @ rest / max(len(rest) - len(means), 1)
    size = scatter.shape[0]
    scatter = (1 - _SHRINK) * scatter + (_SHRINK * np.trace(scatter) / size + 1e-9) * np.eye(size)
    return np.asarray(np.linalg.cholesky(np.linalg.inv(scatter)) / np.sqrt(size), dtype=np.float32)


def _squared(points: npt.NDArray[np.floating], means: npt.NDArray[np.floating]) -> Floats:
    result = (points**2).sum(axis=-1)[..., None] - 2 * (points @ means.T) + (means**2).sum(axis=-1)
    return np.asarray(np.maximum(result, 0), dtype=np.float32)
