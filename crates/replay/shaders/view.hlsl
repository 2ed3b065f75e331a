// Covers a target of replay's own with one triangle, for a pixel shader of the user's, which looks at a texture by what stands here:
//
//     cbuffer View : register(b0) { uint2 size; uint mip; uint slice; float2 range; uint sample_index; uint call; };
//     Texture2D<float4> texels : register(t0);      // <uint4> or <int4> where the format has whole numbers
//     SamplerState nearest : register(s0);
//     SamplerState smooth : register(s1);
//     float4 main(float4 position : SV_Position, float2 uv : TEXCOORD0) : SV_Target

#define ROOT "RootConstants(num32BitConstants=8, b0), DescriptorTable(SRV(t0)), " \
    "StaticSampler(s0, filter=FILTER_MIN_MAG_MIP_POINT, addressU=TEXTURE_ADDRESS_CLAMP, addressV=TEXTURE_ADDRESS_CLAMP, addressW=TEXTURE_ADDRESS_CLAMP), " \
    "StaticSampler(s1, filter=FILTER_MIN_MAG_MIP_LINEAR, addressU=TEXTURE_ADDRESS_CLAMP, addressV=TEXTURE_ADDRESS_CLAMP, addressW=TEXTURE_ADDRESS_CLAMP)"

struct Corner
{
    float4 position : SV_Position;
    float2 uv : TEXCOORD0;
};

[RootSignature(ROOT)]
Corner main(uint index : SV_VertexID)
{
    Corner corner;
    corner.uv = float2(index & 1, index >> 1) * 2;
    corner.position = float4(corner.uv.x * 2 - 1, 1 - corner.uv.y * 2, 0, 1);
    return corner;
}
