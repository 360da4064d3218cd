"""A perceptual hash: 256 bits that stay nearly the same when a picture is scaled, compressed, brightened or blurred.

The usual DCT hash (low frequencies of a small grey picture, each against their median), at 16x16 instead of 8x8: hands
on the same table share most of an 8x8 hash. Written here because ImageHash would bring SciPy and PyWavelets for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cv2
import numpy as np
import numpy.typing as npt

_SIDE = 16
_GRID = 64
BITS = _SIDE * _SIDE

Bits = npt.NDArray[np.uint8]


def picture_hash(image_bgr: npt.NDArray[np.uint8]) -> str:
    """The hash of an HxWx3 or HxW picture, 64 hexadecimal digits. Takes about 1 ms for two megapixels."""
    grey = cv2.resize(image_bgr, (_GRID, _GRID), interpolation=cv2.INTER_AREA)
    if grey.ndim == 3:
        grey = cv2.cvtColor(grey, cv2.COLOR_BGR2GRAY)
    low = cv2.dct(grey.astype(np.float32))[:_SIDE, :_SIDE].ravel()
    bits = low > np.median(low[1:])  # the first is the mean brightness
    return np.packbits(bits).tobytes().hex()


def to_bits(hashes: Sequence[str]) -> Bits:
    """Hashes as an Nx32 array of bytes. Raises ValueError when one is no hash."""
    rows = [np.frombuffer(bytes.fromhex(h), dtype=np.uint8) for h in hashes]
    if any(len(row) != BITS // 8 for row in rows):
        raise ValueError(f"a perceptual hash has {BITS // 4} hexadecimal digits")
    return np.stack(rows) if rows else np.zeros((0, BITS // 8), np.uint8)


def distances(one: Bits, many: Bits) -> npt.NDArray[np.int64]:
    """How many bits of `one` (32 bytes) differ from each row of `many`."""
    return np.asarray(np.bitwise_count(np.bitwise_xor(one, many)).sum(axis=1), dtype=np.int64)


def near_pairs(hashes: Sequence[str], limit: int) -> Iterator[tuple[int, int, int]]:
    """Every pair `(i, j, distance)`, i < j, of hashes that differ in at most `limit` bits."""
    bits = to_bits(hashes)
    for index in range(len(bits) - 1):
        found = distances(bits[index], bits[index + 1 :])
        for offset in np.flatnonzero(found <= limit):
            yield index, index + 1 + int(offset), int(found[offset])
