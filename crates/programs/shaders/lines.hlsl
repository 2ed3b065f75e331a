// Lines whose ends are constants.
cbuffer Ends : register(b0)
{
    float4 ends; // two places from -1 to 1
    uint4 colour;
};

float4 vertex(uint end : SV_VertexID) : SV_Position
{
    return float4(end == 0 ? ends.xy : ends.zw, 0, 1);
}

uint4 pixel() : SV_Target
{
    return colour;
}
