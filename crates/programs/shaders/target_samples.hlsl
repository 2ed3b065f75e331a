// What a pixel shader is told of its target: how many samples a pixel has, and where the third lies, in sixteenths of a pixel.
uint4 asked(float4 position : SV_Position) : SV_Target
{
    float2 place = GetRenderTargetSamplePosition(2);
    return uint4(GetRenderTargetSampleCount(), uint2(place * 16 + 8.5), 5);
}
