"""reader.py TRACE: the calls of a trace, one JSON object a line: what `reprise dump --json` says of them, made by other code.

Written from FORMAT.md alone. Numbers of handles and addresses are shown without the object that they belong to.
"""

import json
import math
import struct
import sys

import container
import old_schema
from calls import Calls
from schema import Schema
from value import Absent, Address, Bytes, Number, Opaque, Text

REASONS = {1: "too large", 2: "size unknown", 3: "text without an end", 4: "nested too deep", 5: "null count", 6: "no rule"}

# Names that results of the API have in its documentation.
RESULTS = {0: "S_OK", 1: "S_FALSE", 0x80004001: "E_NOTIMPL", 0x80004002: "E_NOINTERFACE", 0x80004003: "E_POINTER",
           0x80004005: "E_FAIL", 0x8007000e: "E_OUTOFMEMORY", 0x80070057: "E_INVALIDARG",
           0x887a0001: "DXGI_ERROR_INVALID_CALL", 0x887a0002: "DXGI_ERROR_NOT_FOUND", 0x887a0005: "DXGI_ERROR_DEVICE_REMOVED"}


class Shown:
    """Values as JSON."""

    def __init__(self, schema):
        self.schema = schema
        self.blobs = {}  # Of the record that is shown: number of its thread to id in the trace.
        self.of_iid = {}
        for name, iid in schema.interfaces.items():
            if iid:
                self.of_iid.setdefault(iid, name)

    def json(self, value):
        if value is None or isinstance(value, (str, bool)):
            return value
        if isinstance(value, Number):
            return self.number(value)
        if isinstance(value, Text):
            return value.text
        if isinstance(value, dict):
            return {name: self.json(member) for name, member in value.items()}
        if isinstance(value, list):
            if value and all(isinstance(one, Number) and one.type.name == "u8" for one in value):
                return self.json(Bytes(b"".join(one.data for one in value), len(value), "", None))
            return [self.subobject(*one) if isinstance(one, tuple) else self.json(one) for one in value]
        if isinstance(value, Bytes):
            if value.blob is not None:
                container.need(value.blob in self.blobs, f"blob {value.blob} does not stand before the call")
                return {"blob": self.blobs[value.blob], "bytes": value.count}
            return value.data.hex() if value.count <= 64 else {"bytes": value.count, "begins": value.data[:64].hex()}
        if isinstance(value, Absent):
            return {"not_recorded": REASONS.get(value.reason)}
        if isinstance(value, Opaque):
            return {"unknown_type": value.data.hex()}
        assert isinstance(value, Address)
        return f"0x{value.address:x}"

    def subobject(self, number, value):
        if number is None:
            return self.json(value)
        selector = self.schema.selects["PipelineStream"][0]
        return {"Type": self.schema.enums[selector].names.get(number, number), "Value": self.json(value)}

    def number(self, value):
        name, role, number = value.type.name, value.role, value.number
        if name in self.schema.interfaces:
            return {"id": number} if number else None
        if name in self.schema.enums:
            return self.enumerator(self.schema.enums[name], number)
        if name == "guid":
            first, second, third = struct.unpack_from("<IHH", value.data)
            rest = value.data[8:].hex()
            text = f"{first:08x}-{second:04x}-{third:04x}-{rest[:4]}-{rest[4:]}"
            return self.of_iid.get(text, text) if role == "iid" else text
        if role in ("gpu-address", "cpu-descriptor", "gpu-descriptor") or (role == "foreign" and len(value.data) == 8):
            return f"0x{number:x}"
        if name == "bool":
            return number != 0
        if name == "hresult":
            return RESULTS.get(number, f"0x{number:08x}")
        if name == "word":
            return f"0x{number:x}"
        if name == "f64":
            return struct.unpack("<d", value.data)[0]
        if name == "f32":
            found = struct.unpack("<f", value.data)[0]
            return single(found) if math.isfinite(found) else f"NaN(0x{number:x})" if math.isnan(found) else str(found)
        if name in ("i8", "i16", "i32", "i64"):
            return int.from_bytes(value.data, "little", signed=True)
        if name == "void":
            return None
        return number

    def enumerator(self, enum, number):
        if number in enum.names:
            return enum.names[number]
        if not enum.flags:
            return str(number)
        found, left = [], number
        # Names of several bits before those of one.
        for bits in sorted(enum.names, key=lambda value: (-value.bit_count(), value)):
            if bits and left & bits == bits:
                found.append(bits)
                left &= ~bits
        return "|".join([enum.names[bits] for bits in sorted(found)] + ([f"0x{left:x}"] if left or not found else []))


def single(number):
    """A number of 32 bits in the fewest digits that give it again."""
    for digits in range(1, 10):
        short = float(f"{number:.{digits}g}")
        try:
            if struct.pack("<f", short) == struct.pack("<f", number):
                return short
        except OverflowError:
            pass  # Rounded up beyond the largest.
    return number


def calls(data):
    """Every call of a trace, by its number."""
    container.header(data)
    schema, found = None, {}
    order = []
    for chunk in container.chunks(data):
        if chunk.kind == container.SCHEMA:
            old = chunk.payload[:1] == b"{"
            schema = old_schema.read(chunk.payload) if old else Schema.read(chunk.payload)
        elif chunk.kind == container.EVENTS:
            order.extend(container.events(chunk)[0])
    container.need(schema is not None, "no schema: the trace was not finished")
    reader, shown = Calls(schema), Shown(schema)
    for record in order:
        if record.kind == container.ENTER:
            method = schema.methods[record.method]
            shown.blobs = record.blobs
            block, values = reader.enter(method, record.payload)
            found[record.call] = call = {
                "call": record.call, "thread": record.thread, "frame": record.frame + 1, "method": method.name,
                "this": {"id": record.object} if record.object else None, "args": shown.json(values), "block": block}
            if method.structure:
                call["args"].pop(method.params[0].name, None)
            if method.leaves:
                call["returned"] = False
            else:
                call["result"] = None
        elif record.kind == container.LEAVE:
            call, method = found[record.call], schema.methods[record.method]
            shown.blobs = record.blobs
            result, values = reader.leave(method, call["block"], record.payload)
            if method.structure:
                result = values.pop(method.params[0].name)
            del call["returned"]
            call["result"] = shown.json(result)
            for name, value in values.items():
                call["args"][name] = shown.json(value)
    for call in found.values():
        del call["block"]
        yield call


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    try:
        for call in calls(data):
            print(json.dumps(call))
    except container.Damage as damage:
        sys.exit(f"{sys.argv[1]}: {damage}")


if __name__ == "__main__":
    main()
