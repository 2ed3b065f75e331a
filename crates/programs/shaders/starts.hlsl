// What a draw begins with: the first vertex, or what is added to indices, and the first instance.
struct Passed
{
    float4 position : SV_Position;
    nointerpolation uint4 told : TOLD;
};

cbuffer Place : register(b0)
{
    uint row;
};

// A point for each vertex and instance: in the row of its draw, eight columns an instance.
Passed vertex(uint index : SV_VertexID, uint instance : SV_InstanceID, int first : SV_StartVertexLocation,
    uint first_instance : SV_StartInstanceLocation)
{
    Passed passed;
    // Of indexed draws, the index with what was added to it; else the number in the draw.
    uint column = (index & 7) + instance * 8;
    passed.position = float4((column + 0.5) / 16 - 1, 1 - (row + 0.5) / 16, 0, 1);
    passed.told = uint4(index, instance, uint(first), first_instance);
    return passed;
}

uint4 pixel(Passed passed) : SV_Target
{
    return passed.told;
}
