"""Scores become probabilities: the fitted curve must follow what really happened."""

from __future__ import annotations

import numpy as np
import pytest

from vision.training.honest import fit_curve


def test_curve_of_an_honest_score_is_nearly_the_identity() -> None:
    rng = np.random.default_rng(1)
    scores = rng.uniform(0.05, 0.95, 6000)
    slope, shift = fit_curve(scores, rng.random(6000) < scores)
    assert slope == pytest.approx(1, abs=0.1)
    assert shift == pytest.approx(0, abs=0.1)


def test_curve_lifts_a_score_that_is_too_modest() -> None:
    rng = np.random.default_rng(2)
    scores = rng.uniform(0.3, 0.9, 4000)
    slope, shift = fit_curve(scores, rng.random(4000) < 0.5 + scores / 2)
    lifted = 1 / (1 + np.exp(-(slope * np.log(0.6 / 0.4) + shift)))
    assert lifted == pytest.approx(0.8, abs=0.04)


def test_nothing_to_fit_is_said() -> None:
    with pytest.raises(ValueError, match="too few of either kind"):
        fit_curve(np.full(30, 0.7), np.ones(30, bool))
    with pytest.raises(ValueError, match="3 findings"):
        fit_curve(np.full(3, 0.7), np.array([True, False, True]))
