// Vertex, hull, domain and geometry shaders.
struct Point { float3 position : POSITION; };
struct Factors { float edges[3] : SV_TessFactor; float inside : SV_InsideTessFactor; float4 extra : EXTRA; };
struct Out { float4 position : SV_Position; float4 colour : COLOR; };

Point vertex(float3 position : POSITION)
{
    Point output;
    output.position = position;
    return output;
}

Factors constants(InputPatch<Point, 3> patch)
{
    Factors factors;
    factors.edges[0] = factors.edges[1] = factors.edges[2] = 2;
    factors.inside = 3;
    factors.extra = float4(patch[0].position, 1);
    return factors;
}

[domain("tri")]
[partitioning("integer")]
[outputtopology("triangle_cw")]
[outputcontrolpoints(3)]
[patchconstantfunc("constants")]
Point hull(InputPatch<Point, 3> patch, uint index : SV_OutputControlPointID)
{
    return patch[index];
}

[domain("tri")]
Out domain(Factors factors, float3 where : SV_DomainLocation, const OutputPatch<Point, 3> patch)
{
    Out output;
    float3 at = where.x * patch[0].position + where.y * patch[1].position + where.z * patch[2].position;
    output.position = float4(at, 1);
    output.colour = factors.extra;
    return output;
}

// Without tessellation.
Out corner(float3 position : POSITION)
{
    Out output;
    output.position = float4(position, 1);
    output.colour = float4(position, 0);
    return output;
}

[maxvertexcount(3)]
void geometry(triangle Out corners[3], inout TriangleStream<Out> stream)
{
    for (int corner = 0; corner < 3; corner++)
        stream.Append(corners[corner]);
}
