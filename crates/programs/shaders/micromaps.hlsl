// Rays through triangles with opacity micromaps. The processor knows what each ray meets.
cbuffer Frame : register(b0)
{
    uint flags; // of each ray; the bit of RAY_FLAG_FORCE_OMM_2_STATE, 0x400, among them
};

RaytracingAccelerationStructure scene : register(t0);
StructuredBuffer<float2> origins : register(t1); // one a ray
RWStructuredBuffer<uint2> results : register(u0);

struct Payload
{
    uint hit;   // 0 for nothing
    uint asked; // how often the any-hit shader has run
};

[shader("raygeneration")]
void generate()
{
    uint number = DispatchRaysIndex().x;
    RayDesc ray;
    ray.Origin = float3(origins[number], -1);
    ray.Direction = float3(0, 0, 1);
    ray.TMin = 0;
    ray.TMax = 10;
    Payload payload = { 0, 0 };
    TraceRay(scene, flags, 0xff, 0, 0, 0, ray, payload);
    results[number] = uint2(payload.hit, payload.asked);
}

[shader("miss")]
void nothing(inout Payload payload)
{
}

[shader("closesthit")]
void near(inout Payload payload, BuiltInTriangleIntersectionAttributes attributes)
{
    payload.hit = 1 + PrimitiveIndex() + 256 * InstanceID();
}

[shader("anyhit")]
void ask(inout Payload payload, BuiltInTriangleIntersectionAttributes attributes)
{
    payload.asked += 1;
}
