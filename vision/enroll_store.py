"""Profiles of tile sets on disk: named, versioned, checksummed; and which of them the tiles in view belong to.

`<folder>/<name>/v0001.npz` holds the numbers and the crops they were learnt from, `v0001.json` what they mean, their
sha256 and the report of the enrolment. The highest version is the one in use; older ones stay for going back. When the
network changes, a set is learnt anew from its crops.
"""

from __future__ import annotations

import datetime
import io
import json
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from vision.enroll import Embedder, EnrolError, Floats, Profile, Shot, describe_shots, learn_described
from vision.enroll_report import report as measure

FORMAT = 1
_ARRAYS = ("layer", "centre", "means", "metric")
_NAME = re.compile(r"^\w[\w \-]{0,59}$")
#: A set is recognised when its tiles lie within this many usual distances and no other set comes this close to it.
_NEAR = 3.0
_CLEAR = 1.25
_LEAST_TILES = 5


@dataclass(frozen=True, slots=True)
class ProfileInfo:
    """A stored profile without its numbers."""

    name: str
    version: int
    created: str
    faces: int
    crops: int
    fingerprint: str
    report: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "name": self.name,
            "version": self.version,
            "created": self.created,
            "faces": self.faces,
            "crops": self.crops,
            "fingerprint": self.fingerprint,
            "report": dict(self.report),
        }


def check_name(name: str) -> str:
    """The name, trimmed. Raises EnrolError when it could not be a folder's."""
    trimmed = name.strip()
    if not _NAME.match(trimmed):
        raise EnrolError(f"{name!r} cannot name a tile set: use up to 60 letters, digits, spaces and hyphens")
    return trimmed


