"""The payloads of Enter and Leave as values, as "How a reader walks a payload" of FORMAT.md says."""

import struct

from container import need
from value import Absent, Address, Bytes, Number, Opaque, Text

INLINE, BLOB, ABSENT, OPAQUE = range(4)


class Payload:
    """A payload, and how far it is read."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        need(self.at + count <= len(self.data), f"{count} bytes at {self.at} of a payload of {len(self.data)}")
        self.at += count
        return self.data[self.at - count:self.at]

    def word(self):
        return struct.unpack("<Q", self.take(8))[0]

    def child(self):
        word = self.word()
        kind, count = word >> 56, word & (1 << 48) - 1
        need(word >> 48 & 0xff == 0 and kind <= OPAQUE, f"a child of kind {kind}")
        return kind, count

    def bytes(self, count):
        data = self.take(count)
        self.take(-count % 8)
        return data

    def end(self, what):
        need(self.at == len(self.data), f"{len(self.data) - self.at} bytes behind {what}")


class Frame:
    """The fields of a structure or a call, and the bytes that hold them."""

    def __init__(self, fields, data, base=None):
        self.fields, self.data = fields, data
        self.base = base  # Address and size of the array's elements that hold the structure, and of the array around it.

    def find(self, name):
        return next((field for field in self.fields if field.name == name), None)


class Calls:
    """Reads the payloads of one trace."""

    def __init__(self, schema):
        self.schema = schema

    def enter(self, method, data):
        """The argument block, and the value of each parameter."""
        payload = Payload(data)
        block = payload.take(method.block(self.schema))
        frame = Frame(method.params, block)
        values = {}
        for field in method.params:
            if not self.used(field, frame):
                continue
            if field.type.to is not None and field.direction == "out":
                values[field.name] = None
                continue
            values[field.name] = self.field(field, frame, payload, False)
        payload.end(f"the arguments of {method.name}")
        return block, values

    def leave(self, method, block, data):
        """The result, and the values of the parameters that come out."""
        payload = Payload(data)
        word = payload.take(8)
        frame = Frame(method.params, block)
        if method.result.to is not None and not method.structure:
            result = self.pointer(method.result, method.role, word, frame, payload, True)
        else:
            result = self.plain(method.result, method.role, word)
        failed = method.result.name == "hresult" and word[3] & 0x80
        values = {}
        for field in method.params:
            if field.type.to is None or field.direction == "in" or not self.used(field, frame):
                continue
            an_object = field.type.length == "" and field.type.to.name in self.schema.interfaces
            if failed and not an_object:
                continue
            values[field.name] = self.field(field, frame, payload, True)
        payload.end(f"the result of {method.name}")
        return result, values

    def used(self, field, frame):
        if field.used is None:
            return True
        name, values, wanted = field.used
        sibling = frame.find(name)
        need(sibling is not None, f"{field.name} depends on {name}, which is not there")
        width = self.schema.size_of(sibling.type)
        mask = (1 << 8 * width) - 1
        value = int.from_bytes(frame.data[sibling.place:sibling.place + width], "little")
        return (value in [one & mask for one in values]) == wanted

    def structure(self, name, data, payload, leaving, depth):
        """The values of a structure's fields, in order."""
        fields = self.schema.structs[name].fields
        frame = Frame(fields, data)
        values, doubtful = {}, set()
        for field in fields:
            if not self.used(field, frame):
                continue
            if field.type.to is not None and field.direction == "out" and not leaving:
                address = int.from_bytes(data[field.place:field.place + 8], "little")
                values[field.name] = Address(address) if address else None
                continue
            if field.type.to is not None and (other := self.twin(field, frame)):
                # Union members that cannot be told apart: the first has the child.
                if other.name in doubtful:
                    continue
                doubtful.add(field.name)
            values[field.name] = self.field(field, frame, payload, leaving, depth, owner=name)
        return values

    def twin(self, field, frame):
        """Another pointer at the same place with a selector's value in common."""
        for other in frame.fields:
            same = other is not field and other.type.to is not None and other.place == field.place
            if same and field.used and other.used and field.used[0] == other.used[0] and self.used(other, frame):
                if set(field.used[1]) & set(other.used[1]):
                    return other
        return None

    def field(self, field, frame, payload, leaving, depth=0, owner=None):
        size = self.schema.size_of(field.type)
        parts = []
        for at in range(1 if field.count is None else field.count):
            data = frame.data[field.place + size * at:field.place + size * (at + 1)]
            need(len(data) == size, f"{field.name} goes beyond its structure")
            parts.append(self.value(field.type, field.role, data, frame, payload, leaving, depth, owner))
        if field.count is None:
            return parts[0]
        if field.role == "text":
            return Text.of([part.number for part in parts], size == 2)
        return parts

    def value(self, type_, role, data, frame, payload, leaving, depth=0, owner=None):
        if type_.to is not None:
            return self.pointer(type_, role, data, frame, payload, leaving, depth, owner)
        if type_.name in self.schema.structs:
            return self.structure(type_.name, data, payload, leaving, depth)
        return self.plain(type_, role, data)

    def plain(self, type_, role, data):
        if type_.name in self.schema.structs:
            # A structure that is a result lies behind its first parameter.
            return None
        size = self.schema.size_of(type_)
        return Number(type_, role, data[:size])

    def linked(self, name):
        """Whether a structure has a field that points to its own type: the nodes of a list."""
        own = (field.type for field in self.schema.structs[name].fields)
        return any(type_.to is not None and type_.to.name == name and type_.length in ("", ":callee-owned") for type_ in own)

    def pointer(self, type_, role, data, frame, payload, leaving, depth=0, owner=None):
        address = struct.unpack("<Q", data)[0]
        if address == 0:
            return None
        to, length = type_.to, type_.length
        if length == ":state-subobject-reference":
            return Address(address)
        if length == "" and to.name == "void":
            return Address(address)
        in_a_list = owner is not None and to.name == owner and length in ("", ":callee-owned")
        if in_a_list:
            return Address(address)
        if length == ":experimental-configuration":
            sizes = frame.find("pConfigurationStructSizes")
            if not any(frame.data[sizes.place:sizes.place + 8]):
                return Address(address)
        kind, count = payload.child()
        if kind == ABSENT:
            return Absent(count)
        if kind == OPAQUE:
            return Opaque(payload.bytes(count))
        if kind == BLOB:
            return Bytes(None, count, role, payload.word())
        if length == ":text":
            width = self.schema.size_of(to)
            return Text.of(list(struct.unpack(f"<{count}{'BH'[width - 1]}", payload.bytes(count * width))), width == 2)
        if length == ":pipeline-stream":
            return self.stream(payload.bytes(count), payload, leaving, depth)
        one = length in ("", ":state-subobject", ":feature-data", ":vk-next", ":one-in-buffer", ":mapping")
        if length == ":state-subobject":
            sibling = frame.find("Type")
            to = self.schema.selects["StateSubobject"][1].get(self.number(sibling, frame))
        elif length == ":feature-data":
            to = self.feature(frame) or to
        elif length == ":vk-next":
            first = struct.unpack_from("<I", payload.data, payload.at)[0]
            to = self.schema.selects["VkNext"][1].get(first)
        elif length == ":elements-layout" and self.number(frame.find("DescsLayout"), frame) == 1:
            to = type(type_)(to=to)
        elif length == ":query-data":
            to = type(type_)("u64")
        elif length == ":callee-owned" and to.name in self.schema.structs:
            one = True
        need(to is not None, "an inline child of a type that the table does not name")
        if to.name in self.schema.structs and length in ("", ":callee-owned") and self.linked(to.name):
            one = False
        size = 1 if to.name == "void" else self.schema.size_of(to)
        if size == 1 and to.name in ("void", "u8") and not (one and length == "" and to.name == "u8"):
            data = payload.bytes(count)
            if role == "text":
                return Text.of(list(data), False)
            return Bytes(data, count, role, None)
        data = payload.bytes(count * size)
        elements = [self.value(to, role, data[at * size:(at + 1) * size], frame, payload, leaving, depth + 1)
                    for at in range(count)]
        if role == "text" and to.to is None:
            return Text.of([element.number for element in elements], size == 2)
        return elements[0] if one and count == 1 else elements

    def number(self, field, frame):
        size = self.schema.size_of(field.type)
        return int.from_bytes(frame.data[field.place:field.place + size], "little")

    def feature(self, frame):
        """The type that a feature's data has, where its size is as stated."""
        for field in frame.fields:
            for selector, cases in self.schema.selects.values():
                if field.type.name == selector and (chosen := cases.get(self.number(field, frame))) is not None:
                    size = next((one for one in frame.fields if one.name.endswith("DataSize")), None)
                    fits = size is not None and self.number(size, frame) == self.schema.size_of(chosen)
                    return chosen if fits else None
        return None

    def stream(self, data, payload, leaving, depth):
        """The subobjects of a pipeline stream."""
        cases = self.schema.selects["PipelineStream"][1]
        found, at = [], 0
        while at + 4 <= len(data):
            number = struct.unpack_from("<I", data, at)[0]
            type_ = cases.get(number)
            if type_ is None:
                break
            align = max(4, self.schema.align(type_))
            place = (at + 4 + align - 1) // align * align
            size = self.schema.size_of(type_)
            if place + size > len(data):
                break
            found.append((number, self.value(type_, "", data[place:place + size], Frame([], b""), payload, leaving, depth)))
            at = (place + size + 7) // 8 * 8
        if at < len(data):
            found.append((None, Bytes(data[at:], len(data) - at, "", None)))
        return found
