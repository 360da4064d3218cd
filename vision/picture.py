"""Loading a picture the way a person sees it, or saying why that cannot be done.

Everything foreseeable is refused here, before any pixel reaches a detector: files that are no pictures, torn files,
pictures too large to decode safely. Orientation, colour mode and bit depth come out the same for every source.
"""

from __future__ import annotations

import io
import warnings
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageOps, UnidentifiedImageError

from scoring.view import Said

Picture = npt.NDArray[np.uint8]

MAX_PIXELS = 50_000_000
MAX_BYTES = 200_000_000
MIN_SIDE = 16
_BACKDROP = (128, 128, 128)
_HEIF_BRANDS = (b"heic", b"heix", b"hevc", b"mif1", b"msf1", b"heim", b"heis")


class PictureError(ValueError):
    """The picture cannot be used.

    `code` is stable: `missing`, `not_a_picture`, `torn`, `empty`, `too_large`, `too_small`, `unreadable`,
    `unsupported`. `zh` and `en` say what is wrong and what to do; `str()` is the English one.
    """

    def __init__(self, code: str, zh: str, en: str) -> None:
        super().__init__(en)
        self.code = code
        self.zh = zh
        self.en = en


_UPLOADED = Said("照片", "the picture")  # what a picture without a file is called


def load_picture(source: str | Path | bytes, max_pixels: int = MAX_PIXELS) -> Picture:
    """Load one picture as HxWx3 uint8, blue-green-red, EXIF orientation applied.

    Grey, palette, CMYK and 16-bit pictures are converted; transparent parts become mid grey. The size is read from
    the header and checked against `max_pixels` before anything is decoded.

    Raises:
        PictureError: the file is missing, empty, no picture, torn, too large, too small, or of a kind not read.
    """
    name, data = _read(source)
    if not data:
        raise PictureError(
            "empty", f"{name.zh}:檔案是空的,請重新拍照或複製。", f"{name.en} is empty: take or copy it again."
        )
    if data[4:8] == b"ftyp" and data[8:12] in _HEIF_BRANDS:
        raise PictureError(
            "unsupported",
            f"{name.zh}:HEIC 格式無法讀取,請將手機相機設為「最相容」(JPEG)或先轉成 JPEG。",
            f"{name.en} is a HEIC picture, which is not read: set the phone's camera to 'Most compatible' (JPEG), "
            "or convert it to JPEG.",
        )
    return _decode(name, data, max_pixels)


def _read(source: str | Path | bytes) -> tuple[Said, bytes]:
    if isinstance(source, bytes | bytearray | memoryview):
        if len(source) > MAX_BYTES:
            raise _too_many_bytes(_UPLOADED, len(source))
        return _UPLOADED, bytes(source)
    path = Path(source)
    try:
        if path.is_dir():
            raise PictureError(
                "not_a_picture",
                f"{path} 是資料夾,請指定其中的圖片檔。",
                f"{path} is a folder: name the picture files in it.",
            )
        if path.stat().st_size > MAX_BYTES:
            raise _too_many_bytes(Said(str(path), str(path)), path.stat().st_size)
        return Said(str(path), str(path)), path.read_bytes()
    except FileNotFoundError:
        raise PictureError(
            "missing", f"找不到 {path},請檢查檔名。", f"{path} does not exist: check the name."
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        if isinstance(error, PictureError):
            raise
        raise PictureError(
            "unreadable",
            f"無法讀取 {path}({reason}),請檢查權限。",
            f"{path} cannot be read ({reason}): check its permissions.",
        ) from None


def _too_many_bytes(name: Said, count: int) -> PictureError:
    return PictureError(
        "too_large",
        f"{name.zh} 有 {count // 1_000_000} MB,超過 {MAX_BYTES // 1_000_000} MB,請縮小後再試。",
        f"{name.en} has {count // 1_000_000} MB, more than the {MAX_BYTES // 1_000_000} MB read: save it smaller.",
    )


def _decode(name: Said, data: bytes, max_pixels: int) -> Picture:
    with warnings.catch_warnings():
        # Pillow warns about large pictures; ours are refused below by our own limit.
        warnings.simplefilter("ignore")
        try:
            picture = Image.open(io.BytesIO(data))
        except Image.DecompressionBombError:
            raise _too_large(name, None, max_pixels) from None
        except (UnidentifiedImageError, OSError, ValueError, SyntaxError):
            raise _not_a_picture(name, data) from None
        with picture:
            _check_size(name, picture.size, max_pixels)
            try:
                picture.load()
                upright = ImageOps.exif_transpose(picture)
            except (OSError, SyntaxError, ValueError, EOFError, MemoryError) as error:
                raise PictureError(
                    "torn",
                    f"{name.zh}:圖片檔不完整或已損壞,請重新拍照或複製。",
                    f"{name.en} is a torn or damaged picture ({_short(error)}): take or copy it again.",
                ) from None
            return _to_bgr(upright)


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:80] or type(error).__name__


