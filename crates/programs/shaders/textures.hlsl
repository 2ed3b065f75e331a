// Reads one texel a pixel, by address and by two samplers, and writes what it got as numbers.
cbuffer Rectangle : register(b0)
{
    uint4 edges;
    float2 scale;
    float depth;
    uint choice; // slice | level << 8
    uint4 value; // 1 / size of the level, as the bits of two floats
};

Texture2DArray<float4> colours : register(t0);
Texture2DArray<uint4> numbers : register(t0);
Texture2D<float> shadow : register(t0);
SamplerState fixed : register(s0);
SamplerState heaped : register(s1);
SamplerComparisonState compared : register(s2);

uint bytes(float4 colour)
{
    uint4 part = uint4(saturate(colour) * 255 + 0.5);
    return part.x | part.y << 8 | part.z << 16 | part.w << 24;
}

int4 texel(float4 position)
{
    return int4(int2(position.xy) - int2(edges.xy), choice & 255, choice >> 8);
}

// By address, by the static sampler that clamps, and by the heap's that repeats, one period further on.
uint4 colour(float4 position : SV_Position) : SV_Target
{
    int4 at = texel(position);
    float2 centre = (at.xy + 0.5) * asfloat(value.xy);
    return uint4(bytes(colours.Load(at)),
                 bytes(colours.SampleLevel(fixed, float3(centre, at.z), at.w)),
                 bytes(colours.SampleLevel(heaped, float3(centre + 1, at.z), at.w)),
                 at.z | at.w << 8);
}

// The numbers that a texture of integers holds.
uint4 number(float4 position : SV_Position) : SV_Target
{
    return numbers.Load(texel(position));
}

// The bits of floats; what a format lacks comes as 0, 0, 1.
uint4 bits(float4 position : SV_Position) : SV_Target
{
    return asuint(colours.Load(texel(position)));
}

// A depth buffer, read as a texture: its bits, and whether a reference is less.
uint4 depth_bits(float4 position : SV_Position) : SV_Target
{
    int2 at = texel(position).xy;
    float2 centre = (at + 0.5) * asfloat(value.xy);
    return uint4(asuint(shadow.Load(int3(at, 0))),
                 uint(shadow.SampleCmpLevelZero(compared, centre, 0.5)),
                 uint(shadow.SampleCmpLevelZero(compared, centre, 0.25)),
                 7);
}
