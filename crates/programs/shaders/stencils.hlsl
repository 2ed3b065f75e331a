// Each pixel chooses what its stencil is compared with and replaced by.
uint main(float4 position : SV_Position) : SV_StencilRef
{
    uint2 pixel = uint2(position.xy);
    return pixel.x * 5 ^ pixel.y * 3;
}

struct Outputs
{
    uint4 number : SV_Target;
    uint reference : SV_StencilRef;
};

Outputs compared(float4 position : SV_Position)
{
    uint2 pixel = uint2(position.xy);
    Outputs outputs;
    outputs.number = uint4(pixel, 77, 0);
    outputs.reference = pixel.x * 5 ^ (pixel.y & ~3) * 3;
    return outputs;
}