def _not_a_picture(name: Said, data: bytes) -> PictureError:
    starts = {b"\xff\xd8": "JPEG", b"\x89P": "PNG", b"BM": "BMP", b"RI": "WebP", b"GI": "GIF"}
    kind = starts.get(data[:2])
    if kind is not None:
        return PictureError(
            "torn",
            f"{name.zh}:{kind} 圖片檔不完整或已損壞,請重新拍照或複製。",
            f"{name.en} begins like a {kind} picture but is torn or damaged: take or copy it again.",
        )
    return PictureError(
        "not_a_picture",
        f"{name.zh} 不是圖片,請使用 JPEG、PNG、WebP 或 BMP。",
        f"{name.en} is not a picture: use a JPEG, PNG, WebP or BMP file.",
    )


def _too_large(name: Said, size: tuple[int, int] | None, max_pixels: int) -> PictureError:
    limit = f"{max_pixels / 1e6:.0f}"
    have = f"> {limit}" if size is None else f"{size[0]}x{size[1]} = {size[0] * size[1] / 1e6:.0f}"
    return PictureError(
        "too_large",
        f"{name.zh}:圖片太大({have} 百萬像素,上限 {limit}),請縮小後再試。",
        f"{name.en} is too large ({have} megapixels, at most {limit} are read): save it smaller.",
    )


def _check_size(name: Said, size: tuple[int, int], max_pixels: int) -> None:
    width, height = size
    if width * height > max_pixels:
        raise _too_large(name, size, max_pixels)
    if min(width, height) < MIN_SIDE:
        raise PictureError(
            "too_small",
            f"{name.zh}:圖片只有 {width}x{height} 像素,看不出麻將牌,請使用原始照片。",
            f"{name.en} is only {width}x{height} pixels, too small to show tiles: use the original photo.",
        )


def _to_bgr(picture: Image.Image) -> Picture:
    if picture.mode.startswith(("I", "F")):
        return _from_deep(picture)
    if picture.mode in ("LA", "PA", "RGBA", "La", "RGBa") or "transparency" in picture.info:
        rgba = picture.convert("RGBA")
        backdrop = Image.new("RGBA", rgba.size, (*_BACKDROP, 255))
        picture = Image.alpha_composite(backdrop, rgba)
    rgb = np.asarray(picture.convert("RGB"), dtype=np.uint8)
    return np.ascontiguousarray(rgb[:, :, ::-1])


def _from_deep(picture: Image.Image) -> Picture:
    """16- and 32-bit grey: 16-bit integers keep their upper byte, anything else is stretched over its own range."""
    values = np.nan_to_num(np.asarray(picture, dtype=np.float64))
    if picture.mode.startswith("I") and values.size and values.min() >= 0 and values.max() <= 65535:
        grey = values / 257.0
    else:
        low, high = float(values.min()), float(values.max())
        grey = (values - low) * (255.0 / max(high - low, 1e-9))
    plane = np.clip(np.rint(grey), 0, 255).astype(np.uint8)
    return np.ascontiguousarray(np.repeat(plane[:, :, None], 3, axis=2))
