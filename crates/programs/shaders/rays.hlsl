// Ray tracing with shaders of its own: one of each kind. The processor knows what each ray gives.
cbuffer Frame : register(b0)
{
    uint frame; // which dispatch it is
};

// In a shader's record.
cbuffer Record : register(b1)
{
    uint first;
    uint second;
};

RaytracingAccelerationStructure scene : register(t0);
StructuredBuffer<uint> numbers : register(t2); // by an address in the record
StructuredBuffer<uint> more : register(t3);    // by a table in the record
RWStructuredBuffer<uint4> results : register(u0);

struct Payload
{
    uint value;
    uint depth;
    uint kind; // the row of the ray
    float distance;
};

struct Side
{
    uint number;
    uint unused;
};

struct Call
{
    uint value;
};

RayDesc ray(float x)
{
    RayDesc ray;
    ray.Origin = float3(x, 0, -1);
    ray.Direction = float3(0, 0, 1);
    ray.TMin = 0;
    ray.TMax = 10;
    return ray;
}

[shader("raygeneration")]
void generate()
{
    uint2 at = DispatchRaysIndex().xy;
    Payload payload = { 0, 0, at.y, 0 };
    float x = 4 * float(at.x / 4) + 0.5 * float(at.x % 4) - 0.75;
    TraceRay(scene, RAY_FLAG_NONE, 0xff, 0, 0, at.x & 1, ray(x), payload);
    if (at.y == 3)
    {
        Call call = { payload.value };
        CallShader(at.x & 1, call);
        payload.value = call.value;
    }
    uint number = at.y * DispatchRaysDimensions().x + at.x;
    results[number] = uint4(payload.value, uint(round(payload.distance * 256)), payload.depth, frame);
}

[shader("miss")]
void nothing(inout Payload payload)
{
    payload.value += first + second * 16;
}

[shader("closesthit")]
void near(inout Payload payload, BuiltInTriangleIntersectionAttributes attributes)
{
    payload.value += first + numbers[second] + PrimitiveIndex();
    payload.distance = RayTCurrent();
    if (payload.kind == 1 && payload.depth == 0)
    {
        payload.depth = 1;
        TraceRay(scene, RAY_FLAG_NONE, 0xff, 0, 0, 1, ray(WorldRayOrigin().x + 4), payload);
    }
}

[shader("anyhit")]
void sieve(inout Payload payload, BuiltInTriangleIntersectionAttributes attributes)
{
    if (payload.kind == 2 && (DispatchRaysIndex().x & 1) != 0)
    {
        IgnoreHit();
    }
}

[shader("intersection")]
void cross()
{
    float x = ObjectRayOrigin().x;
    if (abs(x) <= 0.5)
    {
        Side side = { x > 0 ? 3u : 5u, 0 };
        ReportHit((0.5 - ObjectRayOrigin().z) / ObjectRayDirection().z, side.number + 1, side);
    }
}

[shader("closesthit")]
void side(inout Payload payload, Side side)
{
    payload.value += first * side.number + HitKind() + more[InstanceID()];
    payload.distance = RayTCurrent();
}

[shader("closesthit")]
void late(inout Payload payload, BuiltInTriangleIntersectionAttributes attributes)
{
    payload.value += 7777;
    payload.distance = RayTCurrent() * 2;
}

[shader("callable")]
void twice(inout Call call)
{
    call.value = call.value * 2 + first;
}
