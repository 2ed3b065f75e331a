// Copies a table of shader records, and makes what they hold right for this device: identifiers, GPU virtual addresses, and handles of
// descriptor tables. A thread does a record.

// The distance between records and the length of the table, both in 32-bit words; how many records begin in it; and how many ranges
// of addresses there are.
cbuffer Table : register(b0)
{
    uint stride;
    uint words;
    uint records;
    uint ranges;
};

// As captured.
StructuredBuffer<uint> from : register(t0);
// Ranges of addresses, rising and without overlap, three each: first, end, and first now.
StructuredBuffer<uint2> moved : register(t1);
// Begins with the number of identifiers, their place, the number of heaps and their place, in words.
// An identifier, rising by its words from the last to the first: eight words as captured, eight now, the place of its layout.
// A layout: the number of fields, then for each its word in the record times two, and one more for a handle.
// A heap, rising: first handle, end, first handle now, two words each; the distance of handles as captured and now.
StructuredBuffer<uint> facts : register(t2);
RWStructuredBuffer<uint> to : register(u0);

static const uint IDENTIFIER = 17;
static const uint HEAP = 8;

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

uint2 fact(uint at)
{
    return uint2(facts[at], facts[at + 1]);
}

uint2 translate_address(uint2 address)
{
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
    uint2 end = moved[range + 1];
    // The address just past the end belongs to a view of no bytes; any other outside, and null, stays as it is.
    bool outside = before(address, start) || before(end, address);
    return outside ? address : plus(moved[range + 2], minus(address, start));
}

uint2 translate_handle(uint2 handle)
{
    uint low = 0;
    uint high = facts[2];
    uint heaps = facts[3];
    while (low < high)
    {
        uint middle = (low + high) / 2;
        if (before(handle, fact(heaps + HEAP * middle)))
            high = middle;
        else
            low = middle + 1;
    }
    uint heap = heaps + HEAP * (max(low, 1) - 1);
    uint2 start = fact(heap);
    // The handle just past the end belongs to a table of nothing, as such an address.
    bool outside = facts[2] == 0 || before(handle, start) || before(fact(heap + 2), handle);
    // A heap has fewer than 2^32 bytes of handles.
    uint distance = minus(handle, start).x;
    uint increment = max(facts[heap + 6], 1);
    uint index = distance / increment;
    uint2 now = plus(fact(heap + 4), uint2(index * facts[heap + 7] + distance % increment, 0));
    return outside ? handle : now;
}

// The place of an identifier among the facts; 0 where it is not known.
uint find(uint base)
{
    uint low = 0;
    uint high = facts[0];
    while (low < high)
    {
        uint middle = (low + high) / 2;
        uint entry = facts[1] + IDENTIFIER * middle;
        // Of the words that differ, the last one decides.
        bool less = false;
        bool same = true;
        for (uint word = 0; word < 8; word++)
        {
            uint left = from[base + word];
            uint right = facts[entry + word];
            less = left != right ? left < right : less;
            same = same && left == right;
        }
        if (same)
            return entry;
        if (less)
            high = middle;
        else
            low = middle + 1;
    }
    return 0;
}

[RootSignature("RootConstants(num32BitConstants=4, b0), SRV(t0), SRV(t1), SRV(t2), UAV(u0)")]
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    if (id.x >= records)
        return;
    uint base = id.x * stride;
    uint size = min(stride, words - base);
    for (uint word = 0; word < size; word++)
        to[base + word] = from[base + word];
    if (size < 8)
        return;
    uint entry = find(base);
    if (entry == 0)
        return;
    for (uint part = 0; part < 8; part++)
        to[base + part] = facts[entry + 8 + part];
    uint layout = facts[entry + 16];
    uint fields = facts[layout];
    for (uint field = 1; field <= fields; field++)
    {
        uint what = facts[layout + field];
        uint at = what / 2;
        if (at + 2 <= size)
        {
            uint2 old = uint2(from[base + at], from[base + at + 1]);
            uint2 now;
            if (what % 2 == 0)
                now = translate_address(old);
            else
                now = translate_handle(old);
            to[base + at] = now.x;
            to[base + at + 1] = now.y;
        }
    }
}
