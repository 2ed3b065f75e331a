// Shader models 6.9 and 6.10 (DXC 1.9): vectors in buffers, a vector that is longer than SPIR-V's, and the reordering of shaders.
ByteAddressBuffer from : register(t0);
RWByteAddressBuffer to : register(u0);

[numthreads(64, 1, 1)]
void vectors(uint3 at : SV_DispatchThreadID) {
    vector<float, 4> read = from.Load<vector<float, 4> >(at.x * 16);
    to.Store<vector<float, 4> >(at.x * 16, read * 2 + 1);
}

[numthreads(64, 1, 1)]
void long_vectors(uint3 at : SV_DispatchThreadID) {
    vector<float, 8> read = from.Load<vector<float, 8> >(at.x * 32);
    to.Store<vector<float, 8> >(at.x * 32, read * 2 + 1);
}

struct [raypayload] Payload {
    float4 colour : read(caller) : write(caller, closesthit, miss);
};
RaytracingAccelerationStructure scene : register(t1);

[shader("raygeneration")]
void reorder() {
    RayDesc ray = { float3(0, 0, 0), 0, float3(0, 0, 1), 1 };
    Payload payload = { float4(0, 0, 0, 0) };
    dx::HitObject hit = dx::HitObject::TraceRay(scene, 0, 0xff, 0, 0, 0, ray, payload);
    dx::MaybeReorderThread(hit);
    dx::HitObject::Invoke(hit, payload);
    to.Store(0, asuint(payload.colour.x));
}
