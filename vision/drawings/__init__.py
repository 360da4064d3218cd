"""The tile pictures: 42 faces and the back, drawn by code as SVG (standard library only, no fonts, no files)."""

from vision.drawings.faces import back_svg, face_svg, ink_svg
from vision.drawings.style import PRESETS, FaceStyle

__all__ = ["PRESETS", "FaceStyle", "back_svg", "face_svg", "ink_svg"]
