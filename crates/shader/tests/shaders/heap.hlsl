// Shader model 6.6: the heaps themselves are indexed.
cbuffer Root : register(b0) { uint source; uint destination; uint picture; uint filter; };

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    ByteAddressBuffer from = ResourceDescriptorHeap[source];
    RWStructuredBuffer<uint> to = ResourceDescriptorHeap[destination];
    Texture2D<float> image = ResourceDescriptorHeap[picture];
    SamplerState nearest = SamplerDescriptorHeap[filter];
    to[id.x] = from.Load(id.x * 4) + uint(image.SampleLevel(nearest, float2(0.5, 0.5), 0));
}
