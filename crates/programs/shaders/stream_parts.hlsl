// Outputs of which parts go to buffers: numbers that say which vertex, which output and which component they are.
struct Point
{
    float4 position : SV_Position;
    float4 values : VALUE;
    float2 pairs[2] : PAIR;
    uint3 numbers : NUMBER;
    float3 first : SV_ClipDistance0;
    float4 second : SV_ClipDistance1;
};
struct Value { float2 values : VALUE; };

Point vertex(uint vertex : SV_VertexID)
{
    float base = 100 * vertex;
    Point output;
    output.position = float4(0, 0, 0.5, 1);
    output.values = base + float4(0, 1, 2, 3);
    output.pairs[0] = base + float2(10, 11);
    output.pairs[1] = base + float2(20, 21);
    output.numbers = 100 * vertex + uint3(30, 31, 32);
    output.first = base + float3(40, 41, 42);
    output.second = base + float4(50, 51, 52, 53);
    return output;
}

// Two streams whose outputs have one name; the second has two vertices for each that comes.
[maxvertexcount(3)]
void twins(point Point from[1], inout PointStream<Value> one, inout PointStream<Value> two)
{
    Value value;
    value.values = from[0].values.xy;
    one.Append(value);
    for (uint again = 0; again < 2; again++)
    {
        value.values = from[0].values.zw + 10 * again;
        two.Append(value);
    }
}
