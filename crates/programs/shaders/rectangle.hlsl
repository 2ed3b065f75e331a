// A rectangle of whole pixels, drawn as a strip of four vertices that come from nowhere but their number.
//
// The scale is a power of two, so each corner lies exactly where the CPU's model has it: on the edge of a pixel.
cbuffer Rectangle : register(b0)
{
    uint4 edges;  // left, top, right, bottom: pixels of the viewport
    float2 scale; // 2 / the viewport's size
    float depth;
    uint choice;  // for the pixel shader to interpret, like value
    uint4 value;
};

float4 vertex(uint corner : SV_VertexID) : SV_Position
{
    float2 pixel = float2((corner & 1) ? edges.z : edges.x, (corner & 2) ? edges.w : edges.y);
    return float4(pixel.x * scale.x - 1, 1 - pixel.y * scale.y, depth, 1);
}

// What the constants say, for a target of integers.
uint4 number() : SV_Target
{
    return value;
}

// The same bits as a colour: the CPU chooses floats that a UNORM target holds exactly.
float4 colour() : SV_Target
{
    return asfloat(value);
}

// Nothing but depth and stencil.
void nothing()
{
}

struct Many
{
    float4 colour : SV_Target0;
    uint4 wide : SV_Target1;
    uint number : SV_Target2;
    int2 sign : SV_Target3;
};

// A different kind of number to each of four targets.
Many many(float4 position : SV_Position)
{
    uint2 pixel = uint2(position.xy);
    Many outputs;
    outputs.colour = asfloat(value);
    outputs.wide = uint4(pixel, value.xy & 0xffff);
    outputs.number = pixel.x * 0x01000193u ^ pixel.y ^ value.z;
    outputs.sign = int2(pixel.x, -int(pixel.y)) - 4;
    return outputs;
}
