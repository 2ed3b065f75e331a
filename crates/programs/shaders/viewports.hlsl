// Sends a square to every viewport, and to every slice of the target, by a geometry shader.
struct Point { uint number : NUMBER; };

struct Fragment
{
    float4 position : SV_Position;
    nointerpolation uint number : NUMBER;
    uint slice : SV_RenderTargetArrayIndex;
    uint viewport : SV_ViewportArrayIndex;
};

Point vertex(uint number : SV_VertexID)
{
    Point output;
    output.number = number;
    return output;
}

// The middle half of viewport number % 4, in slice number / 4, at a depth that rises with the number.
[maxvertexcount(4)]
void geometry(point Point from[1], inout TriangleStream<Fragment> stream)
{
    uint number = from[0].number;
    for (uint corner = 0; corner < 4; corner++)
    {
        Fragment output;
        output.position = float4((corner & 1) ? 0.5 : -0.5, (corner & 2) ? -0.5 : 0.5, number / 16.0, 1);
        output.number = number;
        output.slice = number / 4;
        output.viewport = number % 4;
        stream.Append(output);
    }
}

// Where the pixel is, whose it is, and its depth within the viewport's range.
uint4 pixel(Fragment fragment) : SV_Target
{
    return uint4(fragment.number, uint2(fragment.position.xy), asuint(fragment.position.z));
}
