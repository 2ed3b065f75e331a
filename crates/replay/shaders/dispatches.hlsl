// Reads indirect dispatches of rays, and makes for each of their tables of shader records a command that copies it, by
// records.hlsl, to memory of replay's own. The dispatches are then of the copies. A thread does a table.

// In 32-bit words: the distance between commands, and where the description of a dispatch begins in one. How many commands, and
// ranges of addresses. Where the copies go (an address). Words that there are for the copy of a ray generation record, and of any
// other table. Whether a number in memory says how many of the commands count.
cbuffer Commands : register(b0)
{
    uint stride;
    uint rays;
    uint commands;
    uint ranges;
    uint2 scratch;
    uint2 room;
    uint counted;
};

// As captured.
StructuredBuffer<uint> from : register(t0);
// Ranges of addresses, as in indirect.hlsl.
StructuredBuffer<uint2> moved : register(t1);
StructuredBuffer<uint> count : register(t2);
// Copies of the commands.
RWStructuredBuffer<uint> to : register(u0);
// Twelve words each: the constants of records.hlsl, the addresses of table and copy, groups in three directions, and one not used.
RWStructuredBuffer<uint> made : register(u1);
// How many tables had no room, and how many have been copied.
RWStructuredBuffer<uint> totals : register(u2);

static const uint TABLES = 4;
static const uint GROUP = 64;
// Words of the longest record that there can be.
static const uint LONGEST = 1024;

bool before(uint2 left, uint2 right)
{
    return left.y != right.y ? left.y < right.y : left.x < right.x;
}

uint2 plus(uint2 left, uint2 right)
{
    uint low = left.x + right.x;
    return uint2(low, left.y + right.y + (low < left.x ? 1 : 0));
}

uint2 minus(uint2 left, uint2 right)
{
    return uint2(left.x - right.x, left.y - right.y - (left.x < right.x ? 1 : 0));
}

uint2 long_at(uint word)
{
    return uint2(from[word], from[word + 1]);
}

[RootSignature("RootConstants(num32BitConstants=9, b0), SRV(t0), SRV(t1), SRV(t2), UAV(u0), UAV(u1), UAV(u2)")]
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    uint command = id.x / TABLES;
    uint table = id.x % TABLES;
    if (command >= commands)
        return;
    uint desc = command * stride + rays;
    // A ray generation record has no stride; the others follow it.
    uint at = desc + (table == 0 ? 0 : 6 * table - 2);
    uint2 address = long_at(at);
    uint2 bytes = long_at(at + 2);
    uint2 distance = table == 0 ? uint2(0, 0) : long_at(at + 4);
    bool traces = from[desc + 22] != 0 && from[desc + 23] != 0 && from[desc + 24] != 0;
    bool counts = counted == 0 || command < count[0];
    bool used = counts && traces && any(address) && any(bytes);

    // Where the table lies here.
    uint low = 0;
    uint high = ranges;
    while (low < high)
    {
        uint middle = (low + high) / 2;
        if (before(address, moved[3 * middle]))
            high = middle;
        else
            low = middle + 1;
    }
    uint range = 3 * (max(low, 1) - 1);
    uint2 start = moved[range];
    bool outside = before(address, start) || !before(address, moved[range + 1]);
    uint2 here = outside ? address : plus(moved[range + 2], minus(address, start));

    // Of a table without a distance all records are the first one.
    uint words = bytes.y != 0 ? 0xffffffff : bytes.x / 4;
    uint length = distance.y != 0 ? 0xffffffff : distance.x / 4;
    if (length == 0)
    {
        words = min(words, LONGEST);
        length = max(words, 1);
    }
    uint most = table == 0 ? room.x : room.y;
    bool fits = words <= most;
    bool copied = used && fits && !outside;
    uint offset = 4 * (command * (room.x + 3 * room.y) + (table == 0 ? 0 : room.x + (table - 1) * room.y));
    uint2 place = plus(scratch, uint2(offset, 0));
    uint records = copied ? (words + min(length, words) - 1) / max(min(length, words), 1) : 0;

    uint slot = 12 * id.x;
    made[slot] = min(length, words);
    made[slot + 1] = words;
    made[slot + 2] = records;
    made[slot + 3] = ranges;
    made[slot + 4] = here.x;
    made[slot + 5] = here.y;
    made[slot + 6] = place.x;
    made[slot + 7] = place.y;
    made[slot + 8] = (records + GROUP - 1) / GROUP;
    made[slot + 9] = 1;
    made[slot + 10] = 1;
    made[slot + 11] = 0;
    if (used)
    {
        to[at] = copied ? place.x : here.x;
        to[at + 1] = copied ? place.y : here.y;
        if (copied)
        {
            to[at + 2] = 4 * words;
            to[at + 3] = 0;
        }
        uint total = copied ? 1 : 0;
        if (copied || !fits)
            InterlockedAdd(totals[total], 1);
    }
}
