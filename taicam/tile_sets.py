"""The enrolled tile sets of this machine, and which of them the reader uses."""

from __future__ import annotations

import json
from pathlib import Path

from taicam.errors import UsageError
from taicam.files import write_json
from taicam.logs import get_logger
from vision.enroll import EnrolError
from vision.enroll_store import ProfileInfo, ProfileStore

log = get_logger(__name__)
FOLDER = "tile-sets"
FILE = "tile-set.json"
AUTO, NONE = "auto", "none"


class TileSets:
    """The sets under `data_dir`; `configured` is the choice of the settings, used until another is made here."""

    def __init__(self, data_dir: Path, configured: str = AUTO) -> None:
        self.store = ProfileStore(data_dir / FOLDER)
        self._file = data_dir / FILE
        self._configured = configured

    @property
    def choice(self) -> str:
        """The name of a set, `auto` (recognised from the tiles in view) or `none`."""
        try:
            chosen = str(json.loads(self._file.read_text(encoding="utf-8"))["tile_set"])
        except FileNotFoundError:
            return self._configured
        except (OSError, ValueError, KeyError, TypeError) as error:
            log.warning("the choice of a tile set cannot be read: the settings' one is used", reason=repr(error))
            return self._configured
        if chosen in {AUTO, NONE} or chosen in self.store.names():
            return chosen
        return self._configured  # the set chosen was deleted meanwhile

    def choose(self, choice: str) -> None:
        """Use this set from the next hand on. Raises UsageError for one that is not stored."""
        if choice not in {AUTO, NONE} and choice not in self.store.names():
            known = ", ".join([AUTO, NONE, *self.store.names()])
            raise UsageError(f"there is no tile set {choice!r}", f"choose one of {known}")
        write_json(self._file, {"tile_set": choice})

    def infos(self) -> tuple[list[ProfileInfo], list[str]]:
        """Every set that can be read, and what is wrong with the others."""
        infos, problems = [], []
        for name in self.store.names():
            try:
                infos.append(self.store.info(name))
            except EnrolError as error:
                problems.append(str(error))
        return infos, problems

    def mark(self) -> object:
        """Changes whenever another set, or another version of one, is to be used."""
        return self.choice, tuple((name, self.store.versions(name)[-1:]) for name in self.store.names())
