// Writes 3 * id + 1 into a raw buffer in a table.
RWByteAddressBuffer target : register(u0);

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    target.Store(id.x * 4, id.x * 3 + 1);
}
