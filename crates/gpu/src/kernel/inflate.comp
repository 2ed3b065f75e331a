// Decompresses GDeflate: streams of tiles of 64 KiB, each of which is 32 interleaved streams of bits that hold DEFLATE blocks.
//
// A group decodes a tile, a thread each of its streams of bits. In a round every thread reads one symbol and tells the others what it
// read; from that each knows where its bytes go and which of the next words of input are its own. Invariants: all that decides where the
// group goes next is read from shared memory behind a barrier, so that no data makes threads of a group part; no byte outside of the
// tile's input is read and none outside of its output written; every round uses up input, of which there is an end.
#version 460
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_shader_8bit_storage : require

layout(local_size_x = 32) in;

layout(buffer_reference, buffer_reference_align = 4, std430) readonly buffer Words {
    uint word;
};
layout(buffer_reference, buffer_reference_align = 1, std430) workgroupcoherent buffer Bytes {
    uint8_t bytes[];
};
layout(buffer_reference, buffer_reference_align = 4, std430) buffer Status {
    uint words[];
};

layout(push_constant) uniform Push {
    uvec2 inputs;       // addresses
    uvec2 outputs;
    uvec2 control;      // the number of streams, and where each begins in input and output
    uvec2 status;       // a word for each stream
    uint input_size;    // bytes
    uint output_size;
    uint streams;       // at most
    uint statuses;      // words
};

const uint LANES = 32;
const uint TILE = 65536;            // bytes of a whole tile
const uint MOST_INPUT = 4 * TILE;   // more is no tile
const uint MOST_CODES = 288;        // of literals and lengths; those of distances lie behind them
const uint CODES = 320;
const uint LONGEST = 15;            // bits of a code

// What statuses say; the highest error of a stream's tiles stays.
const uint NO_STREAM = 1;           // no header of a stream, or it lies outside of the input
const uint NO_INPUT = 2;            // a tile lies outside of the input, or ends before its data does
const uint NO_ROOM = 3;             // a tile lies outside of the output, or its data is longer or shorter than it should be
const uint BAD_CODE = 4;            // codes that cannot be, or none

// What threads tell each other in a round: a number, and above it:
const uint AMOUNT = 0x3ffff;
const uint REFILL = 1 << 18;        // reads a word of input, if it counts
const uint ALWAYS = 1 << 19;        // counts also behind the end
const uint END = 1 << 20;           // what comes after this thread does not count
const uint WRONG = 1 << 21;
const uint REPEAT = 1 << 22;        // repeats the length before
const uint SYMBOL = 23;             // shift: a length

shared uint mail[2][LANES];
// Matches of the round before: where they go, how long they are, and how far back they lie.
shared uint match_at[2][LANES], match_length[2][LANES], match_distance[2][LANES];
shared uint told[8];
shared uint lengths[CODES];         // of codes, by symbol
shared uint symbols[CODES];         // by code
shared uint counts[LANES];          // of codes, by length; from 16 on those of distances
shared uint limits[LANES];          // the first code behind those of a length, as 15 bits
shared uint firsts[LANES];          // from codes of a length to `symbols`

uint lane = gl_LocalInvocationIndex;

// The tile.
uvec2 source;       // address of its input
uint source_size;   // bytes
uvec2 target;
uint target_size;

// The reader: the next bits of this thread, how many there are, and the next word of the tile's input.
uint low, high, bits, next;
// Which of the two places for mail is the next.
uint turn;
// Bytes of output so far.
uint done;
// What went wrong; the same in all threads.
uint error;

uvec2 sum(uvec2 address, uint more) {
    uint carry;
    address.x = uaddCarry(address.x, more, carry);
    address.y += carry;
    return address;
}

// A word of bytes that begin anywhere; zero behind the last of `size` bytes. Words of memory that hold none of them are not read.
uint word_at(uvec2 address, uint size, uint at) {
    if (at >= size) {
        return 0;
    }
    address = sum(address, at);
    uint shift = 8 * (address.x & 3);
    address.x &= ~3u;
    uint word = Words(address).word;
    if (shift != 0) {
        uint more = size - at > 4 - shift / 8 ? Words(sum(address, 4)).word : 0;
        word = word >> shift | more << (32 - shift);
    }
    return word;
}

void refill(uint place) {
    uint word = place < MOST_INPUT / 4 ? word_at(source, source_size, place * 4) : 0;
    low |= word << bits;
    high = bits != 0 ? word >> (32 - bits) : 0;
    bits += 32;
}

