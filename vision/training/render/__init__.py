"""The renderer: endless pictures of tiles on tables with complete truth (numpy and OpenCV only)."""

from vision.training.render.render import MIX, render_scene, scenes
from vision.training.render.scene import Scene, TileTruth
from vision.training.render.sets import Sources, TileSet

__all__ = ["MIX", "Scene", "Sources", "TileSet", "TileTruth", "render_scene", "scenes"]
