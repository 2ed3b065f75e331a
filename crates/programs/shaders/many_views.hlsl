// One value of each of some views of a heap that is as large as may be.
StructuredBuffer<uint> indices : register(t0);
RWStructuredBuffer<uint> results : register(u0);
StructuredBuffer<uint> views[] : register(t0, space1);

[numthreads(64, 1, 1)]
void main(uint thread : SV_DispatchThreadID)
{
    results[thread] = views[NonUniformResourceIndex(indices[thread])][0];
}
