// Where in a pixel of several samples the inputs of a pixel shader are taken, and which samples it covers.
//
// Places are sixteenths of a pixel, from the upper left of the triangle's own block. All samples lie at whole ones.
cbuffer Rectangle : register(b0)
{
    uint4 edges;  // x, y: the upper left pixel of the block
    float2 scale; // 2 / the viewport's size
    float depth;
    uint choice;  // read: which sample
    uint4 value;
};

static const float2 corners[3] = { float2(20, 12), float2(232, 50), float2(70, 244) };

struct Corner
{
    float4 position : SV_Position;
    // Registers of their own: pixel shaders take them in different ways.
    float4 middle : PLACE0;
    float4 near : PLACE1;
    float4 own : PLACE2;
};

Corner vertex(uint number : SV_VertexID)
{
    Corner corner;
    float2 place = corners[number];
    float2 pixel = edges.xy + place / 16;
    corner.position = float4(pixel.x * scale.x - 1, 1 - pixel.y * scale.y, depth, 1);
    corner.middle = place.xyxy;
    corner.near = place.xyxy;
    corner.own = place.xyxy;
    return corner;
}

bool is_inside(float2 place)
{
    float least = 1;
    for (uint number = 0; number < 3; number++)
    {
        float2 from = corners[number];
        float2 along = corners[(number + 1) % 3] - from;
        float2 across = place - from;
        least = min(least, (along.x * across.y - along.y * across.x) / length(along));
    }
    return least > -0.0625;
}

// Runs once for all samples: which ones are covered, where the middle is, and whether the centroid is where it may be.
uint4 whole(float4 position : SV_Position, float4 middle : PLACE0, centroid float4 near : PLACE1, uint covered : SV_Coverage) : SV_Target
{
    bool is_right = covered == 15 ? all(abs(near - middle) < 0.0625) : is_inside(near.xy);
    return uint4(covered, uint2(middle.xy + 0.5), is_right ? 1 : 2);
}

// Runs for each sample.
uint4 each(float4 position : SV_Position, float4 middle : PLACE0, float4 near : PLACE1, sample float4 own : PLACE2,
    uint index : SV_SampleIndex, uint covered : SV_Coverage) : SV_Target
{
    return uint4(index | covered << 8, uint2(own.xy + 0.5), 3);
}

Texture2DMS<uint4> picture : register(t0);

uint4 read(float4 position : SV_Position) : SV_Target
{
    return picture.Load(int2(position.xy), choice);
}
