// A rectangle that each view draws eight pixels further to the right, in a colour of its own.
cbuffer Rectangle : register(b0)
{
    uint4 edges;  // left, top, right, bottom: pixels of the viewport
    float2 scale; // 2 / the viewport's size
    float depth;
    uint choice;  // the layer that the shader gives
    uint4 value;
};

float4 corner(uint number, uint view)
{
    float2 pixel = float2((number & 1) ? edges.z : edges.x, (number & 2) ? edges.w : edges.y);
    return float4((pixel.x + 8 * view) * scale.x - 1, 1 - pixel.y * scale.y, depth, 1);
}

float4 vertex(uint number : SV_VertexID, uint view : SV_ViewID) : SV_Position
{
    return corner(number, view);
}

struct Placed
{
    float4 position : SV_Position;
    uint layer : SV_RenderTargetArrayIndex;
};

Placed placed(uint number : SV_VertexID, uint view : SV_ViewID)
{
    Placed placed;
    placed.position = corner(number, view);
    placed.layer = choice;
    return placed;
}

// The layer of each vertex is only a value here: the geometry shader gives the layer.
[maxvertexcount(3)]
void geometry(triangle Placed corners[3], uint view : SV_ViewID, inout TriangleStream<Placed> triangles)
{
    for (uint number = 0; number < 3; number++)
    {
        Placed corner = corners[number];
        corner.position.y -= 2 * scale.y * view;
        corner.layer = corners[number].layer;
        triangles.Append(corner);
    }
}

struct Corner
{
    float4 position : SV_Position;
};

[numthreads(4, 1, 1)]
[outputtopology("triangle")]
void mesh(uint thread : SV_GroupIndex, uint view : SV_ViewID, out indices uint3 triangles[2],
    out vertices Corner corners[4])
{
    SetMeshOutputCounts(4, 2);
    corners[thread].position = corner(thread, view);
    if (thread < 2)
        triangles[thread] = thread ? uint3(3, 2, 1) : uint3(0, 1, 2);
}

uint4 pixel(uint view : SV_ViewID) : SV_Target
{
    return uint4(value.x + view, value.yz, view);
}
