// Writes what the input assembler makes of attributes, by the number of the vertex.
RWByteAddressBuffer output : register(u0);

struct Floats { float4 a : A; float4 b : B; float4 c : C; float4 d : D; };
struct Numbers { uint4 a : A; int4 b : B; uint4 c : C; int4 d : D; };

// One point of one pixel in the middle for each vertex.
float4 floats(Floats input, uint number : SV_VertexID, out nointerpolation uint4 seen[4] : SEEN, out nointerpolation uint which : WHICH) : SV_Position
{
    seen[0] = asuint(input.a);
    seen[1] = asuint(input.b);
    seen[2] = asuint(input.c);
    seen[3] = asuint(input.d);
    which = number;
    return float4((number + 0.5) / 4 - 1, 0, 0.5, 1);
}

float4 numbers(Numbers input, uint number : SV_VertexID, out nointerpolation uint4 seen[4] : SEEN, out nointerpolation uint which : WHICH) : SV_Position
{
    seen[0] = input.a;
    seen[1] = asuint(input.b);
    seen[2] = input.c;
    seen[3] = asuint(input.d);
    which = number;
    return float4((number + 0.5) / 4 - 1, 0, 0.5, 1);
}

void pixel(float4 position : SV_Position, nointerpolation uint4 seen[4] : SEEN, nointerpolation uint which : WHICH)
{
    [unroll] for (uint part = 0; part < 4; part++)
        output.Store4(64 * which + 16 * part, seen[part]);
}
