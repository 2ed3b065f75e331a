// Texels through samplers of kinds that few programs use; each thread says where.
struct Place
{
    float2 at;
    float2 gradient;
    uint sampler_index;
    uint3 unused;
};

StructuredBuffer<Place> places : register(t0);
Texture2D<float4> picture : register(t1);
SamplerState fixed_sampler : register(s0);
SamplerState samplers[2048] : register(s1);
RWStructuredBuffer<float4> results : register(u0);

// Coordinates are texels, through two samplers of the heap and one of the root signature.
[numthreads(64, 1, 1)]
void texels(uint thread : SV_DispatchThreadID)
{
    Place place = places[thread];
    results[thread * 3] = picture.SampleLevel(samplers[0], place.at, 0);
    results[thread * 3 + 1] = picture.SampleLevel(samplers[1], place.at, 0);
    results[thread * 3 + 2] = picture.SampleLevel(fixed_sampler, place.at, 0);
}

// Levels by gradients, through one sampler of many.
[numthreads(64, 1, 1)]
void levels(uint thread : SV_DispatchThreadID)
{
    Place place = places[thread];
    float2 x = float2(place.gradient.x, 0), y = float2(0, place.gradient.y);
    results[thread] = picture.SampleGrad(samplers[NonUniformResourceIndex(place.sampler_index)], place.at, x, y);
}
