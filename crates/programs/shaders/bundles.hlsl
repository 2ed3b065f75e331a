// Adds up what comes by every kind of root argument, so that a picture shows which the list set and which the bundle.
cbuffer Rectangle : register(b0)
{
    uint4 edges;
    float2 scale;
    float depth;
    uint choice; // which element of the table's buffers
    uint4 value;
};

cbuffer Root : register(b1)
{
    uint4 root_constants;
};

ByteAddressBuffer root_buffer : register(t0);
Buffer<uint> table[2] : register(t1);

uint4 sum() : SV_Target
{
    return uint4(value.x + root_constants.x, root_buffer.Load(4 * choice), table[0][choice], table[1][choice]);
}