// Drops fewer than 32 bits.
void use(uint count) {
    if (count != 0) {
        low = low >> count | high << (32 - count);
        high >>= count;
        bits -= count;
    }
}

// What a round says.
uint before;        // amounts of the threads before this one
uint all;           // amounts of all
bool counted;       // this thread counts
bool ended;         // a thread said so
uint matches;       // threads that always count
uint flags;         // of all that count

// Tells the others, hears what they say, and takes its bits.
void say(uint word, uint count) {
    if (bits - count < 32) {
        word |= REFILL;
    }
    mail[turn][lane] = word;
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared | gl_StorageSemanticsBuffer,
                   gl_SemanticsAcquireRelease);
    uint words = 0, mine = 0;
    bool over = ended;
    before = all = matches = flags = 0;
    counted = false;
    for (uint other = 0; other < LANES; other++) {
        uint heard = mail[turn][other];
        bool counts = !over || (heard & ALWAYS) != 0;
        if (other == lane) {
            before = all;
            mine = words;
            counted = counts;
        }
        if (counts) {
            all += heard & AMOUNT;
            words += (heard & REFILL) != 0 ? 1 : 0;
            flags |= heard;
            matches |= (heard & ALWAYS) != 0 ? 1u << other : 0;
            over = over || (heard & END) != 0;
        }
    }
    ended = over;
    turn ^= 1;
    if (counted) {
        use(count);
        if ((word & REFILL) != 0) {
            refill(next + mine);
        }
    }
    next += words;
    // Each thread may have a word more than it needs.
    if (next > source_size / 4 + 1 + LANES) {
        error = NO_INPUT;
    }
    if ((flags & WRONG) != 0) {
        error = BAD_CODE;
    }
}

// Makes decoders of the lengths of codes: for literals and lengths, or lengths of codes, and for distances. A thread looks after the codes
// of one length.
void build(uint literals, uint distances) {
    uint base = lane < 16 ? 0 : MOST_CODES, number = lane < 16 ? literals : distances, length = lane & 15;
    barrier();
    uint count = 0;
    for (uint symbol = 0; symbol < number; symbol++) {
        count += lengths[base + symbol] == length ? 1 : 0;
    }
    counts[lane] = length != 0 ? count : 0;
    barrier();
    uint at = 0, code = 0;
    for (uint shorter = 1; shorter < length; shorter++) {
        at += counts[lane - length + shorter];
        code += counts[lane - length + shorter] << (LONGEST - shorter);
    }
    firsts[lane] = at - (code >> (LONGEST - length));
    limits[lane] = length != 0 ? code + (count << (LONGEST - length)) : 0;
    if (length != 0) {
        for (uint symbol = 0; symbol < number; symbol++) {
            if (lengths[base + symbol] == length) {
                symbols[base + at++] = symbol;
            }
        }
    }
    barrier();
    if (max(limits[LONGEST], limits[16 + LONGEST]) > 1 << LONGEST) {
        error = BAD_CODE;
    }
}

// The symbol at the beginning of this thread's bits, and the length of its code: 16 where none fits.
uint decode(bool distance, out uint length) {
    uint code = bitfieldReverse(low) >> (32 - LONGEST), base = distance ? 16 : 0, shorter = 0;
    shorter += code >= limits[base + 8] ? 8 : 0;
    shorter += code >= limits[base + shorter + 4] ? 4 : 0;
    shorter += code >= limits[base + shorter + 2] ? 2 : 0;
    shorter += code >= limits[base + shorter + 1] ? 1 : 0;
    length = shorter + 1;
    if (length > LONGEST) {
        return 0;
    }
    uint at = firsts[base + length] + (code >> (LONGEST - length));
    return symbols[distance ? MOST_CODES + min(at, 31) : min(at, MOST_CODES - 1)];
}

