// For tests of lines: compiled by `dxc -Zi -Qembed_debug`.
RWStructuredBuffer<float> results : register(u0);

[numthreads(8, 1, 1)]
void main(uint3 thread : SV_DispatchThreadID)
{
    float2 uv = float2(thread.x * 0.25, thread.x + 1.5);
    float scaled = uv.x * uv.y;
    if (thread.x > 3)
    {
        scaled = sqrt(scaled) - 2;
    }
    results[thread.x] = scaled;
}
