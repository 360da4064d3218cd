"""The real pictures a network may learn from: labelled photos, captured ones, and what is kept out of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vision.training.photos import Photo, PhotoDataError, load_photos

if TYPE_CHECKING:
    from vision.training.render import Sources

#: How often a photo of each scene is drawn, against its share in the data: the odd ones more.
SCENE_WEIGHT = {"G": 1.0, "O": 2.0, "T": 1.2, "leo": 1.5, "gray": 1.5, "cam": 1.5}
OWN_WEIGHT = 3.0  # of the owner's own pictures: they show the very tiles, table and lamp that are to be read
CROPS_SCENE = "cam"  # the scene whose sheets the collection of crops was cut from


@dataclass(frozen=True, slots=True)
class Material:
    """What to learn from.

    Args:
        data: folder with ``real/`` and, where there are any, ``crops/`` and ``art/``.
        captured: a YOLO data set of the owner's own pictures; its ``train`` split joins the photos.
        leave_out: scenes whose photos are kept out, so that the result can be measured on them.
        splits: of ``real/``; ``test`` is refused.
    """

    data: Path
    captured: Path | None = None
    leave_out: tuple[str, ...] = ()
    splits: tuple[str, ...] = ("train",)

    def photos(self) -> list[Photo]:
        """The labelled photos.

        Raises:
            PhotoDataError: a data set is malformed, the test split is asked for, a scene left out is not there, or
                nothing is left.
        """
        if "test" in self.splits:
            raise PhotoDataError("the test split never goes into training: leave it out")
        photos = [photo for split in self.splits for photo in load_photos(self.data / "real", split)]
        known = {photo.scene for photo in photos}
        strange = sorted(set(self.leave_out) - known)
        if strange:
            raise PhotoDataError(f"no photo of scene {', '.join(strange)} to leave out: there are {sorted(known)}")
        kept = [photo for photo in photos if photo.scene not in self.leave_out]
        if self.captured is not None:
            own = load_photos(self.captured, "train")
            if not any(len(photo.boxes) for photo in own):
                raise PhotoDataError(
                    f"{self.captured} has no labelled picture in images/train: confirm or correct some, then export "
                    "them with 'taicam dataset export CAPTURES OUT --to yolo'"
                )
            kept += own
        if not kept:
            raise PhotoDataError("every photo is left out: keep at least one scene")
        return kept

    def weight(self, photo: Photo) -> float:
        """How often a photo is drawn, against its share."""
        if self.captured is not None and photo.path.is_relative_to(self.captured):
            return OWN_WEIGHT
        return SCENE_WEIGHT.get(photo.scene, 1.0)

    @property
    def crops(self) -> Path | None:
        """The folder of tile faces; None where there is none, or where it shows the tiles of a scene left out."""
        folder = self.data / "crops"
        return folder if folder.is_dir() and CROPS_SCENE not in self.leave_out else None

    @property
    def art(self) -> Path | None:
        """The folder of drawn sets, or None."""
        folder = self.data / "art"
        return folder if folder.is_dir() else None

    def sources(self) -> Sources:
        """What the renderer may paint faces from. Needs the ``render`` extra."""
        from vision.training.render import Sources  # noqa: PLC0415

        return Sources(crops=self.crops, art=self.art, wide=True)

    def files(self) -> list[Path]:
        """Every file that training may read, in a fixed order."""
        found: list[Path] = []
        for root in (self.data / "real", self.captured):
            if root is not None:
                found.append(root / "data.yaml")
        for photo in self.photos():
            label = photo.path.parents[2] / "labels" / photo.path.parent.name / f"{photo.path.stem}.txt"
            found += [photo.path, *([label] if label.is_file() else [])]
        for folder, pattern in ((self.crops, "*/*.jpg"), (self.art, "*/png/*.png")):
            found += sorted(folder.glob(pattern)) if folder is not None else []
        return found
