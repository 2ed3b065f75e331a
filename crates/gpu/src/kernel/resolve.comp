// Makes one texel of the samples of each, in a box of an image's layer: the least, the greatest, or the average.
// Built once per kind of number: FROM and TO are the images' types, VALUE a texel's, OUT makes a texel to store of it.
#version 460
#extension GL_EXT_samplerless_texture_functions : require

layout(local_size_x = 8, local_size_y = 8) in;

layout(set = 0, binding = 0) writeonly uniform TO to;
layout(set = 0, binding = 1) uniform FROM from;

layout(push_constant) uniform Push {
    ivec4 origin; // texel, layer; then the number of samples
    ivec4 size;   // width and height; then 1 least, 2 greatest, 3 average
};

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(at, size.xy))) {
        return;
    }
    ivec3 place = ivec3(at + origin.xy, origin.z);
    VALUE all = texelFetch(from, place, 0);
    for (int sample_ = 1; sample_ < origin.w; ++sample_) {
        VALUE one = texelFetch(from, place, sample_);
        all = size.z == 1 ? min(all, one) : size.z == 2 ? max(all, one) : all + one;
    }
    if (size.z == 3) {
        all /= VALUE(origin.w);
    }
    imageStore(to, at, OUT);
}
