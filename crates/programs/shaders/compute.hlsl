// Every way in which a compute shader reaches a buffer, and the threads of a group reach each other.

struct Item { uint key; uint weight; };

cbuffer Settings : register(b0) { uint multiplier; uint addend; uint buckets; uint unused; };

ByteAddressBuffer raw : register(t0);
StructuredBuffer<Item> items : register(t1);
Buffer<uint4> texels : register(t2);              // R8G8B8A8_UINT

RWByteAddressBuffer raw_out : register(u0);       // one word a thread
RWStructuredBuffer<Item> items_out : register(u1);
RWBuffer<uint> histogram : register(u2);          // R32_UINT
RWByteAddressBuffer totals : register(u3);        // sum, greatest, all bits, common bits; then one word a group

groupshared uint shared_sum[64];

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint3 group : SV_GroupID, uint thread : SV_GroupIndex)
{
    uint value = raw.Load(id.x * 4) * multiplier + addend;
    raw_out.Store(id.x * 4, value);

    Item item = items[id.x];
    uint4 texel = texels[id.x];
    item.key ^= texel.x | texel.y << 8 | texel.z << 16 | texel.w << 24;
    item.weight += value & 0xff;
    items_out[id.x] = item;

    // The order of the threads does not show in any of these.
    uint before;
    InterlockedAdd(histogram[value % buckets], 1, before);
    totals.InterlockedAdd(0, value, before);
    totals.InterlockedMax(4, value, before);
    totals.InterlockedOr(8, item.key, before);
    totals.InterlockedXor(12, item.weight, before);

    // A sum over the group, as a tree.
    shared_sum[thread] = value;
    for (uint half = 32; half > 0; half >>= 1)
    {
        GroupMemoryBarrierWithGroupSync();
        if (thread < half)
            shared_sum[thread] += shared_sum[thread + half];
    }
    if (thread == 0)
        totals.Store(16 + group.x * 4, shared_sum[0]);
}
