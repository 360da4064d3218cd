"""Labelled pictures: the sample with its sidecar, the formats it travels in, and what is wrong with a set of them."""

from vision.dataset.classes import UNKNOWN_CLASS, canonical_code, class_order
from vision.dataset.issues import DatasetError, Issue, Issues
from vision.dataset.sample import Correction, LabelledBox, Sample, SidecarError, read_sidecar, write_sidecar

__all__ = [
    "UNKNOWN_CLASS",
    "Correction",
    "DatasetError",
    "Issue",
    "Issues",
    "LabelledBox",
    "Sample",
    "SidecarError",
    "canonical_code",
    "class_order",
    "read_sidecar",
    "write_sidecar",
]
