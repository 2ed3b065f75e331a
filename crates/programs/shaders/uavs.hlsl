// Unordered access of every shape of texture, of counters, and from pixels.
RWTexture1D<uint> line_ : register(u0);
RWTexture1DArray<uint> lines : register(u1);
RWTexture2D<uint> plane : register(u2);
RWTexture2DArray<uint> planes : register(u3);
RWTexture3D<uint> volume : register(u4);

[numthreads(8, 4, 4)]
void store(uint3 at : SV_DispatchThreadID)
{
    uint number = 1 + at.x + 16 * at.y + 256 * at.z;
    if (at.y == 0 && at.z == 0)
        line_[at.x] = number;
    if (at.z == 0)
    {
        lines[at.xy] = number * 2;
        plane[at.xy] = number * 3;
    }
    planes[at] = number * 5;
    volume[at] = number * 7;
}

// Reads what the dispatch before it has stored; formats of one 32-bit number can always be read.
[numthreads(8, 4, 4)]
void update(uint3 at : SV_DispatchThreadID)
{
    if (at.y == 0 && at.z == 0)
        line_[at.x] = line_[at.x] * 3 + 1;
    if (at.z == 0)
    {
        lines[at.xy] = lines[at.xy] * 3 + 1;
        plane[at.xy] = plane[at.xy] * 3 + 1;
    }
    planes[at] = planes[at] * 3 + 1;
    volume[at] = volume[at] * 3 + 1;
}

RWTexture2D<unorm float4> colours : register(u0);
RWTexture2D<uint2> pairs : register(u1);
RWBuffer<float> floats : register(u2);
RWBuffer<int4> bytes : register(u3);

// Stores that are converted: the format is the view's, not the shader's.
[numthreads(8, 8, 1)]
void convert(uint3 at : SV_DispatchThreadID)
{
    uint index = at.x + 8 * at.y;
    colours[at.xy] = float4(at.xy, index, 255 - index) / 255;
    pairs[at.xy] = uint2(index * 1000, 65535 - index);
    floats[index] = index / 4.0;
    bytes[index] = int4(at.xy, -int(index), index);
}

// Reads in other formats than one 32-bit number, where the device has them.
[numthreads(8, 8, 1)]
void load(uint3 at : SV_DispatchThreadID)
{
    colours[at.xy] = colours[at.xy].wzyx;
    pairs[at.xy] = pairs[at.xy].yx;
    uint index = at.x + 8 * at.y;
    bytes[index] = bytes[index].wxyz + 1;
}

RWStructuredBuffer<uint2> marks : register(u0);
AppendStructuredBuffer<uint> appended : register(u1);
ConsumeStructuredBuffer<uint> consumed : register(u2);

// Each thread gets a number of its own: marks every one, in any order.
[numthreads(64, 1, 1)]
void count(uint3 at : SV_DispatchThreadID)
{
    uint place = marks.IncrementCounter();
    marks[place].x = place ^ 0x55;
    if (at.x % 3 == 0)
        appended.Append(7);
    if (at.x % 4 == 0)
        marks[consumed.Consume()].y = 9;
}

cbuffer Rectangle : register(b0)
{
    uint4 edges;
    float2 scale;
    float depth;
    uint choice;
    uint4 value;
};

RWTexture2D<uint> visits : register(u0);
RWByteAddressBuffer sums : register(u1);

// No target: what pixels leave behind is in these two.
void pixel(float4 position : SV_Position)
{
    uint2 at = uint2(position.xy);
    InterlockedAdd(visits[at], value.x);
    sums.InterlockedAdd(4 * at.y, value.y);
}
