"""Values of arguments: numbers with their type, text, bytes, and what is not in the trace."""

import struct
from dataclasses import dataclass


@dataclass
class Number:
    """A number, handle or object: its bytes, with the type and the role that say what they mean."""
    type: object
    role: str
    data: bytes

    @property
    def number(self):
        return int.from_bytes(self.data, "little")


@dataclass
class Bytes:
    """Bytes: in the payload, or as the number of a blob."""
    data: bytes | None
    count: int
    role: str
    blob: int | None


@dataclass
class Absent:
    reason: int


@dataclass
class Opaque:
    data: bytes


@dataclass
class Address:
    """A pointer that nothing was looked at behind."""
    address: int


@dataclass
class Text:
    text: str

    @staticmethod
    def of(units, wide):
        """Text of bytes (UTF-8) or of 16-bit units, up to a terminator if it has one."""
        units = units[:units.index(0)] if 0 in units else units
        if wide:
            return Text(struct.pack(f"<{len(units)}H", *units).decode("utf-16-le", "replace"))
        return Text(bytes(units).decode("utf-8", "replace"))
