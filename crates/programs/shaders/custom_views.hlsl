// Custom views of `reprise show --shader`, for its tests.

cbuffer View : register(b0)
{
    uint2 size;
    uint mip;
    uint slice;
    float2 range;
    uint sample_index;
    uint call;
};

SamplerState nearest : register(s0);
SamplerState smooth : register(s1);

Texture2D<float4> values : register(t0);

// The texel, where it lies, and what the view is of.
float4 floats(float4 position : SV_Position, float2 uv : TEXCOORD0) : SV_Target
{
    float value = values.Load(int3(position.xy, 0)).x;
    float same = values.SampleLevel(nearest, uv, 0).x == value ? 1 : -1;
    return float4(1 - value, same * floor(position.x), floor(uv.y * size.y), call + range.y * 4096);
}

Texture2D<uint4> numbers : register(t0);

float4 words(float4 position : SV_Position) : SV_Target
{
    uint4 texel = numbers.Load(int3(position.xy, 0));
    return float4(texel.x & 0xffff, texel.x >> 16, texel.w & 0xffff, texel.w >> 16);
}

// What a view does not have.
RWByteAddressBuffer written : register(u1);

float4 writes(float4 position : SV_Position) : SV_Target
{
    written.Store(0, 1);
    return 0;
}
