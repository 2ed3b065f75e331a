// Texels of one typed buffer, one more than those of another.
Buffer<float> source : register(t0);
RWBuffer<float> target : register(u0);

[numthreads(64, 1, 1)]
void main(uint thread : SV_DispatchThreadID)
{
    target[thread] = source[thread] + 1;
}
