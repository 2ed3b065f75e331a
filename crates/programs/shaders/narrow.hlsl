// Numbers of minimum precision: results that 16 bits hold exactly, which are the same of more bits.
struct Input
{
    min16float a;
    min16float2 b;
    min16int c;
    min16uint d;
};

struct Passed
{
    float4 position : SV_Position;
    nointerpolation min16int2 number : NUMBER;
    nointerpolation min16uint other : OTHER;
    min16float2 place : PLACE;
};

cbuffer Constants : register(b0)
{
    min16float scale;
    min16int added;
    min16uint mask;
    min16float3 three;
};

StructuredBuffer<Input> inputs : register(t0);
RWByteAddressBuffer results : register(u0);
groupshared min16float exchanged[64];

[numthreads(64, 1, 1)]
void compute(uint thread : SV_DispatchThreadID, uint lane : SV_GroupIndex)
{
    Input input = inputs[thread];
    exchanged[lane] = input.a;
    GroupMemoryBarrierWithGroupSync();
    uint at = thread * 48;
    results.Store4(at, asuint(float4(input.a + input.b.x, input.a * scale, exchanged[lane ^ 1], dot(input.b, three.xy))));
    results.Store4(at + 16, uint4(uint(int(input.c + added)), uint(input.d & mask), uint(int(input.c * (min16int)3)), uint(input.d >> 1)));
    uint told = (input.a < input.b.y ? 1 : 0) | (input.c < added ? 2 : 0) | (input.d > mask ? 4 : 0);
    results.Store4(at + 32, uint4(told, asuint(float(max(input.a, three.z))), uint(int((min16int)input.a)), asuint(float((min16float)input.d))));
}

Passed vertex(uint corner : SV_VertexID)
{
    Passed passed;
    float2 place = float2((corner & 1) ? 1 : 0, (corner & 2) ? 1 : 0);
    passed.position = float4(place * 2 - 1, 0, 1);
    passed.number = (min16int2)int2(-5, 300);
    passed.other = (min16uint)40000;
    passed.place = (min16float2)(place * 16);
    return passed;
}

// Numbers of texels, which many bits of the place are rounded to.
uint4 pixel(Passed passed) : SV_Target
{
    uint2 texel = (uint2)floor((float2)passed.place);
    return uint4(texel, uint(int(passed.number.x + passed.number.y)), uint(passed.other) & 0xffff);
}
