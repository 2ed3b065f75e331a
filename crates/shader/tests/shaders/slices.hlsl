// A vertex shader that chooses a slice: what the rasteriser takes, and the pixel shader may read.
struct Fragment
{
    float4 position : SV_Position;
    uint slice : SV_RenderTargetArrayIndex;
};

Fragment vertex(uint number : SV_VertexID)
{
    Fragment output;
    output.position = float4(number & 1, number >> 1, 0, 1);
    output.slice = number + 1;
    return output;
}
