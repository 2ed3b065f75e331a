// A table of fixed size, all of whose descriptors every thread reads. Shader model 5.0, which has no arrays of descriptors
// in its binary form: each is a register of its own.

ByteAddressBuffer raw[8] : register(t0);
Buffer<uint> typed[4] : register(t8);             // R32_UINT
cbuffer First : register(b1) { uint4 first[16]; };
cbuffer Second : register(b2) { uint4 second[16]; };
cbuffer Third : register(b3) { uint4 third[16]; };
RWByteAddressBuffer output : register(u0);        // 64 words, a view for each dispatch

cbuffer Constants : register(b0) { uint salt; };

// Not by [word & 3]: fxc has taken the wrong register for that.
uint pick(uint4 words, uint word)
{
    uint2 half = word & 2 ? words.zw : words.xy;
    return word & 1 ? half.y : half.x;
}

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    uint value = salt;
    [unroll] for (uint i = 0; i < 8; ++i)
        value = value * 31 + raw[i].Load(id.x * 4);
    [unroll] for (uint j = 0; j < 4; ++j)
        value = value * 31 + typed[j][id.x];
    value = value * 31 + pick(first[id.x >> 2], id.x);
    value = value * 31 + pick(second[id.x >> 2], id.x);
    value = value * 31 + pick(third[id.x >> 2], id.x);
    output.Store(id.x * 4, value);
}
