// Votes of quads, over four lanes of a row and over squares of two by two; and texels read at offsets that the shader computes.
StructuredBuffer<uint> values : register(t0);
Texture2D<uint> picture : register(t1);
RWStructuredBuffer<uint4> result : register(u0);

[numthreads(64, 1, 1)]
void votes(uint thread : SV_DispatchThreadID)
{
    uint value = values[thread];
    uint seen = 0;
    // A quad goes one way as a whole, or not at all.
    if (QuadAny((value & 1) != 0))
        seen |= 1;
    if (QuadAll((value & 2) != 0))
        seen |= 2;
    if (QuadAny((value & 4) != 0) && QuadAll((value & 8) == 0))
        seen |= 4;
    int2 offset = int2(value % 16, value / 16 % 16) - 8;
    result[thread] = uint4(seen, picture.Load(int3(32, 32, 0), offset), value, QuadReadAcrossDiagonal(value));
}
