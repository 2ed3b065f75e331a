// Writes one sample of each texel of a multisampled texture, from the bits that it had. A triangle covers the whole texture, and its pixels
// cover the sample that is named and no other.

cbuffer Texels : register(b0)
{
    // In texels.
    uint width;
    // Bits of a texel.
    uint texel;
    // The sample, as a bit.
    uint coverage;
    // How channels become a colour: one of the numbers below.
    uint order;
    // Bits of each channel, from the lowest on.
    uint4 widths;
    // The value that is written to the stencil.
    uint stencil;
};

// Parts of 2^n - 1 in the order red, green, blue, alpha; blue, green, red, alpha; alpha alone.
static const uint RED_FIRST = 0;
static const uint BLUE_FIRST = 1;
static const uint ALPHA = 2;
// Red, green and blue as floats without a sign, with five bits of exponent.
static const uint SMALL_FLOATS = 3;
// The bits of one float.
static const uint FLOAT = 4;

// Texels, row by row, without gaps. Those of 8 and 16 bits share a word, the lowest bits first.
ByteAddressBuffer from : register(t0);

#define ROOT "RootConstants(num32BitConstants=9, b0), SRV(t0)"

[RootSignature(ROOT)]
float4 vertex(uint id : SV_VertexID) : SV_Position
{
    return float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0, 1);
}

uint4 channels(float4 at)
{
    uint number = uint(at.y) * width + uint(at.x);
    // A channel lies in one word.
    uint together = texel < 32 ? 32 / texel : 1;
    uint first = texel < 32 ? number / together : number * (texel / 32);
    uint bit = number % together * texel;
    uint4 found = 0;
    [unroll]
    for (uint channel = 0; channel < 4; channel++)
    {
        uint bits = widths[channel];
        uint word = from.Load(4 * (first + bit / 32)) >> (bit % 32);
        found[channel] = bits == 32 ? word : word & ((1u << bits) - 1);
        bit += bits;
    }
    return found;
}

// Each as a part of the greatest that it can be. A division may be wrong by a unit in the last place, which is a step of 24 bits; there
// n / (2^24 - 1) is n / 2^24 + n / 2^48 and less than can be seen.
float4 steps(uint4 of)
{
    if (widths.r == 24)
    {
        precise float exact = float(of.r) * (1.0 / 16777216.0) + float(of.r) * (1.0 / 16777216.0 / 16777216.0);
        return exact;
    }
    return float4(of) / max(float4((uint4(1, 1, 1, 1) << widths) - 1), 1);
}

float4 colour(float4 at)
{
    uint4 of = channels(at);
    if (order == FLOAT)
        return asfloat(of);
    if (order == SMALL_FLOATS)
        return f16tof32(of << (10 - (widths - 5)));
    float4 parts = steps(of);
    return order == BLUE_FIRST ? parts.bgra : order == ALPHA ? float4(0, 0, 0, parts.r) : parts;
}

struct Words
{
    uint4 colour : SV_Target;
    uint coverage : SV_Coverage;
};

// Of formats whose channels are whole numbers.
[RootSignature(ROOT)]
Words words(float4 at : SV_Position)
{
    Words all = { channels(at), coverage };
    return all;
}

struct Floats
{
    float4 colour : SV_Target;
    uint coverage : SV_Coverage;
};

// Of all other formats.
[RootSignature(ROOT)]
Floats floats(float4 at : SV_Position)
{
    Floats all = { colour(at), coverage };
    return all;
}

struct Depth
{
    float depth : SV_Depth;
    uint coverage : SV_Coverage;
};

[RootSignature(ROOT)]
Depth depth(float4 at : SV_Position)
{
    Depth all = { colour(at).r, coverage };
    return all;
}

// The test writes the reference; texels of other values are left as they are.
[RootSignature(ROOT)]
uint stencils(float4 at : SV_Position) : SV_Coverage
{
    if (channels(at).r != stencil)
        discard;
    return coverage;
}
