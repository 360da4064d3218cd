"""Where tiles lie: their poses, all computed at once."""

import numpy as np
import pytest
from numpy.random import default_rng

from vision.training.render.arrange import ARRANGEMENTS
from vision.training.render.placing import DOWN, STAND, UP, Placed, poses
from vision.training.render.styles import Body, random_body
from vision.training.render.tabletop import random_table

BODY = Body(26.0, 35.0, 19.0, 1.6, 0.4, (0, 0, 0), (0, 0, 0), 0.0, 0.9)


def _pose(lie: str, **how: float) -> tuple[np.ndarray, np.ndarray]:
    rotations, centres = poses([Placed("1m", 3.0, 4.0, 5.0, lie=lie, **how)], BODY)
    return rotations[0], centres[0]


@pytest.mark.parametrize(
    ("lie", "how", "columns", "height"),
    [
        (UP, {}, ((1, 0, 0), (0, 1, 0), (0, 0, 1)), 9.5),
        (UP, {"angle": 90}, ((0, 1, 0), (-1, 0, 0), (0, 0, 1)), 9.5),
        (DOWN, {}, ((-1, 0, 0), (0, 1, 0), (0, 0, -1)), 9.5),
        (STAND, {}, ((1, 0, 0), (0, 0, 1), (0, -1, 0)), 17.5),  # faces its seat, at -y
        (STAND, {"angle": 90}, ((0, 1, 0), (0, 0, 1), (1, 0, 0)), 17.5),  # faces seat 1, at +x
        (STAND, {"tilt": 30}, ((1, 0, 0), (0, 0, 1), (0, -1, 0)), 17.5),  # what stands does not tilt
    ],
)
def test_axes_and_height(lie: str, how: dict[str, float], columns: tuple[tuple[int, ...], ...], height: float) -> None:
    rotation, centre = _pose(lie, **how)
    assert np.allclose(rotation.T, columns)
    assert centre == pytest.approx([3.0, 4.0, 5.0 + height])


def test_a_leaning_tile_looks_up_and_sinks() -> None:
    rotation, centre = _pose(STAND, lean=30.0)
    assert rotation[:, 2] == pytest.approx([0, -np.cos(np.radians(30)), 0.5])
    assert centre[2] == pytest.approx(5 + 17.5 * np.cos(np.radians(30)) + 9.5 * 0.5)


def test_every_tile_rests_on_what_it_lies_on_and_is_no_mirror_image() -> None:
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    for name, arrange in ARRANGEMENTS.items():
        rng = default_rng(8)
        body = random_body(rng)
        placed = arrange(body, rng).placed
        rotations, centres = poses(placed, body)
        assert np.linalg.det(rotations) == pytest.approx(np.ones(len(placed))), name
        corners = signs * np.array([body.width, body.height, body.depth]) / 2 @ rotations.transpose(0, 2, 1)
        lowest = (corners + centres[:, None])[..., 2].min(1)
        assert lowest == pytest.approx(np.array([tile.z for tile in placed]), abs=1e-6), name


def test_no_tiles_have_no_poses() -> None:
    rotations, centres = poses([], BODY)
    assert rotations.shape == (0, 3, 3)
    assert centres.shape == (0, 3)


@pytest.mark.parametrize("seed", [12375, 55867])
def test_a_table_on_which_nearly_every_tile_lies_in_hands_can_be_drawn(seed: int) -> None:
    """Many kongs leave no four of a kind for another, or too few tiles for all discards of a late hand."""
    table = random_table(default_rng(seed), win=True)
    assert sum(seat.open for seat in table.seats) == 1
    assert all(seat.melds or len(seat.hand) >= 16 for seat in table.seats)
