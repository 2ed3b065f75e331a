// Miss shaders whose sampler is a static one of their record's root signature. The processor knows what each gives.
Texture2D<float> numbers : register(t0);
RaytracingAccelerationStructure scene : register(t1);
RWStructuredBuffer<uint> results : register(u0);
SamplerState local : register(s0);

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
    results[at] = payload.value;
}

[shader("miss")]
void first(inout Payload payload)
{
    payload.value = 0x100 + uint(numbers.SampleLevel(local, float2(1.25, 0.5), 0));
}

[shader("miss")]
void second(inout Payload payload)
{
    payload.value = 0x200 + uint(numbers.SampleLevel(local, float2(1.25, 0.5), 0));
}
