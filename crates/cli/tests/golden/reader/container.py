"""The trace file of FORMAT.md: header, chunks, blobs, and the records of its events.

Written from FORMAT.md alone. It trusts nothing: what FORMAT.md calls an error raises Damage with the place.
"""

import struct
from dataclasses import dataclass, field

import xxhash
import zstandard

MAGIC = b"\x89RPR\r\n\x1a\n"
EVENTS, BLOBS, SCHEMA, META, RANGES, INDEX, FOOTER = range(1, 8)
PAD, ENTER, LEAVE, PART, BLOB, MEMORY, OBSERVE, FRAME, FACT, GAP, THREAD, PAGES = range(12)
LEFT_OUT = 20  # The number of a fact.
SEQUENCE, TICKS, ORDERED, AFTER, LEAVES = 1, 2, 4, 8, 16
MASK32, MASK64 = (1 << 32) - 1, (1 << 64) - 1
MOST_BYTES = 1 << 30


class Damage(Exception):
    """The file is not what FORMAT.md says."""


def need(holds, what):
    if not holds:
        raise Damage(what)


@dataclass
class Chunk:
    place: int
    kind: int
    payload: bytes
    first: int  # Events: calls before; blobs: id of the first.
    sequence: int
    frame: int
    count: int  # Events: calls that begin; blobs: how many.
    unpacked: int


@dataclass
class Record:
    kind: int
    method: int
    flags: int
    object: int
    ordinal: int
    thread: int
    frame: int
    sequence: int | None
    ticks: int | None
    payload: bytes
    blobs: dict = field(default_factory=dict)  # Of the thread's Blob records before: number to id.
    call: int = 0  # Number of the call that it begins or ends; of others, the last call before it.


@dataclass
class State:
    instant: tuple
    threads: dict  # Thread to (ticks, open calls).


def header(data):
    """Checks the file's header and gives (ticks, ns since 1970, monotonic ns) of the session's beginning."""
    need(len(data) >= 64, "the file is shorter than a header")
    need(data[:8] == MAGIC, "no magic")
    version, size = struct.unpack_from("<HH", data, 8)
    need(version == 2, f"version {version}")
    need(size == 64, f"a header of {size} bytes")
    need(xxhash.xxh3_64_intdigest(data[:56]) == struct.unpack_from("<Q", data, 56)[0], "checksum of the header")
    return struct.unpack_from("<3Q", data, 24)


def chunk_header(data, place, magic):
    """The fields of a chunk's header, or None where there is no sound one."""
    head = data[place:place + 64]
    if len(head) < 64 or head[:4] != magic:
        return None
    # The header in an index page begins with RPIX; its checksum is that of the chunk's own.
    sound = b"RPCK" + head[4:56]
    if xxhash.xxh3_64_intdigest(sound) != struct.unpack_from("<Q", head, 56)[0]:
        return None
    return struct.unpack_from("<4sBBHIIQQQIIIBB", head, 0)


def of_differences(payload, row):
    """What has these differences from row to row."""
    need(row > 0, "rows of no bytes")
    made = bytearray(payload)
    for at in range(row, len(made)):
        made[at] ^= made[at - row]
    return bytes(made)


def chunks(data):
    """All sound chunks from the beginning on, in order."""
    place = 64
    while place + 64 <= len(data):
        head = chunk_header(data, place, b"RPCK")
        if head is None:
            # The trailer, or damage: the next chunk is looked for.
            place = data.find(b"RPCK", place + 1)
            if place < 0:
                return
            continue
        _, kind, packing, _, stored, size, checksum, first, sequence, frame, count, unpacked, _, row = head
        payload = data[place + 64:place + 64 + stored]
        if len(payload) == stored and xxhash.xxh3_64_intdigest(payload) == checksum:
            need(size <= MOST_BYTES and size <= max(stored, 1) * 32768, f"chunk at {place}: {size} bytes")
            if packing in (1, 3):
                payload = zstandard.ZstdDecompressor().decompress(payload, max_output_size=size)
            if packing == 3:
                payload = of_differences(payload, 4 * row)
            need(packing in (0, 1, 3), f"chunk at {place}: packing {packing}")
            need(len(payload) == size, f"chunk at {place}: {len(payload)} bytes, {size} are stated")
            yield Chunk(place, kind, payload, first, sequence, frame, count, unpacked)
        place += 64 + stored


def blobs(chunk):
    """Id and content of each blob of a chunk."""
    heads, at = [], 24 * chunk.count
    for number in range(chunk.count):
        digest, (length,) = chunk.payload[24 * number:24 * number + 16], struct.unpack_from("<Q", chunk.payload, 24 * number + 16)
        heads.append((digest, length))
    for number, (digest, length) in enumerate(heads):
        content = chunk.payload[at:at + length]
        need(len(content) == length, f"blob {chunk.first + number} goes beyond its chunk")
        # FORMAT.md says XXH3-128 and "all numbers are little-endian".
        need(int.from_bytes(digest, "little") == xxhash.xxh3_128_intdigest(content), f"hash of blob {chunk.first + number}")
        yield chunk.first + number, content
        at += length


