// Writes the samples of a multisampled texture to a buffer, one sample after another, each row by row: four words for a
// texel. A thread does a texel of a sample.

cbuffer Size : register(b0)
{
    uint width;
    uint height;
    uint slice;
    // The first row of this dispatch.
    uint top;
};

Texture2DMSArray<uint4> whole : register(t0);
Texture2DMSArray<float4> fraction : register(t0);
RWByteAddressBuffer to : register(u0);

#define ROOT "RootConstants(num32BitConstants=4, b0), DescriptorTable(SRV(t0)), UAV(u0)"

void put(uint3 at, uint4 words)
{
    if (at.x < width && at.y < height)
        to.Store4(16 * ((at.z * height + at.y) * width + at.x), words);
}

[RootSignature(ROOT)]
[numthreads(8, 8, 1)]
void words(uint3 at : SV_DispatchThreadID)
{
    put(at, whole.Load(uint3(at.xy, slice), at.z));
}

[RootSignature(ROOT)]
[numthreads(8, 8, 1)]
void floats(uint3 at : SV_DispatchThreadID)
{
    put(at, asuint(fraction.Load(uint3(at.xy, slice), at.z)));
}
