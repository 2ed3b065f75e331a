// Four unbounded arrays of descriptors of four kinds, each over a region of one heap, indexed by every thread for itself.

struct Pair { uint2 value; };
struct Block { uint4 value; };

StructuredBuffer<Pair> structured[] : register(t0, space1);
ByteAddressBuffer raw[] : register(t0, space2);
Buffer<uint2> typed[] : register(t0, space3);     // R32G32_UINT
ConstantBuffer<Block> blocks[] : register(b0, space4);

cbuffer Settings : register(b0) { uint count; uint step; };  // step is odd, and count a power of two
RWByteAddressBuffer output : register(u0);

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    // Neighbours look at descriptors far from each other, and of different kinds.
    uint descriptor = (id.x >> 2) * step & (count - 1);
    uint2 value;
    switch (id.x & 3)
    {
        case 0: value = structured[NonUniformResourceIndex(descriptor)][1].value; break;
        case 1: value = raw[NonUniformResourceIndex(descriptor)].Load2(8); break;
        case 2: value = typed[NonUniformResourceIndex(descriptor)][1]; break;
        default: value = blocks[NonUniformResourceIndex(descriptor)].value.zw; break;
    }
    output.Store2(id.x * 8, value);
}
