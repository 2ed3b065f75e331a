// Integers of 64 bits: arithmetic, shifts, comparisons and conversions.
struct Input
{
    uint64_t a;
    uint64_t b; // not 0
};

StructuredBuffer<Input> inputs : register(t0);
RWStructuredBuffer<uint64_t> results : register(u0);

[numthreads(64, 1, 1)]
void main(uint thread : SV_DispatchThreadID)
{
    Input input = inputs[thread];
    uint64_t a = input.a, b = input.b;
    int64_t c = int64_t(a), d = int64_t(b);
    uint at = thread * 20;
    results[at] = a + b;
    results[at + 1] = a - b;
    results[at + 2] = a * b;
    results[at + 3] = a / b;
    results[at + 4] = a % b;
    results[at + 5] = uint64_t(c / d);
    results[at + 6] = uint64_t(c % d);
    results[at + 7] = a & b;
    results[at + 8] = a | b;
    results[at + 9] = a ^ b;
    results[at + 10] = a << (b & 63);
    results[at + 11] = a >> (b & 63);
    results[at + 12] = uint64_t(c >> (b & 63));
    results[at + 13] = min(a, b);
    results[at + 14] = uint64_t(max(c, d));
    results[at + 15] = (a < b ? 1 : 0) | (c < d ? 2 : 0) | (a == (b ^ (a ^ b)) ? 4 : 0) | (c >= d ? 8 : 0);
    // Of 32 bits and back: signs are extended.
    results[at + 16] = uint64_t(int64_t(int(uint(a))));
    results[at + 17] = uint64_t(uint(a >> 32));
    results[at + 18] = ~a;
    // Whole numbers of few digits are floats exactly.
    results[at + 19] = uint64_t(float(a >> 40)) + uint64_t(int64_t(float(c >> 41)));
}
