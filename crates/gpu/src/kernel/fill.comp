// Fills bytes of a buffer with a repeated pattern. Words at the edges that belong to the range in part keep their other bytes.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x = 64) in;

layout(buffer_reference, buffer_reference_align = 4, std430) buffer Words {
    uint words[];
};

layout(push_constant) uniform Push {
    uvec4 pattern;
    uvec2 address; // of the first word that the range touches
    uint count;    // words that the range touches
    uint period;   // words after which the pattern begins again: 1 to 4
    uint head;     // bits of the first word that belong to the range
    uint tail;     // bits of the last word that belong to the range
};

void main() {
    uint at = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 64 + gl_LocalInvocationID.x;
    if (at >= count) {
        return;
    }
    uint mask = ~0u;
    if (at == 0) {
        mask &= head;
    }
    if (at == count - 1) {
        mask &= tail;
    }
    uint word = pattern[at % period];
    Words buffer_ = Words(address);
    if (mask == ~0u) {
        buffer_.words[at] = word;
    } else {
        // The other bytes may be another buffer's, which may be written meanwhile.
        atomicAnd(buffer_.words[at], ~mask);
        atomicOr(buffer_.words[at], word & mask);
    }
}
