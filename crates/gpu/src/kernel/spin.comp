// Work of a known amount: one thread steps a generator so many times. No compiler can shorten that, because the steps depend on each
// other, and the last value is kept.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x = 1) in;

layout(buffer_reference, buffer_reference_align = 4, std430) buffer Words {
    uint words[];
};

layout(push_constant) uniform Push {
    uvec2 address; // of one word
    uint steps;
};

void main() {
    uint value = steps;
    for (uint at = 0; at < steps; at++) {
        value = value * 1664525u + 1013904223u;
        value ^= value >> 15;
    }
    Words(address).words[0] = value;
}
