// Shows what the input assembler gives: attributes from several slots, numbers of vertices, instances and primitives.
cbuffer Viewport : register(b0)
{
    float2 scale; // 2 / the viewport's size
};

struct Input
{
    uint2 corner : CORNER;
    float4 colour : COLOUR;
    uint2 offset : OFFSET;
    uint4 tint : TINT;
    uint number : SV_VertexID;
    uint instance : SV_InstanceID;
};

struct Fragment
{
    float4 position : SV_Position;
    nointerpolation uint4 seen : SEEN;
};

float4 place(float2 pixel)
{
    return float4(pixel.x * scale.x - 1, 1 - pixel.y * scale.y, 0.5, 1);
}

Fragment vertex(Input input)
{
    uint4 part = uint4(input.colour * 255 + 0.5);
    Fragment output;
    output.position = place(input.corner + input.offset);
    output.seen.x = part.x | part.y << 8 | part.z << 16 | part.w << 24;
    output.seen.y = input.tint.x | input.tint.y << 8 | input.tint.z << 16 | input.tint.w << 24;
    output.seen.z = input.number;
    output.seen.w = input.instance << 16;
    return output;
}

// Half pixels, so that points and lines lie on centres.
Fragment centred(uint2 corner : CORNER, uint number : SV_VertexID)
{
    Fragment output;
    output.position = place(corner * 0.5);
    output.seen = uint4(corner, number, 0);
    return output;
}

// Flat values are those of a primitive's first vertex.
uint4 pixel(Fragment fragment, uint primitive : SV_PrimitiveID) : SV_Target
{
    return uint4(fragment.seen.xyz, fragment.seen.w | primitive);
}
