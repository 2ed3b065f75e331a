// Differences between the lanes of quads, in amplification and mesh shaders. What they draw has no area.
struct Payload
{
    uint unused;
};

struct Vertex
{
    float4 position : SV_Position;
};

RWStructuredBuffer<float4> results : register(u0);
groupshared Payload payload;

float4 differences(uint lane)
{
    float value = float(lane * lane);
    return float4(ddx_fine(value), ddy_fine(value), ddx_coarse(value), ddy_coarse(value));
}

[numthreads(32, 1, 1)]
void before(uint lane : SV_GroupIndex)
{
    results[lane] = differences(lane);
    payload.unused = 0;
    DispatchMesh(1, 1, 1, payload);
}

[outputtopology("triangle")]
[numthreads(32, 1, 1)]
void behind(uint lane : SV_GroupIndex, in payload Payload given, out vertices Vertex vertices[3], out indices uint3 triangles[1])
{
    SetMeshOutputCounts(3, 1);
    if (lane < 3)
        vertices[lane].position = float4(0, 0, 0, 1);
    if (lane == 0)
        triangles[0] = uint3(0, 1, 2);
    results[32 + lane] = differences(lane + given.unused);
}

[outputtopology("triangle")]
[numthreads(32, 1, 1)]
void alone(uint lane : SV_GroupIndex, out vertices Vertex vertices[3], out indices uint3 triangles[1])
{
    SetMeshOutputCounts(3, 1);
    if (lane < 3)
        vertices[lane].position = float4(0, 0, 0, 1);
    if (lane == 0)
        triangles[0] = uint3(0, 1, 2);
    results[32 + lane] = differences(lane);
}

void nothing()
{
}
