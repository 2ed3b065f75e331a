// One step that does not commute with the next: whoever runs steps out of order gets another result.

cbuffer Step : register(b0) { uint first; uint count; uint multiplier; uint addend; };

RWByteAddressBuffer state : register(u0);

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    if (id.x < count)
    {
        uint at = (first + id.x) * 4;
        state.Store(at, state.Load(at) * multiplier + addend);
    }
}
