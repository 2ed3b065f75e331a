// A vertex shader with an input layout, and a pixel shader with a texture and a static sampler.
cbuffer Scene : register(b0) { float4x4 transform; };
Texture2D<float4> image : register(t0);
SamplerState image_sampler : register(s0);

struct Vertex
{
    float3 position : POSITION;
    float2 texel : TEXCOORD0;
    float4 tint : COLOR1;
};

struct Fragment
{
    float4 position : SV_Position;
    float2 texel : TEXCOORD0;
    float4 tint : COLOR;
};

Fragment vertex(Vertex input, uint instance : SV_InstanceID)
{
    Fragment output;
    output.position = mul(float4(input.position, 1), transform) + float4(instance, 0, 0, 0);
    output.texel = input.texel;
    output.tint = input.tint;
    return output;
}

float4 pixel(Fragment input) : SV_Target
{
    return image.Sample(image_sampler, input.texel) * input.tint;
}
