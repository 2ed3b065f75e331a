// Feedback of reads of a texture, whose texels are never looked at.
struct Read
{
    float2 place;
    uint layer;
    uint level;
};

StructuredBuffer<Read> reads : register(t0);
SamplerState point_sampler : register(s0);

Texture2DArray<float> layers : register(t1);
FeedbackTexture2DArray<SAMPLER_FEEDBACK_MIN_MIP> finest_of_layers : register(u0);

// The finest level that was read of each region, in every layer.
[numthreads(32, 1, 1)]
void finest(uint thread : SV_DispatchThreadID)
{
    Read read = reads[thread];
    finest_of_layers.WriteSamplerFeedbackLevel(layers, point_sampler, float3(read.place, read.layer), read.level);
}

Texture2D<float> flat : register(t1);
FeedbackTexture2D<SAMPLER_FEEDBACK_MIP_REGION_USED> used_regions : register(u0);

// The regions of each level that were read: of layer 0, by derivatives that choose the level.
[numthreads(32, 1, 1)]
void used(uint thread : SV_DispatchThreadID)
{
    Read read = reads[thread];
    float width, height, levels;
    flat.GetDimensions(0, width, height, levels);
    // Not quite at the level: rounding must not make the finer one count.
    float texels = exp2((float)read.level) * 1.0005;
    used_regions.WriteSamplerFeedbackGrad(flat, point_sampler, read.place, float2(texels / width, 0), float2(0, texels / height));
}

// A pixel reads the texel of level 1 with its own number, not quite at that level either.
void pixel(float4 position : SV_Position)
{
    float width, height, levels;
    flat.GetDimensions(0, width, height, levels);
    used_regions.WriteSamplerFeedback(flat, point_sampler, position.xy * 2.001 / float2(width, height));
}
