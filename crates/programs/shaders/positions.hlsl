// Which samples of its pixel a primitive covers, for a target without colours.
RWByteAddressBuffer covered : register(u0);

[earlydepthstencil]
void pixel(float4 position : SV_Position, uint samples : SV_Coverage)
{
    uint2 at = uint2(position.xy);
    covered.InterlockedOr(4 * (at.x + 16 * at.y), samples);
}
