// Reads each of the four samples of a pixel.
Texture2DMS<float4> picture : register(t0);

uint bytes(float4 colour)
{
    uint4 part = uint4(colour * 255 + 0.5);
    return part.x | part.y << 8 | part.z << 16 | part.w << 24;
}

uint4 each(float4 position : SV_Position) : SV_Target
{
    int2 at = int2(position.xy);
    return uint4(bytes(picture.Load(at, 0)), bytes(picture.Load(at, 1)),
                 bytes(picture.Load(at, 2)), bytes(picture.Load(at, 3)));
}
