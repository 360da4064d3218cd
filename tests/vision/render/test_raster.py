"""Blurs: about as wide as they say, nothing moved, nothing lost."""

import numpy as np
import pytest

from vision.training.render.raster import soften


@pytest.mark.parametrize("sigma", [0.7, 1.2, 1.6, 2.0, 3.0, 4.3])
def test_a_point_is_spread_round_its_place(sigma: float) -> None:
    point = np.zeros((61, 61), np.float32)
    point[30, 30] = 1000.0
    soft = soften(point, sigma)
    assert soft.sum() == pytest.approx(1000, rel=1e-3)
    place = np.arange(61)
    across = soft.sum(0) / soft.sum()
    assert (across * place).sum() == pytest.approx(30, abs=1e-3)
    assert np.sqrt((across * (place - 30) ** 2).sum()) == pytest.approx(sigma, rel=0.13)
    assert np.allclose(soft, soft.T, atol=1e-3)


def test_an_even_mask_stays_as_it_is() -> None:
    assert (soften(np.full((40, 30), 255, np.uint8), 5.0) == 255).all()
