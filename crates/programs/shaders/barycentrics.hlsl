// Where a pixel lies in its triangle, and what each corner of it says.
struct Corner
{
    float4 position : SV_Position;
    nointerpolation uint3 number : NUMBER;
    nointerpolation float2 value : VALUE;
};

// Triangles in the corners of a square of 64 pixels; the second is the first turned.
Corner vertex(uint index : SV_VertexID)
{
    uint corner = index % 3, triangle_index = index / 3;
    float2 place = float2(corner == 1 ? 2 : 0, corner == 2 ? 2 : 0) - 1;
    Corner result;
    result.position = float4(triangle_index == 0 ? place : -place, 0, 1);
    result.number = uint3(index, index * index + 7, 0xabcd0000u + index);
    result.value = float2(index * 0.5, -1.0 - index);
    return result;
}

uint4 pixel(float3 weights : SV_Barycentrics, Corner corners) : SV_Target
{
    uint3 first = GetAttributeAtVertex(corners.number, 0);
    uint3 second = GetAttributeAtVertex(corners.number, 1);
    uint3 third = GetAttributeAtVertex(corners.number, 2);
    float2 value = GetAttributeAtVertex(corners.value, 1);
    // In half pixels: weights are numbers of them, but for what interpolation loses.
    uint3 halves = uint3(weights * 128 + 0.5);
    return uint4(halves.x | halves.y << 8 | halves.z << 16, first.x | second.y << 8 | third.y << 20, third.z ^ first.z,
        asuint(value.x - value.y));
}
