// Makes bytes of a layer of sampler feedback, one for each region: the finest level that was read there, or whether a level was.
// A region has two texels of 32 bits side by side. From the lowest bits on each level has four: the region itself was read, its
// neighbour to the right, the one below, the one below to the right. The highest four bits are a level, plus one, that was encoded.
#version 460
#extension GL_EXT_samplerless_texture_functions : require

layout(local_size_x = 8, local_size_y = 8) in;

layout(set = 0, binding = 0) writeonly uniform uimage2D to;
layout(set = 0, binding = 1) uniform utexture2DArray from;

layout(push_constant) uniform Push {
    ivec4 origin; // region, layer; then the level, or -1: all of them
    ivec4 size;   // width and height in regions; then levels
    ivec2 paired; // width and height of the texture in texels
};

const uint NONE = 0xff;

// Bits of a level at a region.
uint bits(ivec2 region, int level) {
    uint half_ = texelFetch(from, ivec3(2 * region.x + (level >> 3), region.y, origin.z), 0).x;
    return bitfieldExtract(half_, 4 * (level & 7), 4);
}

bool read(ivec2 region, int level) {
    uint found = bits(region, level) & 1u;
    if (region.x > 0) {
        found |= bits(region - ivec2(1, 0), level) & 2u;
    }
    if (region.y > 0) {
        found |= bits(region - ivec2(0, 1), level) & 4u;
    }
    if (region.x > 0 && region.y > 0) {
        found |= bits(region - ivec2(1, 1), level) & 8u;
    }
    return found != 0;
}

// Whether a level was read within a region of level 0. Regions of both overlap, not always one to one.
bool within(ivec2 region, int level) {
    ivec2 texels = max(paired >> level, ivec2(1));
    ivec2 first = region * texels / paired;
    ivec2 last = ((region + 1) * texels - 1) / paired;
    for (int y = first.y; y <= last.y; ++y) {
        for (int x = first.x; x <= last.x; ++x) {
            if (read(ivec2(x, y), level)) {
                return true;
            }
        }
    }
    return false;
}

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(at, size.xy))) {
        return;
    }
    ivec2 region = at + origin.xy;
    uint value = NONE;
    if (origin.w >= 0) {
        value = read(region, origin.w) ? NONE : 0;
    } else {
        uint encoded = texelFetch(from, ivec3(2 * region.x + 1, region.y, origin.z), 0).x >> 28;
        if (encoded != 0) {
            value = encoded - 1;
        }
        for (int level = 0; level < min(size.z, int(value)); ++level) {
            if (within(region, level)) {
                value = uint(level);
                break;
            }
        }
    }
    imageStore(to, at, uvec4(value));
}
