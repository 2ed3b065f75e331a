// Samples of all kinds that weigh, compare or gather several texels; each thread says where.
struct Place
{
    float3 at;
    float level;
    float2 x, y;
    float reference;
    float slice;
    float2 unused;
};

StructuredBuffer<Place> places : register(t0);
Texture2D<float4> picture : register(t1);
Texture2DArray<float4> layers : register(t2);
Texture3D<float4> volume : register(t3);
TextureCube<float4> cube : register(t4);
TextureCubeArray<float4> cubes : register(t5);
Texture2D<float4> colours : register(t6);
Texture1D<float4> row : register(t7);
Texture2D<float> depths : register(t8);
SamplerState mixed : register(s1);
SamplerState mirrored : register(s2);
SamplerComparisonState compares : register(s3);
SamplerState least : register(s4);
SamplerState bordered : register(s5);
SamplerState biased : register(s6);
SamplerState stretched : register(s7);
RWStructuredBuffer<float4> results : register(u0);

static const uint COUNT = 20;

[numthreads(64, 1, 1)]
void main(uint thread : SV_DispatchThreadID)
{
    Place place = places[thread];
    uint to = thread * COUNT;
    float3 around = place.at * 2 - 1;
    results[to] = picture.SampleLevel(mixed, place.at.xy, place.level);
    results[to + 1] = picture.SampleLevel(mirrored, place.at.xy * 3 - 1, 0, int2(-3, 2));
    results[to + 2] = picture.SampleGrad(mixed, place.at.xy, place.x, place.y);
    results[to + 3] = volume.SampleLevel(mixed, place.at, 0);
    results[to + 4] = cube.SampleLevel(mixed, around, place.level);
    results[to + 5] = cubes.SampleLevel(mixed, float4(around, place.slice), 0);
    results[to + 6] = layers.SampleLevel(mixed, float3(place.at.xy, place.slice), 0);
    results[to + 7] = colours.SampleLevel(mixed, place.at.xy, 0);
    results[to + 8] = row.SampleLevel(mirrored, place.at.x * 4 - 2, 0, 1);
    results[to + 9] = picture.GatherGreen(mixed, place.at.xy);
    results[to + 10] = picture.GatherRed(bordered, place.at.xy * 2 - 0.5, int2(2, -1));
    results[to + 11] = cube.GatherRed(mixed, around);
    float reference = place.reference / 400;
    results[to + 12] = depths.GatherCmpRed(compares, place.at.xy, reference);
    results[to + 13] = depths.SampleCmpLevelZero(compares, place.at.xy, reference);
    results[to + 14] = depths.SampleCmpLevelZero(compares, place.at.xy, reference, int2(3, -1));
    results[to + 15] = picture.SampleLevel(least, place.at.xy, 0);
    results[to + 16] = picture.SampleLevel(bordered, place.at.xy * 2 - 0.5, 0);
    results[to + 17] = picture.SampleLevel(biased, place.at.xy, place.level);
    results[to + 18] = volume.SampleGrad(mixed, place.at, float3(place.x, 0), float3(place.y, 0.01));
    results[to + 19] = picture.SampleGrad(stretched, place.at.xy, place.x, place.y);
}
