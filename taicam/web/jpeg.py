"""A picture as an answer."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
from fastapi.responses import Response


def jpeg_response(image: npt.NDArray[np.uint8], quality: int) -> Response:
    """A picture (HxWx3 uint8, BGR) as JPEG of `quality` (0 to 100)."""
    data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return Response(data.tobytes(), media_type="image/jpeg")
