// Dispatches whose size, constants and buffers come from memory that the GPU wrote.

cbuffer Constants : register(b0) { uint mark; uint add; };

ByteAddressBuffer input : register(t0);
RWByteAddressBuffer output : register(u0);

// Thread groups count themselves: word `mark + group` gets one for each of its threads, and `add` on top.
[numthreads(8, 1, 1)]
void count(uint3 group : SV_GroupID)
{
    uint before;
    output.InterlockedAdd((mark + group.x + 16 * group.y + 64 * group.z) * 4, 1 + add, before);
}

// Writes the arguments of dispatches: command i has i + 1, 1 + (i & 1), 1 groups, behind `add` other words, every `mark` bytes.
[numthreads(1, 1, 1)]
void arguments(uint3 id : SV_DispatchThreadID)
{
    uint at = id.x * mark + add * 4;
    output.Store3(at, uint3(id.x + 1, 1 + (id.x & 1), 1));
}

// Copies from one root view to another.
[numthreads(8, 1, 1)]
void move(uint3 id : SV_DispatchThreadID)
{
    output.Store((mark + id.x) * 4, input.Load(id.x * 4) + add);
}