class ProfileStore:
    """The profiles in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(self, profile: Profile, report: Mapping[str, Any] | None = None, shots: Sequence[Shot] = ()) -> Profile:
        """Store as the next version of its name, with the `shots` it was learnt from; the profile as stored.

        Raises EnrolError or OSError.
        """
        name = check_name(profile.name)
        place = self.folder / name
        place.mkdir(parents=True, exist_ok=True)
        version = max(self.versions(name), default=0) + 1
        created = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        stored = replace(profile, name=name, version=version, created=created)
        numbers = io.BytesIO()
        arrays = {key: np.asarray(getattr(stored, key), np.float32) for key in _ARRAYS}
        crops = np.stack([shot.crop for shot in shots]) if shots else np.zeros((0, 1, 1, 3), np.uint8)
        np.savez_compressed(numbers, crops=crops, **arrays)  # type: ignore[arg-type]
        data = numbers.getvalue()
        record = {
            "format": FORMAT,
            "name": name,
            "version": version,
            "created": created,
            "names": list(stored.names),
            "codes": list(stored.codes),
            "strength": stored.strength,
            "closeness": stored.closeness,
            "reach": stored.reach,
            "fingerprint": stored.fingerprint,
            "counts": stored.counts,
            "shots": [[shot.code, shot.photo] for shot in shots],
            "sha256": sha256(data).hexdigest(),
            "report": dict(report or {}),
        }
        # The JSON comes last: a version without one does not count.
        _replace(place / f"v{version:04d}.npz", data)
        _replace(place / f"v{version:04d}.json", (json.dumps(record, ensure_ascii=False, indent=1) + "\n").encode())
        return stored

    def names(self) -> list[str]:
        """Every stored set."""
        if not self.folder.is_dir():
            return []
        return sorted(path.name for path in self.folder.iterdir() if path.is_dir() and self.versions(path.name))

    def versions(self, name: str) -> list[int]:
        """The versions of a set, oldest first."""
        found = (re.fullmatch(r"v(\d{4,})", path.stem) for path in (self.folder / name).glob("v*.json"))
        return sorted(int(match[1]) for match in found if match)

    def info(self, name: str, version: int | None = None) -> ProfileInfo:
        """What is known of a stored set. Raises EnrolError when it is not there or damaged."""
        record = self._record(name, version)
        return ProfileInfo(
            name=record["name"],
            version=record["version"],
            created=record["created"],
            faces=len(record["codes"]),
            crops=sum(record["counts"].values()),
            fingerprint=record["fingerprint"],
            report=record["report"],
        )

    def load(self, name: str, version: int | None = None, fingerprint: str | None = None) -> Profile:
        """A stored set, the newest version by default, checked against its checksum.

        Raises EnrolError: not there, damaged, or learnt with another network than `fingerprint`.
        """
        record = self._record(name, version)
        if fingerprint is not None and record["fingerprint"] != fingerprint:
            raise EnrolError(
                f"the set {name!r} was learnt with another network ({record['fingerprint']}, now {fingerprint}): "
                "enrol it again from its photos"
            )
        numbers = self._numbers(record)
        return Profile(
            name=record["name"],
            names=tuple(record["names"]),
            codes=tuple(record["codes"]),
            strength=float(record["strength"]),
            closeness=float(record["closeness"]),
            reach=float(record["reach"]),
            fingerprint=record["fingerprint"],
            counts=dict(record["counts"]),
            version=record["version"],
            created=record["created"],
            **{key: numbers[key] for key in _ARRAYS},
        )

    def shots(self, name: str, version: int | None = None) -> list[Shot]:
        """The crops a set was learnt from. Raises EnrolError."""
        record = self._record(name, version)
        crops = self._numbers(record)["crops"]
        return [Shot(crop, code, photo) for crop, (code, photo) in zip(crops, record.get("shots", ()), strict=False)]

    def _numbers(self, record: Mapping[str, Any]) -> dict[str, Any]:
        path = self.folder / record["name"] / f"v{record['version']:04d}.npz"
        try:
            data = path.read_bytes()
        except OSError as error:
            raise EnrolError(f"{path} cannot be read ({error.strerror}): enrol the set again") from None
        if sha256(data).hexdigest() != record["sha256"]:
            raise EnrolError(f"{path} is damaged (wrong checksum): delete this version, or enrol the set again")
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return {key: arrays[key] for key in (*_ARRAYS, "crops")}

    def for_network(self, name: str, embedder: Embedder) -> Profile:
        """The newest version of a set for this network: learnt anew from its crops, and stored, when it is of another.

        Takes a few seconds then. Raises EnrolError.
        """
        info = self.info(name)
        if info.fingerprint == embedder.fingerprint:
            return self.load(name)
        shots = self.shots(name)
        if not shots:
            return self.load(name, fingerprint=embedder.fingerprint)
        described = describe_shots(shots, embedder)
        profile = learn_described(described, embedder, name)
        return self.save(profile, measure(described, embedder).to_json(), shots)

    def all_for_network(self, embedder: Embedder) -> tuple[list[Profile], list[str]]:
        """Every set that can be used with this network (learnt anew where need be), and why the others cannot."""
        profiles, problems = [], []
        for name in self.names():
            try:
                profiles.append(self.for_network(name, embedder))
            except EnrolError as error:
                problems.append(str(error))
        return profiles, problems

    def delete(self, name: str, version: int | None = None) -> None:
        """Delete a version, or the whole set. Raises EnrolError when it is not there."""
        record = self._record(name, version)
        place = self.folder / record["name"]
        if version is None:
            shutil.rmtree(place)
            return
        for suffix in (".json", ".npz"):
            (place / f"v{version:04d}{suffix}").unlink(missing_ok=True)
        if not self.versions(name):
            shutil.rmtree(place)

    def _record(self, name: str, version: int | None) -> dict[str, Any]:
        versions = self.versions(check_name(name))
        if not versions or (version is not None and version not in versions):
            known = ", ".join(self.names()) or "none yet"
            what = f"tile set {name!r}" if not versions else f"version {version} of {name!r}"
            raise EnrolError(f"there is no {what}; stored are: {known}")
        path = self.folder / check_name(name) / f"v{version or versions[-1]:04d}.json"
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            if record["format"] > FORMAT:
                raise EnrolError(f"{path} is of a newer taicam: update this one")
            for key in ("name", "version", "created", "codes", "names", "counts", "sha256", "fingerprint", "report"):
                record[key]
        except (OSError, ValueError, KeyError, TypeError) as error:
            if isinstance(error, EnrolError):
                raise
            raise EnrolError(f"{path} is damaged ({error!r}): delete this version, or enrol the set again") from None
        return dict(record)


def _replace(path: Path, data: bytes) -> None:
    partial = path.with_name(f".{path.name}.part")
    try:
        partial.write_bytes(data)
        partial.replace(path)
    except OSError:
        partial.unlink(missing_ok=True)
        raise


def recognise(profiles: Sequence[Profile], embedding: Floats) -> Profile | None:
    """The set that the tiles in view (NxE) belong to, or None when none fits, two fit alike, or too few are seen."""
    if len(embedding) < _LEAST_TILES:
        return None
    ranked = sorted(((profile.strangeness(embedding), profile) for profile in profiles), key=lambda pair: pair[0])
    if not ranked or ranked[0][0] > _NEAR:
        return None
    if len(ranked) > 1 and ranked[1][0] < ranked[0][0] * _CLEAR:
        return None
    return ranked[0][1]


class Recogniser:
    """Recognises the set in use over many views: a set once recognised stays until another is seen clearly."""

    def __init__(self, profiles: Sequence[Profile]) -> None:
        self.profiles = list(profiles)
        self.current: Profile | None = None

    def __call__(self, embedding: Floats) -> Profile | None:
        """The set for these tiles (NxE)."""
        found = recognise(self.profiles, embedding)
        if found is not None:
            self.current = found
        elif self.current is not None and self.current.strangeness(embedding) > 2 * _NEAR:
            self.current = None
        return self.current
