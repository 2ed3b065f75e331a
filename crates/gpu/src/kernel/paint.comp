// Stores one texel's bits all over a box of an image, which is seen as unsigned integers of the texel's size.
// Built once per kind of image: IMAGE is its type, AT the coordinate in it.
#version 460

layout(local_size_x = 8, local_size_y = 8) in;

layout(set = 0, binding = 0) writeonly uniform IMAGE image;

layout(push_constant) uniform Push {
    uvec4 bits;
    ivec4 origin; // texel, then layer or slice; one-dimensional images have their layers in z too
    ivec4 size;
};

void main() {
    ivec3 place = ivec3(gl_GlobalInvocationID);
    if (any(greaterThanEqual(place, size.xyz))) {
        return;
    }
    place += origin.xyz;
    imageStore(image, AT, bits);
}
