"""The networks of this machine: which versions there are, which one is in use, and whether a new one may take over.

`<data>/models/<kind>/<version>/` holds a network with its card; `<data>/models/current.json` says which version of each
kind is in use and which were before. The networks that come with taicam are the version `shipped`, always there. A new
one takes over only when it is not worse on a fixed set of pictures beyond what chance explains; the switch is one
renamed file, and a running appliance takes it up between two hands.
"""

from __future__ import annotations

import datetime
import fcntl
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from taicam.errors import JobError, UsageError, nearest
from taicam.files import mark_of
from taicam.logs import get_logger
from taicam.models_compare import Comparison, GateRow, compare
from vision.weights import WeightsError, model_card, model_path, sha256_of

log = get_logger(__name__)

KINDS = ("tiles", "rereader")
SHIPPED = "shipped"
T = TypeVar("T")
FOLDER = "models"
_CURRENT = "current.json"
_HISTORY = 20

#: Reads the gate pictures with these networks (kind -> file) and gives one row a picture.
Gate = Callable[[Mapping[str, Path]], Sequence[GateRow]]


class PromotionRefusedError(JobError):
    """The new network is worse; `comparison` has the figures."""

    def __init__(self, comparison: Comparison, version: str) -> None:
        super().__init__(
            f"version {version} is worse than the one in use: {comparison.summary()}",
            "train it further or with more captured samples; --force promotes it all the same",
        )
        self.comparison = comparison


@dataclass(frozen=True, slots=True)
class ModelVersion:
    """One network. `card` is what its training wrote beside it."""

    kind: str
    version: str
    path: Path
    sha256: str
    in_use: bool = False
    card: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Version and beginning of the checksum: what results say of the network they come from."""
        return f"{self.version} {self.sha256[:12]}"

    def to_json(self) -> dict[str, Any]:
        """JSON form, without the card's long parts."""
        short = {key: self.card[key] for key in ("training", "metrics", "bytes") if key in self.card}
        return {
            "kind": self.kind,
            "version": self.version,
            "path": str(self.path),
            "sha256": self.sha256,
            "in_use": self.in_use,
            **short,
        }