// Reads the lengths of a block's codes.
void read_codes(uint literals, uint distances, uint number) {
    const uint ORDER[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    barrier();
    for (uint symbol = lane; symbol < CODES; symbol += LANES) {
        lengths[symbol] = 0;
    }
    barrier();
    if (lane < number) {
        lengths[ORDER[lane]] = low & 7;
    }
    ended = false;
    say(0, lane < number ? 3 : 0);
    build(19, 0);
    // All have read the lengths of these codes.
    for (uint symbol = lane; symbol < CODES; symbol += LANES) {
        lengths[symbol] = 0;
    }
    barrier();
    uint most = literals + distances, at = 0, last = ~0u;
    while (at < most && error == 0) {
        uint length, symbol = decode(false, length), extra = 0, amount = 1;
        bool wrong = length > LONGEST;
        if (symbol >= 16) {
            extra = symbol == 18 ? 7 : symbol - 14;
            amount = (symbol == 18 ? 11 : 3) + bitfieldExtract(low, int(length), int(extra));
        }
        uint count = wrong ? 0 : length + extra;
        uint word = amount | (symbol < 16 ? symbol << SYMBOL : symbol == 16 ? REPEAT : 0);
        word |= (wrong ? WRONG : 0) | (bits - count < 32 ? REFILL : 0);
        mail[turn][lane] = word;
        barrier();
        uint words = 0, mine = 0, start = most, value = 0;
        bool bad = false;
        for (uint other = 0; other < LANES && at < most; other++) {
            uint heard = mail[turn][other];
            bool repeats = (heard & REPEAT) != 0;
            bad = bad || (heard & WRONG) != 0 || repeats && last == ~0u;
            last = repeats ? last : heard >> SYMBOL;
            if (other == lane) {
                start = at;
                mine = words;
                value = last;
            }
            at += heard & AMOUNT;
            words += (heard & REFILL) != 0 ? 1 : 0;
        }
        turn ^= 1;
        if (start < most) {
            use(count);
            if ((word & REFILL) != 0) {
                refill(next + mine);
            }
            for (uint place = start; place < min(start + amount, most); place++) {
                lengths[place < literals ? place : MOST_CODES + place - literals] = value & 15;
            }
        }
        next += words;
        if (bad || at > most) {
            error = BAD_CODE;
        } else if (next > source_size / 4 + 1 + LANES) {
            error = NO_INPUT;
        }
    }
    if (error == 0) {
        build(literals, distances);
    }
}

// The codes of blocks that bring none.
void fixed_codes() {
    barrier();
    for (uint symbol = lane; symbol < CODES; symbol += LANES) {
        lengths[symbol] = symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : symbol < MOST_CODES ? 8 : 5;
    }
    build(MOST_CODES, CODES - MOST_CODES);
}

// Copies what the round before has found, in the order of the output.
void copy_matches(uint turn, uint matches) {
    uint fresh = ~0u;
    while (matches != 0) {
        uint match = findLSB(matches);
        matches &= matches - 1;
        uint at = match_at[turn][match], length = match_length[turn][match], distance = match_distance[turn][match];
        uint from = at - distance;
        if (from + min(length, distance) > fresh) {
            controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
            fresh = ~0u;
        }
        fresh = min(fresh, at);
        Bytes bytes = Bytes(target);
        for (uint part = lane; part < length; part += LANES) {
            bytes.bytes[at + part] = bytes.bytes[from + (distance < length ? part % distance : part)];
        }
    }
}

void compressed_block() {
    bool matching = false, last = false;
    uint at = 0, length = 0;
    ended = false;
    while (error == 0) {
        uint word = 0, count = 0, symbol = 0, amount = 0;
        if (matching || !last) {
            uint extra = 0, value = 0, own;
            symbol = decode(matching, own);
            if (matching) {
                extra = symbol < 2 ? 0 : (symbol >> 1) - 1;
                value = 1 + (symbol < 2 ? symbol : (2 + (symbol & 1)) << extra);
            } else if (symbol == 285) {
                // As in DEFLATE64.
                extra = 16;
                value = 3;
            } else if (symbol > 256) {
                uint kind = symbol - 257;
                extra = kind < 8 ? 0 : (kind >> 2) - 1;
                value = 3 + (kind < 4 ? kind : (4 + (kind & 3)) << extra);
            } else {
                value = symbol < 256 ? 1 : 0;
            }
            count = own + extra;
            value += bitfieldExtract(low, int(own), int(extra));
            bool wrong = own > LONGEST || symbol > 285 && !matching;
            if (matching) {
                wrong = wrong || value > at;
                match_at[turn][lane] = at;
                match_length[turn][lane] = length;
                match_distance[turn][lane] = value;
                word = ALWAYS;
            } else {
                amount = value;
                word = amount | (symbol == 256 ? END : 0);
            }
            if (wrong) {
                count = 0;
                word |= WRONG;
            }
        }
        uint here = turn;
        say(word, count);
        if (error == 0 && all > target_size - done) {
            error = NO_ROOM;
        }
        if (error != 0) {
            break;
        }
        bool mine = counted && !matching && !last;
        if (mine && symbol < 256) {
            Bytes(target).bytes[done + before] = uint8_t(symbol);
        }
        copy_matches(here, matches);
        matching = mine && symbol > 256;
        at = done + before;
        length = amount;
        done += all;
        if (last) {
            break;
        }
        last = ended;
    }
}

void stored_block(uint size) {
    if (size > target_size - done) {
        error = NO_ROOM;
    }
    ended = false;
    for (uint at = 0; at < size && error == 0; at += LANES) {
        bool mine = at + lane < size;
        if (mine) {
            Bytes(target).bytes[done + at + lane] = uint8_t(low & 255);
        }
        say(0, mine ? 8 : 0);
    }
    done += size;
}

void tile() {
    low = high = bits = 0;
    next = LANES;
    done = 0;
    refill(lane);
    bool last = false, fixed_ones = false;
    while (!last && error == 0) {
        barrier();
        if (lane == 0) {
            told[0] = low;
            told[1] = bits;
        }
        barrier();
        uint header = told[0], kind = bitfieldExtract(header, 1, 2);
        uint count = kind == 0 ? 19 : kind == 2 ? 17 : 3;
        bool more = told[1] - count < 32;
        last = (header & 1) != 0;
        if (lane == 0) {
            use(count);
            if (more) {
                refill(next);
            }
        }
        next += more ? 1 : 0;
        if (next > source_size / 4 + 1 + LANES) {
            error = NO_INPUT;
        } else if (kind == 0) {
            stored_block(bitfieldExtract(header, 3, 16));
        } else if (kind == 3) {
            error = BAD_CODE;
        } else {
            if (kind == 2) {
                fixed_ones = false;
                uint literals = 257 + bitfieldExtract(header, 3, 5);
                read_codes(literals, 1 + bitfieldExtract(header, 8, 5), 4 + bitfieldExtract(header, 13, 4));
            } else if (!fixed_ones) {
                fixed_ones = true;
                fixed_codes();
            }
            compressed_block();
        }
    }
    if (error == 0 && done != target_size) {
        error = NO_ROOM;
    }
}

// Where a tile of a stream lies, found by one thread; the number of the stream's tiles, and what is wrong.
void find(uint stream, uint number) {
    uint tiles = 0, wrong = 0, from = 0, size = 0, to = 0, room = 0;
    if (stream < Words(control).word) {
        uint begin = Words(sum(control, 4 + 8 * stream)).word, out_begin = Words(sum(control, 8 + 8 * stream)).word;
        uint left = input_size - min(begin, input_size);
        uvec2 header = sum(inputs, begin);
        uint kind = word_at(header, left, 0), sizes = word_at(header, left, 4);
        tiles = kind >> 16;
        uint table = 8 + 4 * tiles;
        // Encoders number the format differently; the second byte is what the first is not.
        if (left < table || ((kind ^ kind >> 8) & 0xff) != 0xff || (sizes & 3) != 1) {
            tiles = 1;
            wrong = NO_STREAM;
        } else if (number < tiles) {
            bool last = number + 1 == tiles;
            uint start = number != 0 ? word_at(header, left, 8 + 4 * number) : 0;
            uint end = word_at(header, left, last ? 8 : 12 + 4 * number);
            left -= table;
            size = last ? end : end - start;
            if (start > left || size > left - start || !last && end < start || size > MOST_INPUT) {
                wrong = NO_INPUT;
            }
            from = begin + table + start;
            uint rest = bitfieldExtract(sizes, 2, 18);
            room = last && rest != 0 ? rest : TILE;
            uint carry;
            to = uaddCarry(out_begin, number * TILE, carry);
            if (wrong == 0 && (room > TILE || carry != 0 || to > output_size || room > output_size - to)) {
                wrong = NO_ROOM;
            }
        }
    }
    told[2] = tiles;
    told[3] = wrong;
    told[4] = from;
    told[5] = size;
    told[6] = to;
    told[7] = room;
}

void main() {
    turn = 0;
    for (uint stream = gl_WorkGroupID.y; stream < streams; stream += gl_NumWorkGroups.y) {
        for (uint number = gl_WorkGroupID.x;; number += gl_NumWorkGroups.x) {
            barrier();
            if (lane == 0) {
                find(stream, number);
            }
            barrier();
            if (number >= told[2]) {
                break;
            }
            error = told[3];
            source = sum(inputs, told[4]);
            source_size = told[5];
            target = sum(outputs, told[6]);
            target_size = told[7];
            if (error == 0) {
                tile();
            }
            if (error != 0 && lane == 0 && stream < statuses) {
                atomicMax(Status(status).words[stream], error);
            }
        }
    }
}
