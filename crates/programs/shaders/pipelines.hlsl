// Stages between vertices and pixels. Positions are whole pixels of a viewport of 64 x 64.
struct Point { uint2 pixel : PIXEL; uint number : NUMBER; };
struct Fragment { float4 position : SV_Position; nointerpolation uint2 seen : SEEN; };
struct Factors { float edges[4] : SV_TessFactor; float inside[2] : SV_InsideTessFactor; uint number : NUMBER; };

float4 place(float2 pixel)
{
    return float4(pixel.x / 32 - 1, 1 - pixel.y / 32, 0.5, 1);
}

cbuffer Cell : register(b0)
{
    uint2 origin;
    float depth;
    uint cell;
};

// Two squares side by side, each of two triangles: the first clockwise, the second the other way round.
Fragment square(uint corner : SV_VertexID, uint instance : SV_InstanceID)
{
    // 0, 1, 2, then 3, 2, 1; or 0, 2, 1, then 3, 1, 2.
    uint step = corner % 3;
    uint turned = instance ? (3 - step) % 3 : step;
    uint end = corner < 3 ? turned : 3 - turned;
    Fragment output;
    output.position = place(origin + 8 * uint2(end & 1, end >> 1) + uint2(8 * instance, 0));
    output.position.z = depth;
    output.seen = uint2(cell, instance);
    return output;
}

// A grid of points, 8 pixels apart.
Point vertex(uint number : SV_VertexID)
{
    Point output;
    output.pixel = 8 * uint2(number % 8, number / 8);
    output.number = number;
    return output;
}

// A square for each point, as large as its number says, and none for every fifth.
[maxvertexcount(4)]
void geometry(point Point from[1], uint primitive : SV_PrimitiveID, inout TriangleStream<Fragment> stream)
{
    if (from[0].number % 5 == 4)
        return;
    uint size = 1 + from[0].number % 8;
    for (uint corner = 0; corner < 4; corner++)
    {
        Fragment output;
        output.position = place(from[0].pixel + size * uint2(corner & 1, corner >> 1));
        output.seen = uint2(from[0].number, primitive);
        stream.Append(output);
    }
}

Factors constants(InputPatch<Point, 1> patch, uint primitive : SV_PrimitiveID)
{
    Factors factors;
    // A factor of 0 drops the patch.
    uint factor = patch[0].number % 7 == 6 ? 0 : 1u << (patch[0].number % 3);
    factors.edges[0] = factors.edges[1] = factors.edges[2] = factors.edges[3] = factor;
    factors.inside[0] = factors.inside[1] = factor;
    factors.number = primitive;
    return factors;
}

[domain("quad")]
[partitioning("integer")]
[outputtopology("triangle_cw")]
[outputcontrolpoints(1)]
[patchconstantfunc("constants")]
Point hull(InputPatch<Point, 1> patch, uint index : SV_OutputControlPointID)
{
    return patch[index];
}

// Factors are powers of two, so each vertex lies exactly on the edge of a pixel.
[domain("quad")]
Fragment domain(Factors factors, float2 where : SV_DomainLocation, const OutputPatch<Point, 1> patch)
{
    Fragment output;
    output.position = place(patch[0].pixel + 8 * where);
    output.seen = uint2(patch[0].number, factors.number);
    return output;
}

uint4 pixel(Fragment fragment, bool front : SV_IsFrontFace) : SV_Target
{
    return uint4(fragment.seen, front, 1);
}

// For a target that adds: how often each pixel was drawn.
float4 coverage() : SV_Target
{
    return float4(1, 2, 4, 8) / 255;
}
