// Comparisons with texels of a level that gradients or a bias choose, clamped or not.
Texture2D<float> depths : register(t0);
SamplerComparisonState compared : register(s0);

cbuffer Draw : register(b0)
{
    uint4 edges;
    float2 scale;
    float depth;
    uint choice;
    float4 value; // gradient or bias, the least level, the reference
};

uint4 pixel(float4 position : SV_Position) : SV_Target
{
    // One texel of the first level for each pixel.
    float2 at = position.xy / 64;
    float2 x = float2(value.x / 64, 0), y = float2(0, value.x / 64);
    uint told = depths.SampleCmpGrad(compared, at, value.z, x, y) > 0.5 ? 1 : 0;
    told |= depths.SampleCmpGrad(compared, at, value.z, x, y, int2(0, 0), value.y) > 0.5 ? 2 : 0;
    told |= depths.SampleCmpBias(compared, at, value.z, log2(value.x)) > 0.5 ? 4 : 0;
    told |= depths.SampleCmpBias(compared, at, value.z, log2(value.x), int2(0, 0), value.y) > 0.5 ? 8 : 0;
    return uint4(told, uint2(position.xy), choice);
}
