// Writes each sample of a texture, and reads the samples of another order.
RWTexture2DMS<uint, 4> one : register(u0);
RWTexture2DMSArray<uint, 4> layers : register(u1);
RWStructuredBuffer<uint4> result : register(u2);

static const uint size = 8;

[numthreads(8, 8, 1)]
void write(uint2 at : SV_DispatchThreadID)
{
    for (uint number = 0; number < 4; number++)
    {
        one.sample[number][at] = (at.y * size + at.x) * 4 + number;
        for (uint layer = 0; layer < 2; layer++)
            layers.sample[number][uint3(at, layer)] = ~((layer << 8) + (at.y * size + at.x) * 4 + number);
    }
}

[numthreads(8, 8, 1)]
void read(uint2 at : SV_DispatchThreadID)
{
    uint3 place = uint3(at.yx, at.x & 1);
    uint4 sum = uint4(one.sample[0][at], one.sample[1][at], one.sample[2][at], one.sample[3][at]);
    sum ^= uint4(layers.sample[3][place], layers.sample[2][place], layers.sample[1][place], layers.sample[0][place]);
    result[at.y * size + at.x] = sum;
}
