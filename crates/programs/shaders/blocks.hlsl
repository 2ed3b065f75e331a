// Every texel of a texture, level after level and layer after layer.
Texture2DArray<float4> picture : register(t0);
RWStructuredBuffer<float4> results : register(u0);

cbuffer Shape : register(b0)
{
    uint2 size;
    uint levels;
    uint layers;
};

[numthreads(1, 1, 1)]
void main()
{
    uint at = 0;
    for (uint layer = 0; layer < layers; ++layer)
        for (uint level = 0; level < levels; ++level)
        {
            uint width = max(size.x >> level, 1), height = max(size.y >> level, 1);
            for (uint y = 0; y < height; ++y)
                for (uint x = 0; x < width; ++x)
                    results[at++] = picture.Load(int4(x, y, layer, level));
        }
}
