"""The schema of traces before `schema 2`: the same facts as JSON. FORMAT.md does not describe it; this is how it was read:

`methods` by number, `structs`, `enums`, `interfaces` by name, `selects` by name. A field is an array: name, type, place, then
`count N`, `DIRECTION ROLE`, `optional`, `arm SIBLING [VALUES] OTHERS`, `iid SIBLING`, `class INTERFACE`; siblings by position.
"""

import json
import re

from schema import Enum, Field, Method, Schema, Struct, Type

PLAIN = {"U8": "u8", "I8": "i8", "U16": "u16", "I16": "i16", "U32": "u32", "I32": "i32", "U64": "u64", "I64": "i64",
         "F32": "f32", "F64": "f64", "Bool": "bool", "Hresult": "hresult", "Guid": "guid", "Word": "word", "Void": "void"}


def read(payload):
    tables, schema = json.loads(payload), Schema()
    for name, words in tables["interfaces"].items():
        schema.interfaces[name] = words["iid"].lower()
    for name, words in tables["enums"].items():
        names = {}
        for member, value in words["members"].items():
            names.setdefault(value & 0xffffffff, member)
        schema.enums[name] = Enum(words["flags"], names)
    for name, words in tables["structs"].items():
        schema.structs[name] = Struct(words["size"], words["align"], fields(schema, words["fields"]))
    for number, words in tables["methods"].items():
        schema.methods[int(number)] = Method(words["name"], words["order"] == "EnterLeave", type_of(schema, words["result"], []),
                                             kebab(words["result_role"]), words["returns_structure"],
                                             fields(schema, words["params"]))
    for name, words in tables["selects"].items():
        cases = {value & 0xffffffff: type_of(schema, text, []) for value, text in words["cases"]}
        schema.selects[name] = (words["selector"], cases)
    return schema


def kebab(text):
    inner = re.fullmatch(r"Blob\((.*)\)", text)
    text = inner.group(1) if inner else text
    return "" if text == "Plain" else re.sub(r"(?<!^)([A-Z])", r"-\1", text).lower()


def type_of(schema, text, siblings):
    if not text.startswith("pointer "):
        word, _, name = text.partition(" ")
        if word == "object":
            schema.interfaces.setdefault(name, None)
        return Type(name or PLAIN[word])
    rule, to = text[8:].split(" to ", 1)
    named = re.fullmatch(r'Rule\(Named\("(\w+)"\)\)|Rule\((\w+)\)', rule)
    place = re.fullmatch(r"(\w+)\((\d+)\)", rule)
    if named:
        length = ":" + kebab(named.group(1) or named.group(2))
    elif rule == "One":
        length = ""
    elif rule == "Text":
        length = ":text"
    elif place.group(1) == "Const":
        length = place.group(2)
    else:
        prefix = {"Field": "", "Through": "*", "Bytes": "bytes:", "BytesThrough": "bytes:*"}[place.group(1)]
        length = prefix + siblings[int(place.group(2))]
    return Type(to=type_of(schema, to, siblings), length=length)


def fields(schema, words):
    siblings = [field[0] for field in words]
    found = []
    for name, text, place, *rest in words:
        field = Field(name, type_of(schema, text, siblings), place)
        for word in rest:
            first, _, more = word.partition(" ")
            if first == "count":
                field.count = int(more)
            elif first in ("In", "Out", "InOut"):
                field.direction, field.role = first.lower(), kebab(more)
            elif first == "arm":
                sibling, values, others = re.fullmatch(r"(\d+) \[(.*)\] (true|false)", more).groups()
                values = [int(value) for value in values.split(",") if value.strip()]
                field.used = (siblings[int(sibling)], values, others == "false")
            elif first == "iid":
                field.iid = siblings[int(more)]
        found.append(field)
    return found
