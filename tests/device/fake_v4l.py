"""A camera's V4L2 controls and modes behind the ioctl call, with the kernel's structures and its errors."""

from __future__ import annotations

import errno
import struct

from device.cameras import v4l

FORMATS = (
    (b"MJPG", ((1920, 1080, (30, 15)), (1280, 720, (60, 30)))),
    (b"YUYV", ((1920, 1080, (5,)), (640, 480, (30,)))),
)


class FakeCamera:
    """As a C920: manual values are refused while their automatic is on."""

    def __init__(self) -> None:
        c = v4l.CONTROLS
        self.values = {
            c["power_line_frequency"]: 1,
            c["white_balance_auto"]: 1,
            c["white_balance_temperature"]: 4012,
            c["exposure_auto"]: v4l.EXPOSURE_APERTURE_PRIORITY,
            c["exposure_absolute"]: 250,
            c["focus_auto"]: 1,
            c["focus_absolute"]: 15,
        }
        self.gone = False
        self.set_calls: list[tuple[int, int]] = []

    def __call__(self, fd: int, request: int, data: bytearray) -> None:
        if self.gone:
            raise OSError(errno.ENODEV, "No such device")
        handlers = {
            v4l.QUERYCAP: self.querycap,
            v4l.ENUM_FMT: self.enum_fmt,
            v4l.ENUM_FRAMESIZES: self.enum_sizes,
            v4l.ENUM_FRAMEINTERVALS: self.enum_rates,
            v4l.G_CTRL: self.get,
            v4l.S_CTRL: self.set,
        }
        # The size in the request number is the size of the kernel's structure: ours must be just that long.
        assert len(data) == request >> 16 & 0x3FFF
        handlers[request](data)

    def querycap(self, data: bytearray) -> None:
        struct.pack_into(
            "<16s32s32sIII", data, 0, b"uvcvideo", b"HD Pro Webcam C920", b"usb-0000:01", 1, 0x84A00001, 0x04200001
        )

    def enum_fmt(self, data: bytearray) -> None:
        index, kind = struct.unpack_from("<II", data)
        if kind != 1 or index >= len(FORMATS):
            raise OSError(errno.EINVAL, "Invalid argument")
        data[44:48] = FORMATS[index][0]

    def _modes(self, pixel: bytes) -> tuple[tuple[int, int, tuple[int, ...]], ...]:
        return dict(FORMATS)[pixel]

    def enum_sizes(self, data: bytearray) -> None:
        (index,) = struct.unpack_from("<I", data)
        modes = self._modes(bytes(data[4:8]))
        if index >= len(modes):
            raise OSError(errno.EINVAL, "Invalid argument")
        struct.pack_into("<III", data, 8, 1, modes[index][0], modes[index][1])

    def enum_rates(self, data: bytearray) -> None:
        index, pixel, width, height = struct.unpack_from("<I4sII", data)
        rates = next(r for w, h, r in self._modes(pixel) if (w, h) == (width, height))
        if index >= len(rates):
            raise OSError(errno.EINVAL, "Invalid argument")
        struct.pack_into("<III", data, 16, 1, 1, rates[index])

    def get(self, data: bytearray) -> None:
        (number,) = struct.unpack_from("<I", data)
        if number not in self.values:
            raise OSError(errno.EINVAL, "Invalid argument")
        struct.pack_into("<i", data, 4, self.values[number])

    def set(self, data: bytearray) -> None:
        number, value = struct.unpack_from("<Ii", data)
        if number not in self.values:
            raise OSError(errno.EINVAL, "Invalid argument")
        for auto, off, steered in v4l.LOCKS:
            if v4l.CONTROLS[steered] == number and self.values[v4l.CONTROLS[auto]] != off:
                raise OSError(errno.EACCES, "Permission denied")  # what the kernel says of a grabbed control
        self.values[number] = value
        self.set_calls.append((number, value))
