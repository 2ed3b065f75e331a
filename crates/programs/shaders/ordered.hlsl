// Changes texels in a way that shows the order of draws: each texel reads what the draw before it wrote.
cbuffer Rectangle : register(b0)
{
    uint4 edges;
    float2 scale;
    float depth;
    uint choice;
    uint4 value;
};

RasterizerOrderedTexture2D<uint> picture : register(u0);

uint4 pixel(float4 position : SV_Position) : SV_Target
{
    uint2 at = uint2(position.xy);
    uint before = picture[at];
    picture[at] = before * 5 + value.x;
    return value;
}
