// Rectangles of whole pixels out of mesh shaders: a group draws one, whose corners come from a buffer.
//
// The constants lie as in rectangle.hlsl, so that both kinds of pipelines have one root signature.
cbuffer Scene : register(b0)
{
    uint4 first;  // x: the first rectangle; y: how many groups there are in a row
    float2 scale; // 2 / the viewport's size
    float depth;
    uint mask;    // amplification: rectangles whose number has none of these bits are left out
    uint4 value;
};

// Left, top, right, bottom: pixels of the viewport.
StructuredBuffer<uint4> rectangles : register(t0);

struct Vertex
{
    float4 position : SV_Position;
    nointerpolation uint2 place : PLACE;
    nointerpolation uint number : NUMBER;
};

struct Primitive
{
    uint colour : COLOUR;
    uint2 more : MORE;
    uint id : SV_PrimitiveID;
    uint layer : SV_RenderTargetArrayIndex;
    bool hidden : SV_CullPrimitive;
};

struct Payload
{
    uint numbers[8];
    uint bonus;
};

// Two triangles, and between them two over the whole viewport that are culled.
void rectangle(uint number, uint bonus, uint thread, out indices uint3 triangles[4], out vertices Vertex corners[8],
    out primitives Primitive shapes[4])
{
    SetMeshOutputCounts(8, 4);
    uint4 edges = rectangles[number];
    bool whole = thread >= 4;
    float2 pixel = float2((thread & 1) ? edges.z : edges.x, (thread & 2) ? edges.w : edges.y);
    if (whole)
        pixel = float2((thread & 1) ? 2 / scale.x : 0, (thread & 2) ? 2 / scale.y : 0);
    corners[thread].position = float4(pixel.x * scale.x - 1, 1 - pixel.y * scale.y, depth, 1);
    corners[thread].place = edges.xy;
    corners[thread].number = number + bonus;
    if (thread < 4)
    {
        uint base = (thread & 1) ? 4 : 0;
        triangles[thread] = (thread & 2) ? uint3(base + 3, base + 2, base + 1) : uint3(base, base + 1, base + 2);
        shapes[thread].colour = 1000 + number;
        shapes[thread].more = uint2(number * number, 7 + bonus);
        shapes[thread].id = 50 + number;
        shapes[thread].layer = number / 3 % 2;
        shapes[thread].hidden = (thread & 1) != 0;
    }
}

[numthreads(8, 1, 1)]
[outputtopology("triangle")]
void plain(uint3 group : SV_GroupID, uint thread : SV_GroupIndex, out indices uint3 triangles[4],
    out vertices Vertex corners[8], out primitives Primitive shapes[4])
{
    rectangle(first.x + group.x + first.y * group.y, 0, thread, triangles, corners, shapes);
}

[numthreads(8, 1, 1)]
[outputtopology("triangle")]
void chosen(uint3 group : SV_GroupID, uint thread : SV_GroupIndex, in payload Payload payload,
    out indices uint3 triangles[4], out vertices Vertex corners[8], out primitives Primitive shapes[4])
{
    rectangle(payload.numbers[group.x], payload.bonus, thread, triangles, corners, shapes);
}

groupshared Payload payload;
groupshared uint count;

// Eight rectangles a group, of which some are drawn.
[numthreads(8, 1, 1)]
void choose(uint3 group : SV_GroupID, uint thread : SV_GroupIndex)
{
    if (thread == 0)
    {
        count = 0;
        payload.bonus = value.x + group.x;
    }
    GroupMemoryBarrierWithGroupSync();
    uint number = first.x + 8 * group.x + thread;
    if (number & mask)
    {
        uint at;
        InterlockedAdd(count, 1, at);
        payload.numbers[at] = number;
    }
    GroupMemoryBarrierWithGroupSync();
    DispatchMesh(count, 1, 1, payload);
}

struct Input
{
    float4 position : SV_Position;
    nointerpolation uint2 place : PLACE;
    nointerpolation uint number : NUMBER;
    nointerpolation uint colour : COLOUR;
    nointerpolation uint2 more : MORE;
    nointerpolation uint id : SV_PrimitiveID;
};

uint4 pixel(Input input) : SV_Target
{
    uint2 place = input.place;
    return uint4(place.x | place.y << 16, input.number, input.colour + (input.more.x << 16), input.id | input.more.y << 16);
}

RWByteAddressBuffer arguments : register(u0);

// Groups in three directions, more in each command than in the one before; their number lies behind eight of them.
[numthreads(8, 1, 1)]
void commands(uint thread : SV_GroupIndex)
{
    arguments.Store3(12 * thread, uint3(1 + thread, 1, 1));
    if (thread == 0)
        arguments.Store(96, 5);
}
