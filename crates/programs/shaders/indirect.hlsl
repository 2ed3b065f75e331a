// Writes the arguments of draws that the CPU never sees.
cbuffer Addresses : register(b0)
{
    uint2 constants; // GPU addresses, low half first
    uint2 vertices;
    uint2 indices;
};

RWByteAddressBuffer arguments : register(u0);

// Draw: vertices, instances, first vertex, first instance. The count lies behind 16 of them.
[numthreads(16, 1, 1)]
void draws(uint3 thread : SV_DispatchThreadID)
{
    uint i = thread.x;
    arguments.Store4(16 * i, uint4(4, 1 + i % 3, 4 * (i % 4), i));
    if (i == 0)
        arguments.Store(256, 11);
}

// DrawIndexed: indices, instances, first index, base vertex, first instance.
[numthreads(16, 1, 1)]
void indexed_draws(uint3 thread : SV_DispatchThreadID)
{
    uint i = thread.x;
    arguments.Store4(20 * i, uint4(6, 1 + i % 2, 6 * (i % 2), asuint(int(4 * (i % 4)) - 40)));
    arguments.Store(20 * i + 16, i);
    if (i == 0)
        arguments.Store(320, 13);
}

// Two root constants, a root constant buffer, a vertex buffer, an index buffer, and the draw that uses them.
[numthreads(16, 1, 1)]
void stateful_draws(uint3 thread : SV_DispatchThreadID)
{
    uint i = thread.x;
    uint at = 72 * i;
    arguments.Store2(at, uint2(8 * (i % 8), 8 * (i / 8)));
    arguments.Store2(at + 8, uint2(constants.x + 256 * (i % 4), constants.y));
    arguments.Store4(at + 16, uint4(vertices.x + 64 * (i % 4), vertices.y, 64, 16));
    bool narrow = i & 1;
    arguments.Store4(at + 32, uint4(indices.x + (narrow ? 32 : 0), indices.y, narrow ? 12 : 24, narrow ? 57 : 42));
    arguments.Store4(at + 48, uint4(6, 1, 0, 0));
    arguments.Store2(at + 64, uint2(0, 0xdeadbeef));
    if (i == 0)
        arguments.Store(1152, 14);
}

// The draws' own shaders: a place from root constants, a colour from the constant buffer, corners from the vertex buffer.
cbuffer Place : register(b1)
{
    uint2 place;
};

cbuffer Value : register(b2)
{
    uint4 value;
};

struct Fragment
{
    float4 position : SV_Position;
    nointerpolation uint seen : SEEN;
};

Fragment vertex(uint4 corner : CORNER)
{
    float2 pixel = corner.xy + place;
    Fragment output;
    output.position = float4(pixel.x / 32 - 1, 1 - pixel.y / 32, 0.5, 1);
    output.seen = corner.z;
    return output;
}

uint4 pixel(Fragment fragment) : SV_Target
{
    return uint4(value.xy, fragment.seen, place.x | place.y << 8);
}
