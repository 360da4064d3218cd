"""The reader in use: the networks chosen in the registry, the enrolled tile sets, the rules of the house.

Networks and tile sets may be changed while the appliance runs; the change is taken up between two hands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scoring import load_ruleset
from taicam.config import Settings
from taicam.errors import JobError, UsageError
from taicam.logs import get_logger
from taicam.models_gate import networks_of
from taicam.models_registry import ModelRegistry, ModelVersion, Reloading
from taicam.tile_sets import TileSets
from vision.decode_reading import ReadingRules
from vision.detector import Detector
from vision.enroll import EnrolError
from vision.enroll_reader import RereaderEmbedder, enrolled_detector
from vision.reader import HandReader
from vision.weights import WeightsError

log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Networks:
    """The networks in use: the detector with its re-reader, that re-reader as what tile sets are learnt with, and
    kind -> version and sha256."""

    detector: Detector
    embedder: RereaderEmbedder
    model: Mapping[str, str]

    def __str__(self) -> str:
        return "; ".join(f"{kind} {version}" for kind, version in self.model.items())


def networks_in_use(registry: ModelRegistry) -> Networks:
    """The networks chosen in the registry, each opened once.

    Raises JobError when one is not even there as shipped, WeightsError when one is no such network.
    """
    return _opened(registry.in_use())


def _opened(used: Mapping[str, ModelVersion]) -> Networks:
    detector, embedder = networks_of({kind: one.path for kind, one in used.items()})
    return Networks(detector, embedder, {kind: one.label for kind, one in used.items()})


class ReaderKeeper:
    """Builds the reader, and builds it anew when its networks change."""

    def __init__(self, settings: Settings) -> None:
        self._rules = ReadingRules.of(load_ruleset(settings.ruleset, settings.options))
        self._sets = TileSets(settings.data_dir, settings.reading.tile_set)
        self.model: Mapping[str, str] = {}  # kind -> version and sha256 of the networks in use
        try:
            self._networks = Reloading(ModelRegistry(settings.data_dir), self._build, self._sets.mark)
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

    def _build(self, used: Mapping[str, ModelVersion]) -> HandReader:
        networks = _opened(used)
        sets = self._sets
        detector, problems = enrolled_detector(networks.detector, sets.store, sets.choice, networks.embedder)
        for problem in problems:
            log.warning("a tile set cannot be used", reason=problem)
        self.model = networks.model
        return HandReader(detector, self._rules)
