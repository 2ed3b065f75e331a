// Columns and rows of squares that the target has.
@group(0) @binding(0) var<uniform> cells: vec4<u32>;
@group(0) @binding(1) var palette: texture_2d<f32>;

struct Placed {
    @builtin(position) position: vec4<f32>,
    @location(0) @interpolate(flat) texel: u32,
}

@vertex
fn place(@location(0) corner: vec2<u32>, @location(1) square: vec4<u32>) -> Placed {
    let at = vec2<f32>(square.xy + corner) / vec2<f32>(cells.xy);
    var placed: Placed;
    placed.position = vec4<f32>(at.x * 2.0 - 1.0, 1.0 - at.y * 2.0, f32(square.z) / 16.0, 1.0);
    placed.texel = square.w;
    return placed;
}

@fragment
fn colour(placed: Placed) -> @location(0) vec4<f32> {
    return textureLoad(palette, vec2<u32>(placed.texel % 8u, placed.texel / 8u), 0);
}
