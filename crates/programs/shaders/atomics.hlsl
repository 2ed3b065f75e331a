// Atomic operations on integers of 64 bits, in memory of each kind. Every thread changes eleven values with its own number, in
// ways whose results do not depend on the order: each is what the processor computes, whoever came first. So all exchange the same
// value, and replays read back the same bytes.
static const uint64_t exchanged = 0x8123456789abcdefull;

struct Heap
{
    uint unsigned_values;
    uint signed_values;
};

StructuredBuffer<uint64_t> numbers : register(t0);
RWStructuredBuffer<uint64_t> structured : register(u0);
RWStructuredBuffer<int64_t> structured_signed : register(u1);
RWByteAddressBuffer raw : register(u2);
RWBuffer<uint64_t> typed : register(u3);
RWBuffer<int64_t> typed_signed : register(u4);
RWTexture2D<uint64_t> picture : register(u5);
RWTexture2D<int64_t> picture_signed : register(u6);
ConstantBuffer<Heap> heap : register(b0);

groupshared uint64_t group_values[9];
groupshared int64_t group_signed[2];

// The ninth value is added to by comparing and exchanging, the eighth collects what the seventh held before.
#define CHANGE(PLACE, SIGNED, number)                                  \
    {                                                                  \
        uint64_t old;                                                  \
        InterlockedAdd(PLACE(0), number);                              \
        InterlockedMin(PLACE(1), number);                              \
        InterlockedMax(PLACE(2), number);                              \
        InterlockedAnd(PLACE(3), number | 0xff00000000000001ull);      \
        InterlockedOr(PLACE(4), number & (number << 3));               \
        InterlockedXor(PLACE(5), number);                              \
        InterlockedExchange(PLACE(6), exchanged, old);                 \
        InterlockedAdd(PLACE(7), old);                                 \
        uint64_t seen = 0, before = 1;                                 \
        [allow_uav_condition] for (uint round = 0; round < 65536 && seen != before; ++round) \
        {                                                              \
            before = seen;                                             \
            InterlockedCompareExchange(PLACE(8), before, before + number, seen); \
        }                                                              \
        InterlockedMin(SIGNED(0), int64_t(number));                    \
        InterlockedMax(SIGNED(1), int64_t(number));                    \
    }

#define STRUCTURED(n) structured[n]
#define STRUCTURED_SIGNED(n) structured_signed[n]
[numthreads(64, 1, 1)]
void in_structures(uint thread : SV_DispatchThreadID)
{
    CHANGE(STRUCTURED, STRUCTURED_SIGNED, numbers[thread]);
}

[numthreads(64, 1, 1)]
void in_words(uint thread : SV_DispatchThreadID)
{
    uint64_t number = numbers[thread], old;
    raw.InterlockedAdd64(0, number);
    raw.InterlockedMin64(8, number);
    raw.InterlockedMax64(16, number);
    raw.InterlockedAnd64(24, number | 0xff00000000000001ull);
    raw.InterlockedOr64(32, number & (number << 3));
    raw.InterlockedXor64(40, number);
    raw.InterlockedExchange64(48, exchanged, old);
    raw.InterlockedAdd64(56, old);
    uint64_t seen = 0, before = 1;
    [allow_uav_condition] for (uint round = 0; round < 65536 && seen != before; ++round)
    {
        before = seen;
        raw.InterlockedCompareExchange64(64, before, before + number, seen);
    }
    raw.InterlockedMin64(72, int64_t(number));
    raw.InterlockedMax64(80, int64_t(number));
}

#define GROUP(n) group_values[n]
#define GROUP_SIGNED(n) group_signed[n]
// Each group ends where the whole buffer would, of its own numbers.
[numthreads(64, 1, 1)]
void in_groups(uint thread : SV_DispatchThreadID, uint lane : SV_GroupIndex, uint group : SV_GroupID)
{
    if (lane < 9)
        group_values[lane] = lane == 1 || lane == 3 ? ~0ull : 0;
    if (lane < 2)
        group_signed[lane] = lane == 0 ? 0x7fffffffffffffffll : ~0x7fffffffffffffffll;
    GroupMemoryBarrierWithGroupSync();
    CHANGE(GROUP, GROUP_SIGNED, numbers[thread]);
    GroupMemoryBarrierWithGroupSync();
    if (lane < 9)
        structured[group * 11 + lane] = group_values[lane];
    else if (lane < 11)
        structured[group * 11 + lane] = uint64_t(group_signed[lane - 9]);
}

[numthreads(64, 1, 1)]
void in_the_heap(uint thread : SV_DispatchThreadID)
{
    RWStructuredBuffer<uint64_t> values = ResourceDescriptorHeap[heap.unsigned_values];
    RWStructuredBuffer<int64_t> signed_values = ResourceDescriptorHeap[heap.signed_values];
#define HEAP(n) values[n]
#define HEAP_SIGNED(n) signed_values[n]
    CHANGE(HEAP, HEAP_SIGNED, numbers[thread]);
}

#define TYPED(n) typed[n]
#define TYPED_SIGNED(n) typed_signed[n]
[numthreads(64, 1, 1)]
void in_texels_of_buffers(uint thread : SV_DispatchThreadID)
{
    CHANGE(TYPED, TYPED_SIGNED, numbers[thread]);
}

#define PICTURE(n) picture[uint2(n % 4, n / 4)]
#define PICTURE_SIGNED(n) picture_signed[uint2(n, 3)]
[numthreads(64, 1, 1)]
void in_texels(uint thread : SV_DispatchThreadID)
{
    CHANGE(PICTURE, PICTURE_SIGNED, numbers[thread]);
}
