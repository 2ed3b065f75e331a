// Writes floats that the CPU chooses through unordered views: one thread an element.
cbuffer Chosen : register(b0)
{
    uint element; // of the buffer; of the texture, in rows of 8
    uint bits;    // of the float that goes there
};

RWBuffer<float> numbers : register(u0);
RWTexture2D<float4> picture : register(u1);

[numthreads(64, 1, 1)]
void main(uint3 at : SV_DispatchThreadID)
{
    uint number = at.x == element ? bits : asuint((float)at.x);
    numbers[at.x] = asfloat(number);
    picture[uint2(at.x % 8, at.x / 8)] = float4(0, 0, asfloat(number), 1);
}
