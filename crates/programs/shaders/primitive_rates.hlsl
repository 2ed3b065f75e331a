// A rectangle whose primitives have a shading rate.
cbuffer Rectangle : register(b0)
{
    uint4 edges;  // left, top, right, bottom: pixels of the viewport
    float2 scale; // 2 / the viewport's size
    float depth;
    uint choice;  // the rate of the primitive
    uint4 value;
};

float4 corner(uint number)
{
    float2 pixel = float2((number & 1) ? edges.z : edges.x, (number & 2) ? edges.w : edges.y);
    return float4(pixel.x * scale.x - 1, 1 - pixel.y * scale.y, depth, 1);
}

struct Vertex
{
    float4 position : SV_Position;
    uint rate : SV_ShadingRate;
};

Vertex vertex(uint number : SV_VertexID)
{
    Vertex vertex;
    vertex.position = corner(number);
    vertex.rate = choice;
    return vertex;
}

// What the device says of the rate, in place of the distances.
uint4 told(float4 position : SV_Position, uint rate : SV_ShadingRate) : SV_Target
{
    return uint4(position.xy * 2, 1 << (rate >> 2), 1 << (rate & 3));
}

struct Primitive
{
    uint rate : SV_ShadingRate;
};

struct Corner
{
    float4 position : SV_Position;
};

[numthreads(4, 1, 1)]
[outputtopology("triangle")]
void mesh(uint thread : SV_GroupIndex, out indices uint3 triangles[2], out vertices Corner corners[4],
    out primitives Primitive shapes[2])
{
    SetMeshOutputCounts(4, 2);
    corners[thread].position = corner(thread);
    if (thread < 2)
    {
        triangles[thread] = thread ? uint3(3, 2, 1) : uint3(0, 1, 2);
        shapes[thread].rate = choice;
    }
}
