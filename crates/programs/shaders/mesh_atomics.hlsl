// Atomic additions of mesh shaders. What they draw has no area.
struct Vertex
{
    float4 position : SV_Position;
};

RWStructuredBuffer<uint> sums : register(u0);

[outputtopology("triangle")]
[numthreads(4, 1, 1)]
void add(uint thread : SV_DispatchThreadID, uint lane : SV_GroupIndex, out vertices Vertex vertices[3], out indices uint3 triangles[1])
{
    SetMeshOutputCounts(3, 1);
    if (lane < 3)
        vertices[lane].position = float4(0, 0, 0, 1);
    if (lane == 0)
        triangles[0] = uint3(0, 1, 2);
    InterlockedAdd(sums[0], 1 + thread);
}

void nothing()
{
}
