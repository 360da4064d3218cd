"""One enrolment under way, as the wizard needs it: photos come in, tiles are proposed, corrected, counted, learnt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from scoring.tiles import FLOWERS, KINDS
from vision.enroll import Embedder, EnrolError, Profile, Shot, describe_shots, learn_described
from vision.enroll_crops import tile_crops
from vision.enroll_report import EnrolReport, report
from vision.observation import TileObservation

Image = npt.NDArray[np.uint8]
#: The faces a whole set has; backs are not enrolled.
FACES: tuple[str, ...] = (*KINDS, *FLOWERS)
#: Crops of a face that are used, the first ones; more cost time and teach little.
_MOST = 4


@dataclass(slots=True)
class Photo:
    """A photo with its tiles; `codes` are the names as proposed and corrected, None where a box is no tile."""

    name: str
    image: Image
    tiles: tuple[TileObservation, ...]
    codes: list[str | None] = field(default_factory=list)
    turned: set[int] = field(default_factory=set)


class Enrolment:
    """Collects photos of one tile set and learns from them.

    Args:
        detect: finds and names the tiles of a picture.
        embedder: the network to learn with.
        wanted: the faces the set has; leave the flowers out for a set without.
    """

    def __init__(
        self,
        detect: Callable[[Image], Sequence[TileObservation]],
        embedder: Embedder,
        wanted: Sequence[str] = FACES,
    ) -> None:
        self._detect = detect
        self._embedder = embedder
        self.wanted = tuple(wanted)
        self.photos: list[Photo] = []

    def add(self, name: str, image_bgr: Image, tiles: Sequence[TileObservation] | None = None) -> Photo:
        """Take a photo (HxWx3); its tiles are found unless given. Raises EnrolError when there are none."""
        found = tuple(tiles) if tiles is not None else tuple(self._detect(image_bgr))
        found = tuple(tile for tile in found if tile.code != "back")
        if not found:
            raise EnrolError(f"no tiles were found in {name}: lay them face up, nearer, in even light, and try again")
        unique = name
        while any(photo.name == unique for photo in self.photos):
            unique += "'"
        photo = Photo(unique, image_bgr, found, [tile.code for tile in found])
        self.photos.append(photo)
        return photo

    def correct(self, photo: int, tile: int, code: str | None) -> None:
        """Tile `tile` of photo `photo` is `code`; None: it is no tile, leave it out. Raises EnrolError."""
        if code is not None and code not in self._embedder.names:
            raise EnrolError(f"{code!r} is no tile: valid are {' '.join(self._embedder.names)}")
        self._photo(photo, tile).codes[tile] = code

    def turn(self, photo: int, tile: int) -> None:
        """The tile stands upside down in its crop: turn it round."""
        self._photo(photo, tile).turned.symmetric_difference_update({tile})

    def remove(self, photo: int) -> None:
        """Leave a photo out again. Raises EnrolError when there is none of that number."""
        self._photo(photo)
        del self.photos[photo]

    def _photo(self, number: int, tile: int = 0) -> Photo:
        if not 0 <= number < len(self.photos):
            raise EnrolError(f"there is no photo {number}: there are {len(self.photos)}")
        if not 0 <= tile < len(self.photos[number].codes):
            raise EnrolError(f"photo {number} has no tile {tile}: it has {len(self.photos[number].codes)}")
        return self.photos[number]

    def counts(self) -> Counter[str]:
        """Crops of each face so far."""
        return Counter(code for photo in self.photos for code in photo.codes if code is not None)

    def missing(self, least: int = 1) -> tuple[str, ...]:
        """The wanted faces with fewer than `least` crops."""
        counts = self.counts()
        return tuple(code for code in self.wanted if counts[code] < least)

    def shots(self) -> list[Shot]:
        """The crops to learn from, spread over the photos."""
        taken: Counter[str] = Counter()
        shots = []
        for photo in self.photos:
            for index, (tile, code) in enumerate(zip(photo.tiles, photo.codes, strict=True)):
                if code is None or taken[code] >= _MOST * max(1, len(self.photos) // 2):
                    continue
                crop = tile_crops(photo.image, tile)[0]
                taken[code] += 1
                shots.append(Shot(crop[::-1, ::-1] if index in photo.turned else crop, code, photo.name))
        return shots

    def finish(self, name: str, progress: Callable[[float], None] | None = None) -> tuple[Profile, EnrolReport]:
        """Learn the set, and measure on held-back photos what that is worth. Raises EnrolError."""
        described = describe_shots(self.shots(), self._embedder, progress=progress)
        profile = learn_described(described, self._embedder, name)
        return profile, report(described, self._embedder, self.wanted)

    def to_json(self) -> dict[str, Any]:
        """For a page: the photos with their boxes and names, the counts, what is missing."""
        photos = [
            {
                "name": photo.name,
                "size": [photo.image.shape[1], photo.image.shape[0]],
                "tiles": [
                    {**tile.to_json(), "read": tile.code, "code": code, "turned": index in photo.turned}
                    for index, (tile, code) in enumerate(zip(photo.tiles, photo.codes, strict=True))
                ],
            }
            for photo in self.photos
        ]
        return {"photos": photos, "counts": dict(self.counts()), "missing": list(self.missing())}
