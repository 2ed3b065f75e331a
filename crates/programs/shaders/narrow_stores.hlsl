// Numbers of minimum precision in memory, where each has 32 bits.
struct Pair
{
    min16int a;
    min16uint b;
    min16int2 c;
    min16float d;
};

StructuredBuffer<Pair> inputs : register(t0);
RWStructuredBuffer<Pair> outputs : register(u0);

[numthreads(64, 1, 1)]
void main(uint thread : SV_DispatchThreadID)
{
    Pair pair = inputs[thread];
    pair.a = pair.a - (min16int)100;
    pair.b = pair.b + (min16uint)1000;
    pair.c = -pair.c.yx;
    pair.d = -pair.d;
    outputs[thread] = pair;
}
