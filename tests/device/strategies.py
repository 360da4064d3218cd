"""Hypothesis strategies for every message, made from the fields each declares: a new message is covered by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from device.machine import events, messages
from device.machine.fields import Blob, Choice, Int, Many, Nested, Record, Text, Wire
from device.machine.messages import Message, Packet


def wire_values(wire: Wire) -> st.SearchStrategy[Any]:
    """Valid values of one field."""
    makers: dict[type[Wire], Callable[[Any], st.SearchStrategy[Any]]] = {
        Int: lambda w: st.integers(w.low, w.high),
        Text: lambda w: st.text(max_size=w.limit // 4),
        Blob: lambda w: st.binary(max_size=120),
        Choice: lambda w: st.sampled_from(sorted(w.numbers)),
        Many: _lists,
        Nested: lambda w: records(w.record),
        events._BodyWire: lambda w: st.one_of(
            *(records(body) for body in events.BODIES.values()),
            st.builds(events.UnknownEvent, st.integers(100, 255), st.binary(max_size=40)),
        ),
        messages._CommandWire: lambda w: st.one_of(
            *(records(body) for body in messages.COMMANDS.values()),
            st.builds(messages.UnknownCommand, st.integers(100, 255), st.binary(max_size=40)),
        ),
    }
    return makers[type(wire)](wire)


def _lists(wire: Many) -> st.SearchStrategy[Any]:
    low, high = (wire.count, wire.count) if wire.count is not None else (0, 4)
    return st.lists(wire_values(wire.item), min_size=low, max_size=high).map(tuple)


def records(cls: type[Record]) -> st.SearchStrategy[Any]:
    return st.builds(cls, **{name: wire_values(wire) for name, wire in cls.wires()})


ANY_MESSAGE: st.SearchStrategy[Message] = st.one_of(*(records(m) for m in messages.MESSAGES.values()))


def packets(addresses: bool = True, flags: bool = True) -> st.SearchStrategy[Packet]:
    byte = st.integers(0, 255)
    return st.builds(
        Packet,
        ANY_MESSAGE,
        sequence=byte,
        address=byte if addresses else st.just(0),
        flags=st.integers(0, 15) if flags else st.just(0),
    )
