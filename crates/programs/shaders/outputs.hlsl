// What pixel shaders decide beside colours.
cbuffer Rectangle : register(b0)
{
    uint4 edges;
    float2 scale;
    float depth;
    uint choice;
    uint4 value;
};

struct WithDepth
{
    uint4 number : SV_Target;
    float depth : SV_Depth;
};

// A depth that rises to the right, in eighths, whatever the rectangle's is.
WithDepth depths(float4 position : SV_Position)
{
    WithDepth output;
    output.number = value;
    output.depth = (uint(position.x) % 8) / 8.0;
    return output;
}

// Every third pixel of a row is not there.
uint4 holes(float4 position : SV_Position) : SV_Target
{
    if ((uint(position.x) + uint(position.y)) % 3 == 0)
        discard;
    return value;
}

// Depth is tested before the shader runs, and counted as written even where it discards.
[earlydepthstencil]
uint4 early(float4 position : SV_Position) : SV_Target
{
    if ((uint(position.x) + uint(position.y)) % 3 == 0)
        discard;
    return value;
}

// Samples are those of the choice, and of the rectangle's coverage.
float4 coverage(float4 position : SV_Position, inout uint samples : SV_Coverage) : SV_Target
{
    samples &= choice;
    return asfloat(value);
}

// Once for each sample, which tells its number.
float4 samples(uint sample_ : SV_SampleIndex) : SV_Target
{
    return (sample_ + 1) * 4 / 255.0;
}

struct Two
{
    float4 colour : SV_Target0;
    float4 factor : SV_Target1;
};

// The second colour is a factor of blending: zeros and ones.
Two two()
{
    Two outputs;
    outputs.colour = asfloat(value);
    outputs.factor = float4(choice & 1, choice >> 1 & 1, choice >> 2 & 1, choice >> 3 & 1);
    return outputs;
}
