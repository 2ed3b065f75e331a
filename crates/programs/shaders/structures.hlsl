// A ray straight down from each place, traced inline. Instances do not overlap, so that it hits one triangle or none.
StructuredBuffer<float2> places : register(t0);
RaytracingAccelerationStructure scene : register(t1);
// Instance and triangle, counted from 1, and the distance in steps of 1/256; zeros for a ray that hits nothing.
RWStructuredBuffer<uint2> results : register(u0);

[numthreads(64, 1, 1)]
void compute(uint3 id : SV_DispatchThreadID)
{
    RayDesc ray;
    ray.Origin = float3(places[id.x], -8);
    ray.TMin = 0;
    ray.Direction = float3(0, 0, 1);
    ray.TMax = 64;
    RayQuery<RAY_FLAG_FORCE_OPAQUE> query;
    query.TraceRayInline(scene, RAY_FLAG_NONE, 0xff, ray);
    query.Proceed();
    uint2 found = 0;
    if (query.CommittedStatus() == COMMITTED_TRIANGLE_HIT)
    {
        found.x = (query.CommittedInstanceID() + 1) * 256 + query.CommittedPrimitiveIndex() + 1;
        found.y = uint(round(query.CommittedRayT() * 256));
    }
    results[id.x] = found;
}
