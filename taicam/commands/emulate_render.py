"""Pictures for the emulated machine's camera: the hand just won, laid out and drawn by the project's own renderer."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.random import default_rng

from device.machine.emulator.game import PlayedHand
from device.machine.events import NOBODY
from vision.drawings import PRESETS
from vision.training.render.arrange import Arrangement
from vision.training.render.deals import Laid, sort_key
from vision.training.render.geometry import fit
from vision.training.render.grounds import Ground, ramp_of
from vision.training.render.light import LIGHTS
from vision.training.render.placing import HandPlan, Neatness, lay_hand
from vision.training.render.post import Look
from vision.training.render.render import Room, points_of, shoot
from vision.training.render.sets import drawn_set
from vision.training.render.styles import Body

SIZE = (1280, 960)
JPEG_QUALITY = 85
_BODY = Body(26.5, 35.5, 20.0, 2.2, 0.34, (241, 249, 252), (88, 138, 30), 0.5, 0.93)
_NEAT = Neatness(gap=0.012, wobble=0.018, turn=0.5)
_PLAN = HandPlan(1, "apart", "above", "above", 1.0, 0.55, "ends", 0.0)
_LOOK = Look(light=0.3, colour=0.25, blur=0.3, noise=0.45, jpeg=False, bright=238)


def laid_out(hand: PlayedHand) -> Laid:
    """The hand as the renderer lays it on the table."""
    kinds = [("pung" if len(set(tiles)) == 1 else "chow", list(tiles)) for tiles in hand.melds]
    concealed = sorted(hand.concealed, key=sort_key)
    return Laid(concealed, kinds, list(hand.flowers), hand.win_tile, hand.self_draw, wins=True)


def picture_of(hand: PlayedHand | None) -> bytes | None:
    """A JPEG of the winner's tiles from above; None while no hand has been won."""
    if hand is None or hand.winner == NOBODY:
        return None
    rng = default_rng([7, hand.number])
    laid = laid_out(hand)
    tiles = drawn_set(1, PRESETS["taiwan"], _BODY, width=176)
    placed = lay_hand(laid, _PLAN, _BODY, _NEAT, rng)
    points = points_of(placed, _BODY)
    middle = np.asarray(points.mean(0))
    cloth = ramp_of(0.39, 0.72, 0.36, 0.25)
    top = Ground("felt", 0, 25.0, 1.0, cloth, (460, 460), (float(middle[0]), float(middle[1] + 180)))
    floor = Ground("planks", 0, 20.0, 1.0, ramp_of(0.07, 0.4, 0.35, 0.25), (9e4, 9e4), (0, 0))
    camera = fit(points, float(rng.normal(0, 6)), 64.0, 0.0, 1.25 * SIZE[0], SIZE, 0.86)
    room = Room(top, floor, LIGHTS["day"])
    scene = shoot(Arrangement(placed, [laid], placed), tiles, camera, room, _LOOK, rng, "hand")
    done, data = cv2.imencode(".jpg", scene.image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    return data.tobytes() if done else None
