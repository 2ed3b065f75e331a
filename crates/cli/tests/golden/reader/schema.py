"""What the schema of a trace says: methods, structures, enumerations, and what pointers lead to.

`Schema.read` takes the text that FORMAT.md describes; `old_schema` makes the same of the JSON of traces before it.
"""

from dataclasses import dataclass, field as member

from container import need

SIZES = {"void": (0, 1), "u8": (1, 1), "i8": (1, 1), "u16": (2, 2), "i16": (2, 2), "u32": (4, 4), "i32": (4, 4), "u64": (8, 8),
         "i64": (8, 8), "f32": (4, 4), "f64": (8, 8), "bool": (4, 4), "hresult": (4, 4), "guid": (16, 4), "word": (8, 8)}


@dataclass(frozen=True)
class Type:
    """A type by its name; of a pointer what it leads to, and its length as FORMAT.md writes it ("" for one element)."""
    name: str = ""
    to: "Type | None" = None
    length: str = ""


def parse_type(text):
    if not text.startswith("*"):
        return Type(text)
    if text.startswith("*["):
        length, rest = text[2:].split("]", 1)
        return Type(to=parse_type(rest), length=length)
    return Type(to=parse_type(text[1:]))


@dataclass
class Field:
    name: str
    type: Type
    place: int = 0
    count: int | None = None
    direction: str = "in"
    role: str = ""
    used: tuple | None = None  # Sibling's name, values, and whether it must have one of them.
    iid: str | None = None


@dataclass
class Method:
    name: str
    leaves: bool
    result: Type
    role: str
    structure: bool
    params: list = member(default_factory=list)

    def block(self, schema):
        end = max((param.place + schema.size(param) for param in self.params), default=0)
        return end + -end % 8


@dataclass
class Struct:
    size: int
    align: int
    fields: list = member(default_factory=list)


@dataclass
class Enum:
    flags: bool
    names: dict  # Value to name: the first of several.


class Schema:
    def __init__(self):
        self.methods, self.structs, self.selects, self.enums, self.interfaces = {}, {}, {}, {}, {}

    @staticmethod
    def read(payload):
        schema, owner = Schema(), None
        first, *lines = payload.decode().split("\n")
        need(first == "schema 2" and lines[-1] == "", f"a schema that begins with {first!r}")
        for line in lines[:-1]:
            if line.startswith(" "):
                need(owner is not None, f"a field of nothing: {line!r}")
                owner.append(schema.field(line[1:].split(" ")))
            else:
                owner = schema.declare(line.split(" "))
        schema.lay_out()
        return schema

    def declare(self, words):
        kind, name, *rest = words
        if kind == "method":
            number, (name, order, result, *more) = int(name), rest
            need(order in ("object", "enter", "leave"), f"order {order!r}")
            roles = [word[5:] for word in more if word.startswith("role:")]
            method = Method(name, order == "leave", parse_type(result), "".join(roles), "structure" in more)
            need(number not in self.methods, f"method {number} stands twice")
            self.methods[number] = method
            return method.params
        if kind == "struct":
            self.structs[name] = Struct(int(rest[0]), int(rest[1]))
            return self.structs[name].fields
        if kind == "select":
            cases = (case.split("=", 1) for case in rest[1:])
            self.selects[name] = (rest[0], {int(value): parse_type(type_) for value, type_ in cases})
        elif kind in ("enum", "flags"):
            prefix, *members = rest
            self.enums[name] = Enum(kind == "flags", names("" if prefix == "-" else prefix, members))
        elif kind == "interface":
            self.interfaces[name] = rest[0] if rest else None
        else:
            need(False, f"a declaration of {kind!r}")
        return None

    def field(self, words):
        name, type_, *parts = words
        found = Field(name, parse_type(type_), place=None)
        for part in parts:
            key, _, value = part.partition(":")
            if part.startswith("@"):
                found.place = int(part[1:])
            elif part in ("out", "inout"):
                found.direction = part
            elif key == "role":
                found.role = value
            elif key in ("if", "unless"):
                sibling, _, values = value.partition("=")
                found.used = (sibling, [int(one) for one in values.split(",") if one], key == "if")
            elif key == "iid":
                found.iid = value
            elif key == "class":
                pass
            else:
                need(part.startswith("x"), f"{part!r} of field {name}")
                found.count = int(part[1:])
        return found

    def lay_out(self):
        """Gives fields without a place the one that follows from the field above."""
        for fields in [method.params for method in self.methods.values()] + [struct.fields for struct in self.structs.values()]:
            end = 0
            for one in fields:
                if one.place is None:
                    align = self.align(one.type)
                    one.place = (end + align - 1) // align * align
                end = one.place + self.size(one)

    def size(self, field):
        """Bytes of a field, all its elements together."""
        return self.size_of(field.type) * (1 if field.count is None else field.count)

    def size_of(self, type_):
        return self.measure(type_)[0]

    def align(self, type_):
        return self.measure(type_)[1]

    def measure(self, type_):
        if type_.to is not None or type_.name in self.interfaces:
            return 8, 8
        if type_.name in self.enums:
            return 4, 4
        if type_.name in self.structs:
            struct = self.structs[type_.name]
            return struct.size, struct.align
        need(type_.name in SIZES, f"type {type_.name!r} is not declared")
        return SIZES[type_.name]


def names(prefix, members):
    found, value = {}, -1
    for one in members:
        name, stated, number = one.partition("=")
        value = int(number, 0) if stated else value + 1
        found.setdefault(value & 0xffffffff, prefix + name)
    return found
