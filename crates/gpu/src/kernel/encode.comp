// Makes a layer of sampler feedback of bytes, one for each region: the finest level that was read there, or whether a level was.
// The bits are those of decode.comp. What neighbours say of a region is taken back, so it decodes to what it was made of.
#version 460
#extension GL_EXT_samplerless_texture_functions : require

layout(local_size_x = 8, local_size_y = 8) in;

layout(set = 0, binding = 0, r32ui) uniform uimage2DArray to;
layout(set = 0, binding = 1) uniform utexture2DArray from;

layout(push_constant) uniform Push {
    ivec4 origin; // region, layer; then the level, or -1: all of them
    ivec4 size;   // width and height in regions; then the first byte's column and row
    ivec2 source; // its layer and level
};

// Levels above are none: a texture of the API has 15 at most.
const uint LAST = 14;

// Takes a bit of the level back at a region.
void clear(ivec2 region, uint bit) {
    ivec3 texel = ivec3(2 * region.x + (origin.w >> 3), region.y, origin.z);
    imageAtomicAnd(to, texel, ~(bit << (4 * (origin.w & 7))));
}

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(at, size.xy))) {
        return;
    }
    ivec2 region = at + origin.xy;
    uint value = texelFetch(from, ivec3(at + size.zw, source.x), source.y).x;
    ivec3 low = ivec3(2 * region.x, region.y, origin.z);
    if (origin.w < 0) {
        imageStore(to, low, uvec4(0));
        imageStore(to, low + ivec3(1, 0, 0), uvec4(value > LAST ? 0 : (value + 1) << 28));
        return;
    }
    if (value != 0) {
        imageAtomicOr(to, low + ivec3(origin.w >> 3, 0, 0), 1u << (4 * (origin.w & 7)));
    } else {
        clear(region, 1u);
    }
    if (region.x > 0) {
        clear(region - ivec2(1, 0), 2u);
    }
    if (region.y > 0) {
        clear(region - ivec2(0, 1), 4u);
    }
    if (region.x > 0 && region.y > 0) {
        clear(region - ivec2(1, 1), 8u);
    }
}
