// Reads textures through views of each dimension, and asks the views for their sizes.
Texture1D<uint4> line_ : register(t0);
Texture1DArray<uint4> lines : register(t0);
Texture2D<uint4> plane : register(t0);
Texture2DArray<uint4> planes : register(t0);
Texture3D<uint4> volume : register(t0);
TextureCube<float4> cube : register(t0);
TextureCubeArray<float4> cubes : register(t0);
Texture2D<float4> floats : register(t0);
SamplerState nearest : register(s0);
RWByteAddressBuffer output : register(u0);

cbuffer Constants : register(b0)
{
    uint level; // of the view
};

// Sizes first; texels are behind them, in rows of 8 and slices of 8 rows.
void store(uint3 at, uint4 sizes, uint4 value)
{
    if (!any(at))
        output.Store4(0, sizes);
    output.Store4(16 * (1 + at.x + 8 * at.y + 64 * at.z), value);
}

[numthreads(8, 1, 1)]
void read_line(uint3 at : SV_DispatchThreadID)
{
    uint width, levels;
    line_.GetDimensions(level, width, levels);
    store(at, uint4(width, levels, 0, 0), line_.Load(int2(at.x, level)));
}

[numthreads(8, 8, 1)]
void read_lines(uint3 at : SV_DispatchThreadID)
{
    uint width, slices, levels;
    lines.GetDimensions(level, width, slices, levels);
    store(at, uint4(width, slices, levels, 0), lines.Load(int3(at.xy, level)));
}

[numthreads(8, 8, 1)]
void read_plane(uint3 at : SV_DispatchThreadID)
{
    uint width, height, levels;
    plane.GetDimensions(level, width, height, levels);
    store(at, uint4(width, height, levels, 0), plane.Load(int3(at.xy, level)));
}

[numthreads(8, 8, 1)]
void read_planes(uint3 at : SV_DispatchThreadID)
{
    uint width, height, slices, levels;
    planes.GetDimensions(level, width, height, slices, levels);
    store(at, uint4(width, height, slices, levels), planes.Load(int4(at, level)));
}

[numthreads(8, 8, 1)]
void read_volume(uint3 at : SV_DispatchThreadID)
{
    uint width, height, depth, levels;
    volume.GetDimensions(level, width, height, depth, levels);
    store(at, uint4(width, height, depth, levels), volume.Load(int4(at, level)));
}

// The bits of floats, or of colours that are 0 or 1.
[numthreads(8, 8, 1)]
void read_floats(uint3 at : SV_DispatchThreadID)
{
    uint width, height, levels;
    floats.GetDimensions(level, width, height, levels);
    store(at, uint4(width, height, levels, 0), asuint(floats.Load(int3(at.xy, level))));
}

// Through the middle of each texel of the face at.z.
float3 direction(uint3 at)
{
    float2 uv = (at.xy + 0.5) / 4 - 1;
    switch (at.z % 6)
    {
    case 0: return float3(1, -uv.y, -uv.x);
    case 1: return float3(-1, -uv.y, uv.x);
    case 2: return float3(uv.x, 1, uv.y);
    case 3: return float3(uv.x, -1, -uv.y);
    case 4: return float3(uv.x, -uv.y, 1);
    default: return float3(-uv.x, -uv.y, -1);
    }
}

uint4 bytes(float4 colour)
{
    return uint4(colour * 255 + 0.5);
}

[numthreads(8, 8, 1)]
void read_cube(uint3 at : SV_DispatchThreadID)
{
    uint width, height, levels;
    cube.GetDimensions(level, width, height, levels);
    store(at, uint4(width, height, levels, 0), bytes(cube.SampleLevel(nearest, direction(at), level)));
}

[numthreads(8, 8, 1)]
void read_cubes(uint3 at : SV_DispatchThreadID)
{
    uint width, height, count, levels;
    cubes.GetDimensions(level, width, height, count, levels);
    store(at, uint4(width, height, count, levels), bytes(cubes.SampleLevel(nearest, float4(direction(at), at.z / 6), level)));
}