class Lanes:
    """A form: the first 8 bytes of a record's header, and what its lanes are predicted to be."""

    def __init__(self, head):
        self.head = head
        self.size, self.method, self.kind, self.flags = struct.unpack("<IHBB", head)
        need(self.size % 8 == 0 and self.size >= 16, f"a form of {self.size} bytes")
        self.count = min(64, (self.size - 8) // 4)
        self.values = [0] * self.count
        self.steps = [0] * self.count
        self.before = [0] * self.count

    def take(self, mask, lanes, at):
        for lane in range(self.count):
            if mask >> lane & 1:
                value = struct.unpack_from("<I", lanes, at)[0]
                at += 4
            else:
                step = self.steps[lane] if self.steps[lane] == self.before[lane] else 0
                value = (self.values[lane] + step) & MASK32
            self.before[lane] = self.steps[lane]
            self.steps[lane] = (value - self.values[lane]) & MASK32
            self.values[lane] = value
        return at


def unpack(chunk):
    """The records of an events chunk as bytes, and where the state begins."""
    payload = chunk.payload
    need(len(payload) >= 20, "events without sections")
    lengths = struct.unpack_from("<5I", payload, 0)
    need(20 + sum(lengths) <= len(payload), "sections go beyond the chunk")
    sections, at = [], 20
    for length in lengths:
        sections.append(payload[at:at + length])
        at += length
    codes, masks, lanes, heads, rest = sections
    forms, records = [], []
    code_at = mask_at = lane_at = rest_at = 0
    while code_at < len(codes):
        code = shift = 0
        while True:
            byte = codes[code_at]
            code_at += 1
            code |= (byte & 127) << shift
            shift += 7
            if not byte & 128:
                break
        if code == 0:
            size = struct.unpack_from("<I", rest, rest_at)[0]
            need(size >= 16 and rest_at + size <= len(rest), "a record goes beyond its section")
            records.append(rest[rest_at:rest_at + size])
            rest_at += size
            continue
        if code == len(forms) + 1:
            need(len(forms) < 1024, "too many forms")
            forms.append(Lanes(heads[8 * len(forms):8 * len(forms) + 8]))
        need(code <= len(forms), f"form {code} of {len(forms)}")
        form = forms[code - 1]
        width = (form.count + 7) // 8
        mask = int.from_bytes(masks[mask_at:mask_at + width], "little")
        mask_at += width
        lane_at = form.take(mask, lanes, lane_at)
        beyond = form.size - 8 - 4 * form.count
        records.append(form.head + struct.pack(f"<{form.count}I", *form.values) + rest[rest_at:rest_at + beyond])
        rest_at += beyond
    need((mask_at, lane_at, rest_at) == (len(masks), len(lanes), len(rest)), "sections have more than the records take")
    need(sum(map(len, records)) == chunk.unpacked, f"{sum(map(len, records))} bytes of records, {chunk.unpacked} are stated")
    return records, at


def state(payload, at):
    """The state behind the records of an events chunk."""
    *instant, threads = struct.unpack_from("<4Q", payload, at)
    at += 32
    found = {}
    for _ in range(threads):
        thread, calls, _position, ticks = struct.unpack_from("<IIQQ", payload, at)
        at += 24
        found[thread] = (ticks, list(struct.unpack_from(f"<{calls}Q", payload, at)))
        at += 8 * calls
    need(at == len(payload), "bytes behind the state")
    return State(tuple(instant), found)


def events(chunk):
    """The records of an events chunk, with threads, frames and numbers of calls; and its state."""
    raw, at = unpack(chunk)
    known = state(chunk.payload, at)
    ticks = {thread: last for thread, (last, _) in known.threads.items()}
    calls = {thread: list(open_calls) for thread, (_, open_calls) in known.threads.items()}
    pending = {}
    number, sequence, frame, thread = chunk.first, chunk.sequence, chunk.frame, None
    found = []
    for data in raw:
        size, method, kind, flags, subject, ordinal = struct.unpack_from("<IHBBII", data, 0)
        need(size == len(data) and kind <= PAGES and flags < 32, "a record's header")
        at = 16
        record = Record(kind, method, flags, subject, ordinal, thread, frame, None, None, b"")
        if flags & SEQUENCE:
            record.sequence = (sequence + struct.unpack_from("<Q", data, at)[0]) & MASK64
            sequence = (record.sequence + 1) & MASK64
            at += 8
        if flags & TICKS:
            record.ticks = (ticks.get(thread, 0) + struct.unpack_from("<Q", data, at)[0]) & MASK64
            ticks[thread] = record.ticks
            at += 8
        if flags & AFTER:
            at += 8
        record.payload = data[at:]
        if kind == THREAD:
            thread = subject
            continue
        need(thread is not None, "a record before the first Thread record")
        if kind == BLOB:
            pending.setdefault(thread, {})[ordinal] = struct.unpack_from("<Q", record.payload, 0)[0]
            continue
        if kind == ENTER:
            number += 1
            record.call = number
            if flags & LEAVES:
                calls.setdefault(thread, []).append(number)
        elif kind == LEAVE:
            need(calls.get(thread), f"a Leave of thread {thread}, which is in no call")
            record.call = calls[thread].pop()
        else:
            if kind == FACT and struct.unpack_from("<I", record.payload, 0)[0] == LEFT_OUT:
                calls_left_out, frames_left_out = struct.unpack_from("<QI", record.payload, 8)
                number += calls_left_out
                frame += frames_left_out
            record.call = number
        if kind in (ENTER, LEAVE):
            record.blobs = dict(pending.get(thread, {}))
        found.append(record)
        if kind == FRAME:
            frame += 1
    return found, known
