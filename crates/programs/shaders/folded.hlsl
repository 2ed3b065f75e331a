// Values that a compiler which optimises nothing leaves to whoever translates the shader, and arrays whose elements come from a constant buffer.

RWStructuredBuffer<uint> results : register(u0);

cbuffer Constants : register(b0)
{
    // 1 to 12; then how many there are of the arrays below.
    float4 p, q, r;
    uint four;
};

// Remainders and quotients of constants, and of what is not.
[numthreads(1, 1, 1)] void divided()
{
    uint seven = 7, eleven = 11, large = 0xfffffff0;
    results[0] = seven % 4;
    results[1] = seven / 4;
    results[2] = eleven % seven;
    results[3] = large % eleven;
    results[4] = large / eleven;
    results[5] = four % 3;
    results[6] = seven % four;
    int minus = -7;
    results[7] = asuint(minus % 4);
    results[8] = asuint(minus / 4);
}

// The smaller and the larger of numbers and their negatives, in floats and in integers.
[numthreads(1, 1, 1)] void extremes()
{
    float a = p.x;
    float b = -a, c = -a;
    results[0] = asuint(min(b, c));
    results[1] = asuint(max(b, c));
    results[2] = asuint(min(-a, a));
    results[3] = asuint(max(a, -a));
    results[4] = asuint(min(-a, abs(a)));
    results[5] = asuint(max(-abs(a), -a));
    int d = int(four);
    int e = -d, f = -d;
    results[6] = asuint(min(e, f));
    results[7] = asuint(max(e, f));
    results[8] = asuint(min(-d, d));
    results[9] = asuint(max(d, -d));
}

// Arrays of constants at even and at uneven distances.
[numthreads(1, 1, 1)] void arrays()
{
    uint place = 0, i;
    float even[4] = { p.x, p.y, p.z, p.w };
    float last[4] = { p.x, p.y, p.z, q.x };
    float first[4] = { p.x, p.z, p.w, q.x };
    float three[4] = { p.x, p.w, q.z, r.z };
    float back[4] = { q.w, q.z, q.y, q.x };
    float far[3] = { p.x, q.x, r.w };
    [loop] for (i = 0; i < four; i++)
        results[place++] = uint(even[i]);
    [loop] for (i = 0; i < four; i++)
        results[place++] = uint(last[i]);
    [loop] for (i = 0; i < four; i++)
        results[place++] = uint(first[i]);
    [loop] for (i = 0; i < four; i++)
        results[place++] = uint(three[i]);
    [loop] for (i = 0; i < four; i++)
        results[place++] = uint(back[i]);
    [loop] for (i = 0; i < four - 1; i++)
        results[place++] = uint(far[i]);
}