class ModelRegistry:
    """The networks under `data_dir`."""

    def __init__(self, data_dir: Path) -> None:
        self.folder = data_dir / FOLDER

    # -- looking -----------------------------------------------------------------------------------------------------

    def versions(self, kind: str | None = None) -> list[ModelVersion]:
        """Every version, shipped first, then in order of arrival. Raises UsageError for an unknown kind."""
        kinds = KINDS if kind is None else (_check_kind(kind),)
        found = []
        for name in kinds:
            current = self.current(name).version
            for version in (SHIPPED, *self._stored(name)):
                try:
                    found.append(self._version(name, version, in_use=version == current))
                except JobError as error:
                    log.warning("a network is not usable", kind=name, version=version, reason=error.message)
        return found

    def current(self, kind: str) -> ModelVersion:
        """The version in use: the chosen one; when it is gone or damaged the one before it, at last the shipped one.

        Raises JobError when not even that is there.
        """
        history = self._state().get(_check_kind(kind), {}).get("history", [])
        for version in (self.chosen(kind), *reversed(history)):
            if version == SHIPPED:
                break
            try:
                return self._version(kind, version, in_use=True)
            except JobError as error:
                log.warning("a network is not usable: the one before it is taken", kind=kind, reason=error.message)
        return self._version(kind, SHIPPED, in_use=True)

    def chosen(self, kind: str) -> str:
        """The version that was put in use, whether or not it can be used. Raises UsageError for an unknown kind."""
        return str(self._state().get(_check_kind(kind), {}).get("version") or SHIPPED)

    def in_use(self) -> dict[str, ModelVersion]:
        """Kind -> the version in use. Raises as `current` does."""
        return {kind: self.current(kind) for kind in KINDS}

    def version(self, kind: str, version: str) -> ModelVersion:
        """A version by its name, as listed. Raises UsageError for an unknown kind, JobError when it is not there."""
        return self._version(_check_kind(kind), version)

    def paths(self, **instead: Path) -> dict[str, Path]:
        """Kind -> file of the networks in use, some replaced: what a gate is called with."""
        return {kind: instead.get(kind) or self.current(kind).path for kind in KINDS}

    def _stored(self, kind: str) -> list[str]:
        place = self.folder / kind
        return sorted(path.name for path in place.iterdir() if path.is_dir()) if place.is_dir() else []

    def _version(self, kind: str, version: str, *, in_use: bool = False) -> ModelVersion:
        try:
            if version == SHIPPED:
                path = model_path(kind)
            else:
                path = self.folder / kind / version / f"{kind}.onnx"
                if not path.is_file():
                    raise WeightsError(f"there is no version {version!r} of {kind}")
            card = model_card(path)
            digest = sha256_of(path)
        except WeightsError as error:
            raise JobError(str(error), "list them with: taicam models list") from None
        if card.get("sha256") not in (None, digest):
            raise JobError(f"{path} does not match its checksum", "add it again, or delete the folder")
        return ModelVersion(kind, version, path, digest, in_use, card)

    # -- changing ----------------------------------------------------------------------------------------------------

    def add(self, kind: str, path: Path, card: Mapping[str, Any] | None = None) -> ModelVersion:
        """Copy a network in as the next version, not in use yet; a file that is there already is not copied again.

        `card` defaults to the JSON beside the file. Raises UsageError (not a file, unknown kind), OSError.
        """
        _check_kind(kind)
        if not path.is_file() or path.suffix != ".onnx":
            raise UsageError(f"{path} is not an ONNX file", "export one with: taicam train")
        digest = sha256_of(path)
        with self._locked():
            for version in self._stored(kind):
                known = self._version(kind, version)
                if known.sha256 == digest:
                    return known
            number = max((int(v) for v in self._stored(kind) if re.fullmatch(r"\d+", v)), default=0) + 1
            place = self.folder / kind / f"{number:04d}"
            partial = place.with_name(f".{place.name}.part")
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir(parents=True)
            try:
                shutil.copyfile(path, partial / f"{kind}.onnx")
                facts = {**(model_card(path) if card is None else card), "sha256": digest, "added": _now()}
                (partial / f"{kind}.json").write_text(json.dumps(facts, ensure_ascii=False, indent=1), encoding="utf-8")
                partial.replace(place)
            except OSError:
                shutil.rmtree(partial, ignore_errors=True)
                raise
        return self._version(kind, place.name)

    def compare(self, kind: str, version: str, gate: Gate, *, than: str | None = None) -> Comparison:
        """A version against another (`than`, the one in use by default), the other kind as it is in use.

        Raises JobError when one is not there or the gate shows too few pictures, UsageError for an unknown kind.
        """
        candidate = self._version(_check_kind(kind), version)
        other = self.current(kind) if than is None else self._version(kind, than)
        return compare(gate(self.paths(**{kind: other.path})), gate(self.paths(**{kind: candidate.path})))

    def promote(self, kind: str, version: str, gate: Gate, *, force: bool = False) -> Comparison:
        """Put a version in use if it is not worse on the gate pictures than the one in use.

        Raises PromotionRefusedError (with the figures) when it is worse beyond noise, JobError when it is not there or
        the gate shows too few pictures, UsageError for an unknown kind.
        """
        comparison = self.compare(kind, version, gate)
        if comparison.worse and not force:
            raise PromotionRefusedError(comparison, version)
        self._switch(kind, version)
        return comparison

    def rollback(self, kind: str) -> ModelVersion:
        """Put the version that was in use before this one back. Raises JobError when there was none."""
        with self._locked():
            state = self._state()
            entry = state.get(_check_kind(kind), {})
            history = list(entry.get("history", []))
            if not history:
                raise JobError(f"no other version of {kind} was in use before", "choose one: taicam models list")
            version = history.pop()
            self._version(kind, version)
            state[kind] = {"version": version, "history": history, "since": _now()}
            self._write(state)
        return self.current(kind)

    def _switch(self, kind: str, version: str) -> None:
        with self._locked():
            state = self._state()
            entry = state.get(kind, {})
            before = entry.get("version", SHIPPED)
            if before == version:
                return
            history = [*entry.get("history", []), before][-_HISTORY:]
            state[kind] = {"version": version, "history": history, "since": _now()}
            self._write(state)

    def _state(self) -> dict[str, Any]:
        try:
            state = json.loads((self.folder / _CURRENT).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            log.warning("which networks are in use cannot be read: the shipped ones are", reason=str(error))
            return {}
        if not isinstance(state, dict):
            return {}
        return {kind: entry for kind, entry in state.items() if isinstance(entry, dict)}

    def _write(self, state: Mapping[str, Any]) -> None:
        partial = self.folder / f".{_CURRENT}.part"
        with partial.open("w", encoding="utf-8") as file:
            json.dump(state, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(self.folder / _CURRENT)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """One writer at a time, also across processes. Raises OSError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / ".lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def mark(self) -> tuple[int, int]:
        """A value that changes when another version is put in use; cheap enough to ask for between any two hands."""
        return mark_of(self.folder / _CURRENT)


def _check_kind(kind: str) -> str:
    if kind not in KINDS:
        raise UsageError(f"there is no kind of network {kind!r}", nearest(kind, KINDS))
    return kind


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Reloading(Generic[T]):
    """Something built from the networks in use, built anew when they change; the old one stays when that fails.

    `build` gets kind -> version in use; `also` is a mark of whatever else it is built from. `value` never changes by
    itself: call `between_hands` where a change does no harm.
    """

    def __init__(
        self,
        registry: ModelRegistry,
        build: Callable[[Mapping[str, ModelVersion]], T],
        also: Callable[[], object] = lambda: None,
    ) -> None:
        self._registry = registry
        self._build = build
        self._also = also
        self._mark: tuple[object, object] = (registry.mark(), also())
        self.value: T = build(registry.in_use())
        self.problem = ""

    def between_hands(self) -> bool:
        """Take up a change of networks, if there is one; whether there was."""
        mark = (self._registry.mark(), self._also())
        if mark == self._mark:
            return False
        self._mark = mark
        try:
            self.value = self._build(self._registry.in_use())
        except (ValueError, JobError, OSError) as error:
            self.problem = f"the new network cannot be used, the old one stays: {error}"
            log.error("a new network cannot be used", reason=str(error))
            return False
        self.problem = ""
        return True
