// Sampler feedback: each thread says which level of a texture it would read, and where.
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> least : register(u0);
FeedbackTexture2D<SAMPLER_FEEDBACK_MIP_REGION_USED> used : register(u1);
FeedbackTexture2DArray<SAMPLER_FEEDBACK_MIN_MIP> least_layers : register(u2);
FeedbackTexture2DArray<SAMPLER_FEEDBACK_MIP_REGION_USED> used_layers : register(u3);

Texture2D<float4> plane : register(t0);
Texture2DArray<float4> planes : register(t1);
// Place, level and layer.
StructuredBuffer<float4> reads : register(t2);
SamplerState points : register(s0);

cbuffer Scene : register(b0)
{
    uint first;
    uint count;
};

[numthreads(64, 1, 1)]
void level(uint index : SV_DispatchThreadID)
{
    if (index >= count)
    {
        return;
    }
    float4 read = reads[first + index];
    least.WriteSamplerFeedbackLevel(plane, points, read.xy, read.z);
    used.WriteSamplerFeedbackLevel(plane, points, read.xy, read.z);
    least_layers.WriteSamplerFeedbackLevel(planes, points, read.xyw, read.z);
    used_layers.WriteSamplerFeedbackLevel(planes, points, read.xyw, read.z);
}
