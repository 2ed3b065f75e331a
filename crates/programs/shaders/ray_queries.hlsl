// Rays that are traced inline, in shaders of four kinds. The processor knows what each ray finds.
cbuffer Which : register(b0)
{
    uint first; // the first ray of this dispatch or draw
};

struct Ray
{
    float3 origin;
    float least;
    float3 direction;
    float most;
    uint flags;
    uint mask;
    uint2 unused;
};

struct Box
{
    float3 least;
    float3 most;
};

StructuredBuffer<Ray> rays : register(t0);
StructuredBuffer<Box> boxes : register(t1);
RaytracingAccelerationStructure scene : register(t2);
RWStructuredBuffer<uint4> results : register(u0);

struct Hit
{
    uint4 what;  // status, face and instance; id and group; primitive and geometry; distance
    uint4 place; // barycentric coordinates; where the ray begins in the object's space and where the object is
};

// In steps of 1/256, so that the last bits do not matter.
uint steps(float value)
{
    return uint(int(round(value * 256)));
}

Hit find(uint number)
{
    Ray it = rays[number];
    RayDesc ray;
    ray.Origin = it.origin;
    ray.TMin = it.least;
    ray.Direction = it.direction;
    ray.TMax = it.most;
    RayQuery<RAY_FLAG_NONE> query;
    query.TraceRayInline(scene, it.flags, it.mask, ray);
    while (query.Proceed())
    {
        // Which candidates count depends on what they are, not on their order.
        uint name = query.CandidatePrimitiveIndex() + query.CandidateGeometryIndex() + query.CandidateInstanceID() / 100 + number;
        if (query.CandidateType() == CANDIDATE_NON_OPAQUE_TRIANGLE)
        {
            if (name % 3 != 0)
                query.CommitNonOpaqueTriangleHit();
        }
        else if (name % 4 != 0)
        {
            // The box's near face, where the ray meets it.
            Box box = boxes[query.CandidateGeometryIndex() * 2 + query.CandidatePrimitiveIndex()];
            float3 origin = query.CandidateObjectRayOrigin();
            float3 direction = query.CandidateObjectRayDirection();
            float distance = ((direction.z > 0 ? box.least.z : box.most.z) - origin.z) / direction.z;
            float2 place = origin.xy + distance * direction.xy;
            if (distance >= it.least && distance <= query.CommittedRayT() && all(place >= box.least.xy) && all(place <= box.most.xy))
                query.CommitProceduralPrimitiveHit(distance);
        }
    }
    Hit hit;
    hit.what = 0;
    hit.place = 0;
    if (query.CommittedStatus() == COMMITTED_NOTHING)
        return hit;
    // Which hit is the first one is not known.
    if (it.flags & RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH)
    {
        hit.what.x = 0xff;
        return hit;
    }
    hit.what.x = query.CommittedStatus() | query.CommittedInstanceIndex() << 16;
    hit.what.y = query.CommittedInstanceID() | query.CommittedInstanceContributionToHitGroupIndex() << 16;
    hit.what.z = query.CommittedPrimitiveIndex() | query.CommittedGeometryIndex() << 16;
    hit.what.w = steps(query.CommittedRayT());
    if (query.CommittedStatus() == COMMITTED_TRIANGLE_HIT)
    {
        hit.what.x |= query.CommittedTriangleFrontFace() ? 0x100 : 0;
        hit.place.xy = uint2(steps(query.CommittedTriangleBarycentrics().x), steps(query.CommittedTriangleBarycentrics().y));
    }
    hit.place.z = steps(query.CommittedObjectRayOrigin().x + query.CommittedObjectRayDirection().z);
    hit.place.w = steps(query.CommittedObjectToWorld3x4()[0][3] + query.CommittedWorldToObject3x4()[2][3]);
    return hit;
}

[numthreads(64, 1, 1)]
void compute(uint thread : SV_DispatchThreadID)
{
    Hit hit = find(first + thread);
    results[2 * thread] = hit.what;
    results[2 * thread + 1] = hit.place;
}

// A square of 8 by 8 pixels, each with a ray of its own.
float4 cover(uint corner : SV_VertexID) : SV_Position
{
    return float4((corner & 1) ? 3 : -1, (corner & 2) ? -3 : 1, 0, 1);
}

uint4 pixel(float4 position : SV_Position) : SV_Target
{
    return find(first + uint(position.x) + 8 * uint(position.y)).what;
}

struct Corner
{
    float4 position : SV_Position;
    nointerpolation uint4 what : WHAT;
};

Corner of_pixel(uint cell, uint corner)
{
    float2 place = float2(cell % 8 + (corner & 1), cell / 8 + (corner >> 1));
    Corner result;
    result.position = float4(place.x / 4 - 1, 1 - place.y / 4, 0, 1);
    result.what = find(first + cell).what;
    return result;
}

Corner vertex(uint corner : SV_VertexID, uint cell : SV_InstanceID)
{
    return of_pixel(cell, corner);
}

[outputtopology("triangle")]
[numthreads(4, 1, 1)]
void mesh(uint thread : SV_GroupThreadID, uint cell : SV_GroupID, out indices uint3 triangles[2], out vertices Corner corners[4])
{
    SetMeshOutputCounts(4, 2);
    corners[thread] = of_pixel(cell, thread);
    if (thread < 2)
        triangles[thread] = thread == 0 ? uint3(0, 1, 2) : uint3(3, 2, 1);
}

uint4 found(Corner corner) : SV_Target
{
    return corner.what;
}
