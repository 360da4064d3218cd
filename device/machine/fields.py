"""Declaring a message once: every field knows its bytes on the wire and its JSON form.

Numbers are big-endian. A dataclass declares its fields with `u8()`, `text()` … in the order they travel.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar, Self


class PayloadError(ValueError):
    """Bytes or JSON that are not the message they claim to be; the text names the field."""


class Reader:
    """Takes bytes off the front of a payload."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, count: int) -> bytes:
        """The next `count` bytes. Raises PayloadError when there are fewer."""
        if count < 0 or self._at + count > len(self._data):
            raise PayloadError(f"{count} bytes wanted at {self._at}, only {len(self._data) - self._at} left")
        self._at += count
        return self._data[self._at - count : self._at]

    def rest(self) -> bytes:
        """All that is left."""
        return self.take(len(self._data) - self._at)


class Wire:
    """How one field travels. `load` takes JSON and must refuse whatever is not a valid value."""

    def pack(self, value: Any) -> bytes:
        raise NotImplementedError

    def unpack(self, reader: Reader) -> Any:
        raise NotImplementedError

    def dump(self, value: Any) -> Any:
        """The value as JSON."""
        return value

    def load(self, value: Any) -> Any:
        raise NotImplementedError


class Int(Wire):
    """A whole number of `size` bytes."""

    def __init__(self, size: int, signed: bool = False) -> None:
        self.size = size
        self.signed = signed
        bits = size * 8 - signed
        self.low, self.high = (-(1 << bits) if signed else 0), (1 << bits) - 1

    def pack(self, value: Any) -> bytes:
        return int(self.load(value)).to_bytes(self.size, "big", signed=self.signed)

    def unpack(self, reader: Reader) -> int:
        return int.from_bytes(reader.take(self.size), "big", signed=self.signed)

    def load(self, value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not self.low <= value <= self.high:
            raise PayloadError(f"{value!r} is not a whole number from {self.low} to {self.high}")
        return value


class Text(Wire):
    """UTF-8 text: one byte of length, at most `limit` bytes."""

    def __init__(self, limit: int = 255) -> None:
        self.limit = limit

    def pack(self, value: Any) -> bytes:
        data = self.load(value).encode("utf-8")
        return bytes([len(data)]) + data

    def unpack(self, reader: Reader) -> str:
        (size,) = reader.take(1)
        if size > self.limit:
            raise PayloadError(f"a text of {size} bytes, at most {self.limit} allowed")
        try:
            return reader.take(size).decode("utf-8")
        except UnicodeDecodeError:
            raise PayloadError("a text is not UTF-8") from None

    def load(self, value: Any) -> str:
        if not isinstance(value, str):
            raise PayloadError(f"{value!r} is not a text")
        try:
            size = len(value.encode("utf-8"))
        except UnicodeEncodeError:
            raise PayloadError("a text holds half a character") from None
        if size > self.limit:
            raise PayloadError(f"a text of {size} bytes, at most {self.limit} allowed")
        return value


class Blob(Wire):
    """Raw bytes to the end of the payload; hexadecimal in JSON."""

    def pack(self, value: Any) -> bytes:
        return bytes(value)

    def unpack(self, reader: Reader) -> bytes:
        return reader.rest()

    def dump(self, value: Any) -> str:
        return bytes(value).hex()

    def load(self, value: Any) -> bytes:
        if not isinstance(value, str):
            raise PayloadError(f"{value!r} is not hexadecimal text")
        try:
            return bytes.fromhex(value)
        except ValueError:
            raise PayloadError("not hexadecimal text") from None


class Many(Wire):
    """Several values of one kind: exactly `count` of them, or a byte that says how many."""

    def __init__(self, item: Wire, count: int | None = None) -> None:
        self.item = item
        self.count = count

    def pack(self, value: Any) -> bytes:
        values = tuple(value)
        self._check(len(values))
        body = b"".join(self.item.pack(v) for v in values)
        return body if self.count is not None else bytes([len(values)]) + body

    def unpack(self, reader: Reader) -> tuple[Any, ...]:
        count = reader.take(1)[0] if self.count is None else self.count
        return tuple(self.item.unpack(reader) for _ in range(count))

    def dump(self, value: Any) -> list[Any]:
        return [self.item.dump(v) for v in value]

    def load(self, value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise PayloadError(f"{value!r} is not a list")
        self._check(len(value))
        return tuple(self.item.load(v) for v in value)

    def _check(self, size: int) -> None:
        if size > 255 or (self.count is not None and size != self.count):
            raise PayloadError(f"{size} values, {self.count if self.count is not None else 'at most 255'} expected")


class Choice(Wire):
    """One byte that stands for a word."""

    def __init__(self, words: Mapping[int, str]) -> None:
        self.words = dict(words)
        self.numbers = {word: number for number, word in words.items()}

    def pack(self, value: Any) -> bytes:
        return bytes([self.numbers[self.load(value)]])

    def unpack(self, reader: Reader) -> str:
        (number,) = reader.take(1)
        if number not in self.words:
            raise PayloadError(f"{number} is none of {sorted(self.words)}")
        return self.words[number]

    def load(self, value: Any) -> str:
        if not isinstance(value, str) or value not in self.numbers:
            raise PayloadError(f"{value!r} is none of {', '.join(self.numbers)}")
        return value


class Record:
    """Base of everything declared by fields: packs itself in the order of declaration."""

    CODE: ClassVar[int] = -1
    NAME: ClassVar[str] = ""

    @classmethod
    def wires(cls) -> tuple[tuple[str, Wire], ...]:
        """(name, wire) of every field, in the order they travel."""
        return tuple((f.name, f.metadata["wire"]) for f in dataclasses.fields(cls) if "wire" in f.metadata)  # type: ignore[arg-type]

    def pack(self) -> bytes:
        """The payload bytes. Raises PayloadError for a value that does not fit its field."""
        parts = []
        for name, wire in self.wires():
            try:
                parts.append(wire.pack(getattr(self, name)))
            except PayloadError as error:
                raise PayloadError(f"{self.NAME}.{name}: {error}") from None
        return b"".join(parts)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """From payload bytes. Bytes after the last known field are a newer version's and are ignored."""
        return cls.unpack_from(Reader(data))

    @classmethod
    def unpack_from(cls, reader: Reader) -> Self:
        values = {}
        for name, wire in cls.wires():
            try:
                values[name] = wire.unpack(reader)
            except PayloadError as error:
                raise PayloadError(f"{cls.NAME}.{name}: {error}") from None
        return cls(**values)

    def dump(self) -> dict[str, Any]:
        """As a JSON object."""
        return {name: wire.dump(getattr(self, name)) for name, wire in self.wires()}

    @classmethod
    def load(cls, value: Mapping[str, Any]) -> Self:
        """From a JSON object; unknown keys are ignored, a missing or wrong one raises PayloadError."""
        values = {}
        for name, wire in cls.wires():
            if name not in value:
                raise PayloadError(f"{cls.NAME}.{name} is missing")
            try:
                values[name] = wire.load(value[name])
            except PayloadError as error:
                raise PayloadError(f"{cls.NAME}.{name}: {error}") from None
        return cls(**values)


class Nested(Wire):
    """A record inside another."""

    def __init__(self, record: type[Record]) -> None:
        self.record = record

    def pack(self, value: Any) -> bytes:
        return bytes(value.pack())

    def unpack(self, reader: Reader) -> Any:
        return self.record.unpack_from(reader)

    def dump(self, value: Any) -> dict[str, Any]:
        return dict(value.dump())

    def load(self, value: Any) -> Any:
        if not isinstance(value, Mapping):
            raise PayloadError(f"{value!r} is not an object")
        return self.record.load(value)


def wire_field(wire: Wire, **options: Any) -> Any:
    """A dataclass field that travels as `wire`."""
    return dataclasses.field(metadata={"wire": wire}, **options)


def u8(**options: Any) -> Any:
    return wire_field(Int(1), **options)


def u16(**options: Any) -> Any:
    return wire_field(Int(2), **options)


def u32(**options: Any) -> Any:
    return wire_field(Int(4), **options)


def text(limit: int = 255, **options: Any) -> Any:
    return wire_field(Text(limit), **options)


def blob(**options: Any) -> Any:
    return wire_field(Blob(), **options)


def choice(words: Mapping[int, str], **options: Any) -> Any:
    return wire_field(Choice(words), **options)


def many(item: Wire, count: int | None = None, **options: Any) -> Any:
    return wire_field(Many(item, count), **options)


def nested(record: type[Record], **options: Any) -> Any:
    return wire_field(Nested(record), **options)
