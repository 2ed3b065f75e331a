// Elements by indices that are a constant minus a variable, or a variable with bits of a constant inverted or set.

RWStructuredBuffer<uint> results : register(u0);

cbuffer Constants : register(b0)
{
    float4 p, q, r;
    uint four;
};

[numthreads(1, 1, 1)]
void main()
{
    uint i;
    [loop] for (i = 0; i < four * 2; i++)
        results[i + 24] = 100 + i;
    [loop] for (i = 0; i < four; i++)
        results[i] = results[31 - i];
    [loop] for (i = 0; i < four; i++)
        results[i + 4] = results[(i + 24) ^ 2];
    [loop] for (i = 0; i < four; i++)
        results[i + 8] = results[(i + 24) | 2];
}
