// Floats of 64 bits: sums, products, quotients, comparisons, and conversions to and from numbers of 32 bits.
//
// A value is two words, the lower first.
struct Input
{
    uint4 ab; // both of few digits, and b is not negative
    uint4 cd; // c is any number, d is a times b
};

StructuredBuffer<Input> inputs : register(t0);
RWStructuredBuffer<uint4> results : register(u0);

uint2 bits(double value)
{
    uint lower, upper;
    asuint(value, lower, upper);
    return uint2(lower, upper);
}

[numthreads(64, 1, 1)]
void main(uint thread : SV_DispatchThreadID)
{
    Input input = inputs[thread];
    double a = asdouble(input.ab.x, input.ab.y);
    double b = asdouble(input.ab.z, input.ab.w);
    double c = asdouble(input.cd.x, input.cd.y);
    double d = asdouble(input.cd.z, input.cd.w);
    uint at = thread * 6;
    results[at] = uint4(bits(a + c), bits(a * c));
    results[at + 1] = uint4(bits(d / b), bits(fma(a, b, c)));
    results[at + 2] = uint4(bits(min(a, c)), bits(max(a, c)));
    uint told = (a < c ? 1 : 0) | (a <= d ? 2 : 0) | (a == d / b ? 4 : 0) | (c != d ? 8 : 0) | (c >= b ? 16 : 0);
    results[at + 3] = uint4(told, asuint(int(a)), uint(b), asuint(float(a)));
    results[at + 4] = uint4(bits(double(asint(input.cd.x))), bits(double(input.cd.x)));
    results[at + 5] = uint4(bits(double(asfloat(input.cd.x & 0xbfffffff | 0x20000000))), bits(-abs(c)));
}
