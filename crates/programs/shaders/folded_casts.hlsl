// Arrays of constants, of which elements are replaced by numbers of another type where a branch says so.

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
    [loop] for (i = 0; i < four; i++)
        results[i + 24] = 0x42000000 + i;
    [loop] for (i = 0; i < four * 2; i++)
    {
        float array[4] = { p.x, p.y, p.z, p.w };
        [branch] if (i >= four)
        {
            array[1] = asfloat(results[24]);
            array[3] = asfloat(results[26]);
        }
        results[i] = asuint(array[i % four]);
    }
}
