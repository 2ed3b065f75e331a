// A ray generation shader and miss shaders, one of which is made for another global root signature. The processor knows what each gives.
cbuffer Own : register(b0)
{
    uint own;
};

cbuffer Other : register(b1)
{
    uint other;
};

RaytracingAccelerationStructure scene : register(t0);
RWStructuredBuffer<uint> results : register(u0);

struct Payload
{
    uint value;
};

[shader("raygeneration")]
void shoot()
{
    uint at = DispatchRaysIndex().x;
    RayDesc ray;
    ray.Origin = float3(0, 0, -1);
    ray.Direction = float3(0, 0, 1);
    ray.TMin = 0;
    ray.TMax = 10;
    Payload payload = { 0 };
    TraceRay(scene, RAY_FLAG_NONE, 0xff, 0, 0, at, ray, payload);
    results[at] = payload.value * 0x10000 + own * 0x100 + other;
}

[shader("miss")]
void near(inout Payload payload)
{
    payload.value = own + 0x10;
}

[shader("miss")]
void far(inout Payload payload)
{
    payload.value = own + 0x20;
}
