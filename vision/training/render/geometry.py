"""Where things are: boxes in table coordinates and a pinhole camera.

World: millimetres, the table's surface is z = 0, x to the right and y away from seat 0, z up.
A box's own axes: x right, y towards the top of its face, z out of its face; its origin is its middle.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]  # float64

#: Corner signs of a box, in its own axes.
CORNERS: Array = np.array([(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)], np.float64)


def turn_z(degrees: float) -> Array:
    """Rotation about the vertical, counter-clockwise seen from above."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


@dataclass(frozen=True, slots=True)
class Camera:
    """A pinhole camera. ``rotation`` rows are its right, down and forward axes; ``focal`` is in pixels."""

    position: Array
    rotation: Array
    focal: float
    size: tuple[int, int]  #: width, height in pixels
    centre: tuple[float, float]  #: principal point

    def project(self, points: Array) -> tuple[Array, Array]:
        """World points (..., 3) to pixels (..., 2) and depths (...,). Depths under 1 mm are clamped."""
        seen = (points - self.position) @ self.rotation.T
        depth = np.maximum(seen[..., 2], 1.0)
        pixels = seen[..., :2] / depth[..., None] * self.focal + np.array(self.centre)
        return pixels, seen[..., 2]


def look_at(
    target: Array, azimuth: float, elevation: float, distance: float, roll: float, focal: float, size: tuple[int, int]
) -> Camera:
    """A camera ``distance`` mm from ``target``: ``azimuth`` 0 is seat 0's side (-y), ``elevation`` 90 is overhead."""
    a, e = math.radians(azimuth), math.radians(min(elevation, 89.9))
    away = np.array([math.sin(a) * math.cos(e), -math.cos(a) * math.cos(e), math.sin(e)])
    position = target + away * distance
    forward = -away
    right = np.array([math.cos(a), math.sin(a), 0.0])
    down = np.array([forward[1] * right[2] - forward[2] * right[1], forward[2] * right[0] - forward[0] * right[2],
                     forward[0] * right[1] - forward[1] * right[0]])  # fmt: skip
    r = math.radians(roll)
    right, down = math.cos(r) * right + math.sin(r) * down, -math.sin(r) * right + math.cos(r) * down
    return Camera(position, np.stack([right, down, forward]), focal, size, (size[0] / 2, size[1] / 2))


def fit(
    points: Array, azimuth: float, elevation: float, roll: float, focal: float, size: tuple[int, int], fill: float
) -> Camera:
    """The camera from this direction that shows all ``points`` in the middle, filling ``fill`` of the picture."""
    target = (points.min(0) + points.max(0)) / 2
    extent = float(np.linalg.norm(points.max(0) - points.min(0))) or 100.0
    distance = extent * focal / (min(size) * fill)
    for _ in range(6):
        camera = look_at(target, azimuth, elevation, distance, roll, focal, size)
        pixels, depth = camera.project(points)
        low, high = pixels.min(0), pixels.max(0)
        offset = (low + high) / 2 - np.array(camera.centre)
        mean = float(depth.mean())
        target = target + (camera.rotation[0] * offset[0] + camera.rotation[1] * offset[1]) * mean / focal
        share = float(((high - low) / (np.array(size) * fill)).max())
        distance = max(distance * share, extent * 0.35, 90.0)
    return look_at(target, azimuth, elevation, distance, roll, focal, size)


def paint_order(rotations: Array, centres: Array, halves: Array, eye: Array, boxes: Array) -> list[int]:
    """Painter's order (first = farthest) of solids that do not cut into each other.

    ``boxes`` (n, 4) are their outlines' bounds in the picture: only pairs that overlap there matter. For such a pair, a
    face plane with one solid on each side tells which may hide the other: the one on the eye's side. Circles (leaning
    tiles) are broken at the farthest solid.
    """
    n = len(centres)
    apart = (boxes[:, None, 2] < boxes[None, :, 0]) | (boxes[:, None, 3] < boxes[None, :, 1])
    first, second = np.nonzero(np.triu(~(apart | apart.T), 1))
    behind: list[set[int]] = [set() for _ in range(n)]  # behind[i]: to be drawn before i
    distance = np.linalg.norm(centres - eye, axis=1)
    if len(first):
        corners = np.einsum("nij,ncj->nci", rotations, CORNERS[None] * halves[:, None]) + centres[:, None]
        one, other = _sides(rotations, centres, halves, corners, eye, first, second)
        other_b, one_b = _sides(rotations, centres, halves, corners, eye, second, first)
        one, other = one | one_b, other | other_b
        unclear = ~(one | other)
        one = np.where(unclear, distance[first] < distance[second], one)
        other = np.where(unclear, ~one, other)
        for i, j, over, under in zip(first.tolist(), second.tolist(), one.tolist(), other.tolist(), strict=True):
            if over and not under:
                behind[i].add(j)
            elif under and not over:
                behind[j].add(i)
    return _topological(behind, distance)


def _sides(
    rotations: Array,
    centres: Array,
    halves: Array,
    corners: Array,
    eye: Array,
    first: npt.NDArray[np.intp],
    second: npt.NDArray[np.intp],
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """By the face planes of ``first``: does a parting plane have the eye on the first's side; on the second's?"""
    local = np.einsum("pkc,pcd->pkd", corners[second] - centres[first][:, None], rotations[first])
    seen_from = np.einsum("pc,pcd->pd", eye - centres[first], rotations[first])
    half, slack = halves[first], 0.6
    beyond = local.min(1) >= half - slack
    below = local.max(1) <= -half + slack
    eye_beyond, eye_below = seen_from > half, seen_from < -half
    own = ((beyond & ~eye_beyond) | (below & ~eye_below)).any(1)
    others = ((beyond & eye_beyond) | (below & eye_below)).any(1)
    return own, others


def _topological(behind: list[set[int]], distance: Array) -> list[int]:
    ahead: list[list[int]] = [[] for _ in behind]
    waiting = [len(b) for b in behind]
    for i, before in enumerate(behind):
        for j in before:
            ahead[j].append(i)
    ready = [(-distance[i], i) for i, w in enumerate(waiting) if not w]
    heapq.heapify(ready)
    left = set(range(len(behind)))
    order: list[int] = []
    while left:
        if ready:
            _, i = heapq.heappop(ready)
            if i not in left:
                continue
        else:
            i = max(left, key=lambda k: float(distance[k]))
        left.discard(i)
        order.append(i)
        for j in ahead[i]:
            waiting[j] -= 1
            if waiting[j] == 0 and j in left:
                heapq.heappush(ready, (-distance[j], j))
    return order
