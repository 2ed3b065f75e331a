// A library: shaders of ray tracing with local root signatures, and subobjects of every kind.
GlobalRootSignature everywhere = { "SRV(t0), UAV(u0)" };
LocalRootSignature records = { "RootConstants(num32BitConstants = 3, b1), CBV(b2), DescriptorTable(SRV(t4), UAV(u4, numDescriptors = 2)), StaticSampler(s1)" };
StateObjectConfig configuration = { STATE_OBJECT_FLAGS_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITONS };
RaytracingShaderConfig sizes = { 16, 8 };
RaytracingPipelineConfig depth = { 3 };
TriangleHitGroup triangles = { "any", "closest" };
ProceduralPrimitiveHitGroup boxes = { "", "closest", "within" };
SubobjectToExportsAssociation some = { "records", "triangles;boxes;missed" };

RaytracingAccelerationStructure scene : register(t0);
RWByteAddressBuffer results : register(u0);
cbuffer Words : register(b1) { uint3 words; };
cbuffer Far : register(b2) { uint far; };
Texture2D<float4> picture : register(t4);
RWByteAddressBuffer tables[2] : register(u4);
SamplerState smooth : register(s1);

struct Payload { uint4 value; };
struct Attributes { float2 place; };
struct Parameter { uint value; };

[shader("raygeneration")]
void begin()
{
    RayDesc ray = { float3(DispatchRaysIndex()), 0, float3(0, 0, 1), 100 };
    Payload payload = { uint4(0, 0, 0, 0) };
    TraceRay(scene, RAY_FLAG_NONE, 0xff, 0, 1, 0, ray, payload);
    Parameter parameter = { payload.value.x };
    CallShader(0, parameter);
    results.Store(DispatchRaysIndex().x * 4, parameter.value);
}

[shader("miss")]
void missed(inout Payload payload)
{
    payload.value = uint4(words, far);
}

[shader("closesthit")]
void closest(inout Payload payload, Attributes attributes)
{
    payload.value = asuint(picture.SampleLevel(smooth, attributes.place, 0)) + tables[words.x & 1].Load(words.y);
}

[shader("anyhit")]
void any(inout Payload payload, Attributes attributes)
{
    if (attributes.place.x < 0.5)
        IgnoreHit();
}

[shader("intersection")]
void within()
{
    Attributes attributes = { float2(0.25, 0.75) };
    ReportHit(1.5, 7, attributes);
}

[shader("callable")]
void called(inout Parameter parameter)
{
    parameter.value *= 3;
}
