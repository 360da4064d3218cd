"""The reader in use: the networks chosen in the registry, the enrolled tile sets, the rules of the house.

Networks and tile sets may be changed while the appliance runs; the change is taken up between two hands.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from scoring import load_ruleset
from taicam.config import Settings
from taicam.errors import JobError, UsageError
from taicam.logs import get_logger
from taicam.models_gate import networks_of
from taicam.models_registry import ModelRegistry, Reloading
from taicam.tile_sets import TileSets
from vision.decode_reading import ReadingRules
from vision.enroll import EnrolError
from vision.enroll_reader import enrolled_detector
from vision.reader import HandReader
from vision.weights import WeightsError

log = get_logger(__name__)


class ReaderKeeper:
    """Builds the reader, and builds it anew when its networks change."""

    def __init__(self, settings: Settings) -> None:
        self._rules = ReadingRules.of(load_ruleset(settings.ruleset, settings.options))
        self._sets = TileSets(settings.data_dir, settings.reading.tile_set)
        self._registry = ModelRegistry(settings.data_dir)
        self.model: dict[str, str] = {}  # kind -> version and sha256 of the networks in use
        try:
            self._networks = Reloading(self._registry, self._build, self._sets.mark)
        except WeightsError as error:
            raise JobError(str(error)) from None
        except EnrolError as error:
            raise UsageError(str(error), 'see `taicam enroll`, or set reading.tile_set = "auto"') from None

    @property
    def reader(self) -> HandReader:
        """The reader in use."""
        return self._networks.value

    @property
    def tile_set(self) -> str | None:
        """The enrolled tile set the last picture was read with; None when none fits."""
        return self.reader.tile_set

    @property
    def problem(self) -> str:
        """Why a new network could not be taken up; empty when all is well."""
        return self._networks.problem

    def between_hands(self) -> bool:
        """Take up changed networks, if there are any; True when `reader` is another one now."""
        return self._networks.between_hands()

    def _build(self, paths: Mapping[str, Path]) -> HandReader:
        plain, embedder = networks_of(paths)
        detector, problems = enrolled_detector(plain, self._sets.store, self._sets.choice, embedder)
        for problem in problems:
            log.warning("a tile set cannot be used", reason=problem)
        in_use = [self._registry.current(kind) for kind in paths]
        self.model = {one.kind: f"{one.version} {one.sha256[:12]}" for one in in_use}
        return HandReader(detector, self._rules)
