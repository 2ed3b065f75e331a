// Draws that are told by address where everything lies that they read and write, and the arguments that tell them.
cbuffer Where : register(b0)
{
    uint stride; // bytes from one command to the next
    uint down;   // pixels above the first one
    uint2 values; // GPU addresses, low half first
    uint2 inputs;
    uint2 counters;
    uint2 vertices;
    uint2 indices;
};

RWByteAddressBuffer written : register(u0);

// Three root constants, a constant buffer, a buffer to read, one to write, a vertex buffer, an index buffer, and the draw.
[numthreads(16, 1, 1)]
void commands(uint3 thread : SV_DispatchThreadID)
{
    uint i = thread.x;
    uint at = stride * i;
    bool narrow = i & 1;
    written.Store3(at, uint3(8 * (i % 8), down + 8 * (i / 8), 100 * i));
    written.Store2(at + 12, uint2(values.x + 256 * (i % 4), values.y));
    written.Store2(at + 20, uint2(inputs.x + 4 * i, inputs.y));
    written.Store2(at + 28, uint2(counters.x + 4 * i, counters.y));
    written.Store4(at + 36, uint4(vertices.x + 64 * (i % 4), vertices.y, 64, 16));
    written.Store4(at + 52, uint4(indices.x + (narrow ? 32 : 0), indices.y, narrow ? 12 : 24, narrow ? 57 : 42));
    written.Store4(at + 68, uint4(6, 1, 0, 0));
    written.Store(at + 84, 0);
}

cbuffer Place : register(b1)
{
    uint2 place;
    uint add;
};

cbuffer Value : register(b2)
{
    uint4 value;
};

ByteAddressBuffer input : register(t0);
RWByteAddressBuffer counted : register(u1);

struct Fragment
{
    float4 position : SV_Position;
    nointerpolation uint seen : SEEN;
};

// The target has 64 by 128 pixels.
Fragment vertex(uint4 corner : CORNER)
{
    float2 pixel = corner.xy + place;
    Fragment output;
    output.position = float4(pixel.x / 32 - 1, 1 - pixel.y / 64, 0.5, 1);
    output.seen = corner.z;
    return output;
}

uint4 pixel(Fragment fragment) : SV_Target
{
    uint before;
    counted.InterlockedAdd(0, 1, before);
    return uint4(value.x + add, input.Load(0), fragment.seen, place.x | place.y << 8);
}
