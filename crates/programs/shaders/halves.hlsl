// Floats and integers of 16 bits, for a compiler that is asked for 16-bit types: from structures and words of buffers, constants and
// literals, in vectors and alone, and back to memory.
struct Input
{
    half a;
    half b; // not 0
    uint16_t c;
    int16_t d; // not 0
    half3 three;
    uint16_t e;
};

struct Output
{
    half4 floats;
    uint16_t4 numbers;
    int16_t3 signs;
    uint16_t told;
    half4 vectors;
    uint wide;
    float wider;
};

struct Constants
{
    half scale;
    uint16_t mask;
    int16_t2 offsets;
    half4 added;
};

StructuredBuffer<Input> inputs : register(t0);
ByteAddressBuffer words : register(t1);
RWStructuredBuffer<Output> outputs : register(u0);
RWByteAddressBuffer stored : register(u1);
ConstantBuffer<Constants> constants : register(b0);
groupshared half exchanged[64];

static const half SEVENTHS[4] = { 0.5h, 1.0h, 2.0h, -4.0h };

[numthreads(64, 1, 1)]
void main(uint thread : SV_DispatchThreadID, uint lane : SV_GroupIndex)
{
    Input input = inputs[thread];
    exchanged[lane] = input.a;
    GroupMemoryBarrierWithGroupSync();
    Output output;
    output.floats = half4(input.a + input.b, input.a * constants.scale, -input.a * SEVENTHS[thread & 3], exchanged[lane ^ 1]);
    // Products and sums wrap at 16 bits.
    output.numbers = uint16_t4(input.c * input.e, input.c + constants.mask, input.c << (input.e & 15), (input.c & constants.mask) >> 2);
    output.signs = int16_t3(input.d - constants.offsets.x, int16_t(input.c) / input.d, input.d >> 3);
    output.told = (input.a < input.b ? 1 : 0) | (input.d < constants.offsets.y ? 2 : 0) | (uint16_t(input.d) > input.c ? 4 : 0);
    output.vectors = half4(max(input.three, constants.added.xyz), dot(half2(1, 2), half2(input.a, 2)));
    output.wide = uint(input.c) * uint(input.e) + uint(int(input.d));
    output.wider = float(input.a) + float(constants.added.w);
    outputs[thread] = output;
    half2 pair = words.Load<half2>(thread * 4);
    stored.Store<uint16_t>(thread * 6, asuint16(pair.y));
    stored.Store<half>(thread * 6 + 2, pair.x);
    stored.Store<int16_t>(thread * 6 + 4, words.Load<int16_t>(thread * 4 + 2));
}
