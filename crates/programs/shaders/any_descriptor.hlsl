// One value of a descriptor of any kind, at an index that nothing keeps within the heap.
struct Block { uint value; };
struct Request { uint reader, index; };

StructuredBuffer<Request> requests : register(t0);
RWStructuredBuffer<uint> results : register(u0);
cbuffer Settings : register(b0) { uint picture; };  // the heap's texture of one texel, for samplers

Texture2D<uint> textures[] : register(t0, space1);
Buffer<uint> typed[] : register(t0, space2);
StructuredBuffer<uint> structured[] : register(t0, space3);
Texture2D<float> pictures[] : register(t0, space4);
Buffer<uint> eleventh : register(t10, space5);
RWTexture2D<uint> written_textures[] : register(u0, space1);
RWBuffer<uint> written_typed[] : register(u0, space2);
RWStructuredBuffer<uint> written_structured[] : register(u0, space3);
ConstantBuffer<Block> blocks[] : register(b0, space1);
SamplerState samplers[] : register(s0, space1);

[numthreads(64, 1, 1)]
void of_tables(uint thread : SV_DispatchThreadID)
{
    Request request = requests[thread];
    uint at = request.index;
    uint value;
    switch (request.reader)
    {
        case 0: value = textures[NonUniformResourceIndex(at)].Load(0); break;
        case 1: value = written_textures[NonUniformResourceIndex(at)][uint2(0, 0)]; break;
        case 2: value = structured[NonUniformResourceIndex(at)][0]; break;
        case 3: value = typed[NonUniformResourceIndex(at)][0]; break;
        case 4: value = written_structured[NonUniformResourceIndex(at)][0]; break;
        case 5: value = written_typed[NonUniformResourceIndex(at)][0]; break;
        case 6: value = blocks[NonUniformResourceIndex(at)].value; break;
        case 7: value = pictures[picture].SampleLevel(samplers[NonUniformResourceIndex(at)], 0.5, 0); break;
        default: value = eleventh[0]; break;
    }
    results[thread] = value;
}

#if __SHADER_TARGET_MINOR >= 6
[numthreads(64, 1, 1)]
void of_heaps(uint thread : SV_DispatchThreadID)
{
    Request request = requests[thread];
    uint at = request.index;
    uint value;
    switch (request.reader)
    {
        case 0: { Texture2D<uint> it = ResourceDescriptorHeap[NonUniformResourceIndex(at)]; value = it.Load(0); break; }
        case 1: { RWTexture2D<uint> it = ResourceDescriptorHeap[NonUniformResourceIndex(at)]; value = it[uint2(0, 0)]; break; }
        case 2: { StructuredBuffer<uint> it = ResourceDescriptorHeap[NonUniformResourceIndex(at)]; value = it[0]; break; }
        case 3: { Buffer<uint> it = ResourceDescriptorHeap[NonUniformResourceIndex(at)]; value = it[0]; break; }
        case 4: { RWStructuredBuffer<uint> it = ResourceDescriptorHeap[NonUniformResourceIndex(at)]; value = it[0]; break; }
        case 5: { RWBuffer<uint> it = ResourceDescriptorHeap[NonUniformResourceIndex(at)]; value = it[0]; break; }
        case 6: { ConstantBuffer<Block> it = ResourceDescriptorHeap[NonUniformResourceIndex(at)]; value = it.value; break; }
        default:
        {
            Texture2D<float> it = ResourceDescriptorHeap[picture];
            SamplerState sampling = SamplerDescriptorHeap[NonUniformResourceIndex(at)];
            value = it.SampleLevel(sampling, 0.5, 0);
            break;
        }
    }
    results[thread] = value;
}
#endif
