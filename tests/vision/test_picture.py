"""Pictures load the way a person sees them, and bad ones say what is wrong and what to do."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from vision.picture import MAX_PIXELS, PictureError, load_picture


def encoded(picture: Image.Image, kind: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


def corner_marked(size: tuple[int, int] = (60, 40)) -> Image.Image:
    """A grey picture whose top left corner is pure red."""
    picture = Image.new("RGB", size, (90, 90, 90))
    picture.paste((255, 0, 0), (0, 0, 20, 10))
    return picture


def noisy(size: tuple[int, int] = (320, 240)) -> Image.Image:
    rng = np.random.default_rng(3)
    return Image.fromarray(rng.integers(0, 255, (size[1], size[0], 3), dtype=np.uint8))


def png_header(width: int, height: int) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0" * 64)) + chunk(b"IEND", b"")


@pytest.mark.parametrize("kind", ["PNG", "BMP", "WEBP", "JPEG"])
def test_bgr_order_and_shape(kind: str) -> None:
    options = {"lossless": True} if kind == "WEBP" else {}
    image = load_picture(encoded(corner_marked(), kind, **options))
    assert image.shape == (40, 60, 3)
    assert image.dtype == np.uint8
    blue, green, red = (int(v) for v in image[4, 8])
    assert red > 200 and green < 60 and blue < 60


# Where the red corner (top left of the stored pixels) must come out, per EXIF orientation.
@pytest.mark.parametrize(
    ("orientation", "corner", "shape"),
    [
        (1, "top left", (40, 60)),
        (2, "top right", (40, 60)),
        (3, "bottom right", (40, 60)),
        (4, "bottom left", (40, 60)),
        (5, "top left", (60, 40)),
        (6, "top right", (60, 40)),
        (7, "bottom right", (60, 40)),
        (8, "bottom left", (60, 40)),
    ],
)
def test_exif_orientation_is_applied(orientation: int, corner: str, shape: tuple[int, int]) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    image = load_picture(encoded(corner_marked(), "JPEG", exif=exif, quality=95, subsampling=0))
    assert image.shape[:2] == shape
    row = 3 if "top" in corner else shape[0] - 4
    column = 3 if "left" in corner else shape[1] - 4
    assert image[row, column, 2] > 200 and image[row, column, 1] < 80


def test_grey_alpha_palette_and_deep_pictures_are_converted() -> None:
    grey = load_picture(encoded(Image.new("L", (30, 30), 77), "PNG"))
    assert grey.shape == (30, 30, 3) and set(np.unique(grey)) == {77}
    half = Image.new("RGBA", (30, 30), (255, 255, 255, 0))
    half.paste((10, 20, 30, 255), (0, 0, 15, 30))
    image = load_picture(encoded(half, "PNG"))
    assert tuple(image[5, 5]) == (30, 20, 10)
    assert tuple(image[5, 25]) == (128, 128, 128), "transparent parts are mid grey, not their hidden colour"
    palette = load_picture(encoded(corner_marked().convert("P"), "PNG"))
    assert palette.shape == (40, 60, 3)
    deep = Image.fromarray(np.full((20, 20), 0x8080, dtype=np.uint16))
    assert set(np.unique(load_picture(encoded(deep, "PNG")))) == {0x80}
    cmyk = load_picture(encoded(Image.new("CMYK", (30, 30), (0, 0, 0, 0)), "JPEG"))
    assert cmyk.min() > 240


@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
@pytest.mark.parametrize("share", [0.2, 0.5, 0.9, 0.99])
def test_torn_pictures_are_noticed(tmp_path: Path, kind: str, share: float) -> None:
    data = encoded(noisy(), kind)
    path = tmp_path / "torn.img"
    path.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(PictureError, match=r"torn") as caught:
        load_picture(path)
    assert caught.value.code == "torn"
    assert "again" in caught.value.en and "請" in caught.value.zh


def test_a_damaged_png_is_noticed() -> None:
    data = bytearray(encoded(noisy(), "PNG"))
    data[len(data) // 2] ^= 0xFF
    with pytest.raises(PictureError) as caught:
        load_picture(bytes(data))
    assert caught.value.code == "torn"


@pytest.mark.parametrize("data", [b"\xff\xd8\xff", b"\x89PNG\r\n"])
def test_a_bare_signature_is_torn(data: bytes) -> None:
    with pytest.raises(PictureError) as caught:
        load_picture(data)
    assert caught.value.code == "torn"


def test_not_a_picture() -> None:
    for data in (b"hello, this is text", b"%PDF-1.7 ...", b"\0" * 500):
        with pytest.raises(PictureError) as caught:
            load_picture(data)
        assert caught.value.code == "not_a_picture"
        assert "JPEG" in caught.value.en


def test_empty_missing_folder(tmp_path: Path) -> None:
    (tmp_path / "empty.jpg").touch()
    for path, code in (
        (tmp_path / "empty.jpg", "empty"),
        (tmp_path / "no.jpg", "missing"),
        (tmp_path, "not_a_picture"),
    ):
        with pytest.raises(PictureError) as caught:
            load_picture(path)
        assert caught.value.code == code
        assert str(path) in str(caught.value)


def test_heic_says_what_to_do() -> None:
    with pytest.raises(PictureError, match="Most compatible"):
        load_picture(b"\0\0\0\x18ftypheic" + b"\0" * 100)


def test_too_large_is_refused_by_its_header_alone() -> None:
    # The pixel data of these files is a stub: had it been decoded, the error would be "torn".
    for size in ((10_000, 10_000), (60_000, 60_000)):
        with pytest.raises(PictureError) as caught:
            load_picture(png_header(*size))
        assert caught.value.code == "too_large"
        assert f"{MAX_PIXELS // 1_000_000}" in caught.value.en


def test_the_size_limit_is_an_argument() -> None:
    data = encoded(noisy((100, 100)), "PNG")
    assert load_picture(data, max_pixels=10_000).shape == (100, 100, 3)
    with pytest.raises(PictureError, match="megapixels"):
        load_picture(data, max_pixels=9_999)


def test_too_small() -> None:
    with pytest.raises(PictureError) as caught:
        load_picture(encoded(Image.new("RGB", (400, 3)), "PNG"))
    assert caught.value.code == "too_small"


def test_an_uploaded_picture_is_called_one_in_each_language() -> None:
    with pytest.raises(PictureError) as refused:
        load_picture(b"")
    assert refused.value.zh.startswith("照片:")
    assert refused.value.en.startswith("the picture is empty")
