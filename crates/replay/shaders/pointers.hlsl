// Follows pointers to instances of acceleration structures: for each it makes a command that copies the instance, by indirect.hlsl,
// into an array. A thread does a pointer.

// How many pointers, and ranges of addresses. Where the array is (an address).
cbuffer Pointers : register(b0)
{
    uint pointers;
    uint ranges;
    uint2 array;
};

// As captured.
StructuredBuffer<uint> from : register(t0);
// Ranges of addresses, as in indirect.hlsl.
StructuredBuffer<uint2> moved : register(t1);
// Eight words each: the addresses of instance and copy, groups in three directions, and one not used.
RWStructuredBuffer<uint> made : register(u0);
RWStructuredBuffer<uint> to : register(u1);

// Words of an instance.
static const uint INSTANCE = 16;

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

[RootSignature("RootConstants(num32BitConstants=4, b0), SRV(t0), SRV(t1), UAV(u0), UAV(u1)")]
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    if (id.x >= pointers)
        return;
    uint2 address = uint2(from[2 * id.x], from[2 * id.x + 1]);
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
    uint2 here = outside ? uint2(0, 0) : plus(moved[range + 2], minus(address, start));
    uint2 place = plus(array, uint2(4 * INSTANCE * id.x, 0));
    uint slot = 8 * id.x;
    made[slot] = here.x;
    made[slot + 1] = here.y;
    made[slot + 2] = place.x;
    made[slot + 3] = place.y;
    made[slot + 4] = outside ? 0 : 1;
    made[slot + 5] = 1;
    made[slot + 6] = 1;
    made[slot + 7] = 0;
    // What leads nowhere is an instance of nothing.
    if (outside)
    {
        for (uint word = 0; word < INSTANCE; word++)
            to[INSTANCE * id.x + word] = 0;
    }
}
