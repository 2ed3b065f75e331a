// Copies indirect arguments, and moves the GPU virtual addresses among them from where resources lay at capture to where
// they lie now. A thread does a command.

// The distance between commands, what is used of each (both in 32-bit words), and how many there are; how many ranges of
// addresses; and a bit for each word of a command that begins an address.
cbuffer Layout : register(b0)
{
    uint stride;
    uint size;
    uint commands;
    uint ranges;
    uint4 low_bits;
    uint4 high_bits;
};

// As captured.
StructuredBuffer<uint> from : register(t0);
// Ranges of addresses, rising and without overlap, three each: first, end, and first now.
StructuredBuffer<uint2> moved : register(t1);
RWStructuredBuffer<uint> to : register(u0);

bool before(uint2 left, uint2 right)
{
    return left.y != right.y ? left.y < right.y : left.x < right.x;
}

uint2 plus(uint2 left, uint2 right)
{
    uint low = left.x + right.x;
    return uint2(low, left.y + right.y + (low < left.x ? 1 : 0));
}

uint2 minus(uint2 left, uint2 right)
{
    return uint2(left.x - right.x, left.y - right.y - (left.x < right.x ? 1 : 0));
}

uint2 translate(uint2 address)
{
    // The last range that begins at the address or before it.
    uint low = 0;
    uint high = ranges;
    while (low < high)
    {
        uint middle = (low + high) / 2;
        if (before(address, moved[3 * middle]))
            high = middle;
        else
            low = middle + 1;
    }
    // The compiler may read before it decides, and root buffers have no bounds: there is a first range in any case.
    uint range = 3 * (max(low, 1) - 1);
    uint2 start = moved[range];
    uint2 end = moved[range + 1];
    // The address just past the end belongs to a view of no bytes; any other outside, and null, stays as it is.
    bool outside = before(address, start) || before(end, address);
    return outside ? address : plus(moved[range + 2], minus(address, start));
}

void translate_some(uint base, uint bits)
{
    while (bits != 0)
    {
        uint at = base + firstbitlow(bits);
        bits &= bits - 1;
        uint2 address = translate(uint2(from[at], from[at + 1]));
        to[at] = address.x;
        to[at + 1] = address.y;
    }
}

[RootSignature("RootConstants(num32BitConstants=12, b0), SRV(t0), SRV(t1), UAV(u0)")]
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    if (id.x >= commands)
        return;
    uint base = id.x * stride;
    for (uint word = 0; word < size; word++)
        to[base + word] = from[base + word];
    translate_some(base, low_bits.x);
    translate_some(base + 32, low_bits.y);
    translate_some(base + 64, low_bits.z);
    translate_some(base + 96, low_bits.w);
    translate_some(base + 128, high_bits.x);
    translate_some(base + 160, high_bits.y);
    translate_some(base + 192, high_bits.z);
    translate_some(base + 224, high_bits.w);
}
