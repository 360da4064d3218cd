"""Samples kept during play to learn from: what is kept, when, how much, and looking through it."""

from taicam.capture.library import Library
from taicam.capture.settings import CaptureSettings
from taicam.capture.shelf import Row
from taicam.capture.store import CaptureStatus, CaptureStore, Offer
from taicam.capture.verdict import Circumstances, TileChange, Verdict, verdict_from_hand

__all__ = [
    "CaptureSettings",
    "CaptureStatus",
    "CaptureStore",
    "Circumstances",
    "Library",
    "Offer",
    "Row",
    "TileChange",
    "Verdict",
    "verdict_from_hand",
]
