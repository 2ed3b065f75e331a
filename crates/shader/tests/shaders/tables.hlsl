// Every kind of view that a compute shader reads or writes through tables, root arguments and a counter.
cbuffer Root : register(b0) { uint first; uint factor; };
cbuffer Constants : register(b1) { uint4 offset; };
ByteAddressBuffer raw : register(t0);
StructuredBuffer<uint2> structured : register(t1);
Buffer<uint4> typed : register(t2);
Texture2D<float4> images[4] : register(t3);
StructuredBuffer<uint> root_view : register(t0, space1);
SamplerState samplers[2] : register(s0);
SamplerState fixed_sampler : register(s4);
RWByteAddressBuffer target : register(u0);
AppendStructuredBuffer<uint> counted : register(u1);
RWTexture2D<uint> image : register(u2);
RWBuffer<uint> typed_target : register(u3);
RWStructuredBuffer<uint> root_target : register(u0, space1);

[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float4 sampled = images[id.x & 3].SampleLevel(samplers[1], float2(id.xy) / 8, 0);
    sampled += images[1].SampleLevel(fixed_sampler, float2(id.yx) / 8, 0);
    uint sum = first + factor * offset.y + raw.Load(id.x * 4) + structured[id.y].y + typed[id.x].z + root_view[id.x];
    counted.Append(sum);
    image[id.xy] = uint(sampled.x * 255);
    typed_target[id.x] = sum;
    root_target[id.y] = sum + 1;
    target.Store2(id.x * 8, uint2(sum, image[id.yx]));
}
