// Moves the GPU virtual addresses of an acceleration structure's instances from where resources lay at capture to where they lie now, in a
// copy. A thread does an instance of 64 bytes, of which the last eight are the address.

// How many instances, and for how many ranges of addresses the table has room.
cbuffer Counts : register(b0)
{
    uint instances;
    uint room;
};

// As captured.
StructuredBuffer<uint4> from : register(t0);
// Ranges of addresses, rising and without overlap, three each: first, end, and first now. Behind the room: how many there are.
StructuredBuffer<uint2> moved : register(t1);
RWStructuredBuffer<uint4> to : register(u0);

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

uint2 translate(uint2 address)
{
    // The last range that begins at the address or before it.
    uint low = 0;
    uint high = moved[3 * room].x;
    while (low < high)
    {
        uint middle = (low + high) / 2;
        if (before(address, moved[3 * middle]))
            high = middle;
        else
            low = middle + 1;
    }
    // The compiler may read before it decides, and root buffers have no bounds: there is a first range in any case.
    uint range = 3 * (max(low, 1) - 1);
    uint2 start = moved[range];
    uint2 end = moved[range + 1];
    // The address just past the end belongs to a view of no bytes; any other outside, and null, stays as it is.
    bool outside = before(address, start) || before(end, address);
    return outside ? address : plus(moved[range + 2], minus(address, start));
}

// Makes the copy.
[RootSignature("RootConstants(num32BitConstants=2, b0), SRV(t0), SRV(t1), UAV(u0)")]
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    if (id.x >= instances)
        return;
    uint at = 4 * id.x;
    to[at] = from[at];
    to[at + 1] = from[at + 1];
    to[at + 2] = from[at + 2];
    uint4 last = from[at + 3];
    to[at + 3] = uint4(last.xy, translate(last.zw));
}

RWStructuredBuffer<uint2> copy : register(u0);

// The copy is there, and only the addresses are to be moved.
[RootSignature("RootConstants(num32BitConstants=2, b0), SRV(t1), UAV(u0)")]
[numthreads(64, 1, 1)]
void in_place(uint3 id : SV_DispatchThreadID)
{
    if (id.x >= instances)
        return;
    uint at = 8 * id.x + 7;
    copy[at] = translate(copy[at]);
}
