// Rays that make a picture: each thread writes the texel of its place. The processor knows what each gives.
cbuffer Frame : register(b0)
{
    uint2 corner; // where the first thread writes
};

RaytracingAccelerationStructure scene : register(t0);
RWTexture2D<uint> picture : register(u0);

struct Payload
{
    uint value;
};

[shader("raygeneration")]
void shoot()
{
    uint2 at = DispatchRaysIndex().xy;
    RayDesc ray;
    ray.Origin = float3(at.x + 0.5, at.y + 0.5, -1);
    ray.Direction = float3(0, 0, 1);
    ray.TMin = 0;
    ray.TMax = 10;
    Payload payload = { 0 };
    TraceRay(scene, RAY_FLAG_NONE, 0xff, 0, 0, 0, ray, payload);
    picture[at + corner] = payload.value + at.y * 16 + at.x;
}

[shader("miss")]
void sky(inout Payload payload)
{
    payload.value = 0x1000;
}

[shader("closesthit")]
void ground(inout Payload payload, BuiltInTriangleIntersectionAttributes attributes)
{
    payload.value = 0x2000 + uint(RayTCurrent() * 256);
}
