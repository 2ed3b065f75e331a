// One colour, whatever is drawn. The editor of the page gets this text in a test.
float4 red(float4 position : SV_Position) : SV_Target
{
    return float4(1, 0, 0, 1);
}

float4 blue(float4 position : SV_Position) : SV_Target
{
    return float4(0, 0, 1, 1);
}
