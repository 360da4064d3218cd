"""The automatic mahjong machine on a serial line: an open protocol, its host side, and an emulator.

The protocol is written down in `docs/machine-protocol.md`, precisely enough to write firmware from. From the wire up:
`codecs` (bytes <-> packets), `messages` and `events` (packets <-> values), `session` (the host's side of the
conversation, without any input or output), `link` (a session on a real port), `emulator` (the machine's side).
"""
