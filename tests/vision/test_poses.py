"""How tiles lie in photos whose boxes do not tell."""

from pathlib import Path

import cv2
import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the train extra")

from vision.detector import Detector
from vision.training.classes import INDEX
from vision.training.photos import Photo
from vision.training.poses import found_poses, write_poses
from vision.training.render import render_scene
from vision.training.sample import pose_of


def test_poses_of_tiles_askew_are_those_they_were_rendered_with(tmp_path: Path) -> None:
    detector = Detector(rereader=False)
    for seed in range(4, 20):
        scene = render_scene(seed, layout="pile", size=(640, 480))
        tiles = [tile for tile in scene.tiles if not tile.ignore and tile.code != "back"]
        if len(tiles) < 4:
            continue
        path = tmp_path / f"{seed}.png"
        cv2.imwrite(str(path), scene.image)
        boxes = np.array([tile.box for tile in tiles], np.float32)
        photo = Photo(path, np.array([INDEX[tile.code] for tile in tiles]), boxes, square=False)
        poses = found_poses(photo, detector)
        true = np.array([pose_of(np.asarray(tile.quad, np.float64)) for tile in tiles])
        known = ~np.isnan(poses).any(axis=1)
        if known.sum() < 4:
            continue
        same = (poses[known, :2] * true[known, :2]).sum(1) / np.linalg.norm(poses[known, :2], axis=1)
        assert np.median(same) > 0.9  # cosine of twice the angle between them
        assert write_poses([photo], detector, tmp_path / "poses.npz") == known.sum()
        with np.load(tmp_path / "poses.npz") as kept:
            np.testing.assert_array_equal(kept[path.name], poses)
        return
    pytest.fail("no pile was found well enough to be compared")
