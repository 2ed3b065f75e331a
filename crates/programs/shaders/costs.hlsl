// Work of a known amount: each thread steps a generator so many times, which no compiler can shorten, because the steps depend on
// each other and on a number that only the list knows.

cbuffer Settings : register(b0) { uint steps; uint first; };

RWByteAddressBuffer results : register(u0); // one word a thread

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    uint value = id.x + first;
    [loop] for (uint step = 0; step < steps; step++)
    {
        value = value * 1664525u + 1013904223u;
        value ^= value >> 15;
    }
    results.Store((first + id.x) * 4, value);
}
