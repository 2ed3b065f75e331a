// A rectangle whose pixels say how they were shaded: where the middle of the shaded area lies, and how large it is.

// The middle in halves of a pixel, and the distance to the next area's in both directions.
uint4 shaded(float2 middle)
{
    return uint4(middle * 2, uint2(abs(float2(ddx(middle.x), ddy(middle.y)))));
}

uint4 pixel(float4 position : SV_Position) : SV_Target
{
    return shaded(position.xy);
}

// The same, and a depth of its own: every pixel is shaded by itself then.
struct Deep
{
    uint4 colour : SV_Target;
    float depth : SV_Depth;
};

Deep deep(float4 position : SV_Position)
{
    Deep deep;
    deep.colour = shaded(position.xy);
    deep.depth = 0.5;
    return deep;
}
