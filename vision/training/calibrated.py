"""Networks exported with odds that mean what they say: the file is written, measured, and told what was found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.detector import Detector
from vision.rereader import Rereader
from vision.training.export import export_detector, write_card
from vision.training.export_reread import RAW, calibrate, export_rereader
from vision.training.honest import collect, fit_curve

SCENES = 40  # rendered ones, never trained on, for the detector
LOW = 0.05  # tile score down to which the curve is fitted


def detector(checkpoint: Path, out: Path) -> tuple[dict[str, Any], str]:
    """Export a detector, its tile scores turned into probabilities.

    Returns:
        The card, and in words what the odds rest on.
    """
    card = export_detector(checkpoint, out)
    try:
        slope, shift = fit_curve(*collect(Detector(out, confidence=LOW, rereader=False), SCENES))
    except ValueError as error:
        return card, f"the scores are raw, no probabilities ({error}): train on"
    curve = {"tile_slope": slope, "tile_shift": shift}
    return write_card(out, card, curve), f"odds fitted on {SCENES} rendered scenes"


def rereader(checkpoint: Path, out: Path, data: Path, crops: NDArray[np.uint8]) -> tuple[dict[str, Any], str]:
    """Export a re-reader in 8 bit, fitted to ``crops`` (of ``training_crops``), with temperatures fitted on ``data``'s
    validation photos and on rendered scenes.

    Where there are none, or too few, those of the network in use are taken over: usually it is the one trained on from.

    Returns:
        The card, and in words what the odds rest on.
    """
    real = data / "real"
    card = export_rereader(checkpoint, out, crops=crops)
    try:
        facts, how = (
            calibrate(Detector(rereader=False), Rereader(out), real),
            "odds fitted on photos and rendered scenes",
        )
    except ValueError as error:
        used = Rereader()
        facts = {key: float(getattr(used, key)) for key in RAW}
        how = f"odds as those of the network in use ({error})"
    return write_card(out, card, facts), how
