// Writes one sample of each texel of a multisampled texture to a buffer, row by row: four words for a texel. A thread does a texel.

cbuffer Size : register(b0)
{
    uint width;
    uint height;
    uint sample_index;
};

Texture2DMS<uint4> whole : register(t0);
Texture2DMS<float4> fraction : register(t0);
RWByteAddressBuffer to : register(u0);

#define ROOT "RootConstants(num32BitConstants=3, b0), DescriptorTable(SRV(t0)), UAV(u0)"

void put(uint2 at, uint4 words)
{
    if (at.x < width && at.y < height)
        to.Store4(16 * (at.y * width + at.x), words);
}

// Of formats whose channels are whole numbers.
[RootSignature(ROOT)]
[numthreads(8, 8, 1)]
void words(uint3 at : SV_DispatchThreadID)
{
    put(at.xy, whole.Load(int2(at.xy), sample_index));
}

// Of all others: the bits of the floats that they are read as.
[RootSignature(ROOT)]
[numthreads(8, 8, 1)]
void floats(uint3 at : SV_DispatchThreadID)
{
    put(at.xy, asuint(fraction.Load(int2(at.xy), sample_index)));
}
