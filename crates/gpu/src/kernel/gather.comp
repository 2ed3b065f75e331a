// Adds 64-bit counts of several parts up, one thread a count; or says of each sum whether it is more than zero.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x = 64) in;

layout(buffer_reference, buffer_reference_align = 8, std430) buffer Counts {
    uvec2 counts[];
};

layout(push_constant) uniform Push {
    uvec2 source;      // address of the first part
    uvec2 destination; // address of the first sum
    uint sums;
    uint parts;        // parts of each sum; a part has a count for each
    uint binary;       // not 0: sums become 0 or 1
};

void main() {
    uint at = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 64 + gl_LocalInvocationID.x;
    if (at >= sums) {
        return;
    }
    uvec2 sum = uvec2(0);
    for (uint part = 0; part < parts; part++) {
        uvec2 count = Counts(source).counts[part * sums + at];
        uint carry;
        sum.x = uaddCarry(sum.x, count.x, carry);
        sum.y += count.y + carry;
    }
    if (binary != 0) {
        sum = uvec2(sum == uvec2(0) ? 0 : 1, 0);
    }
    Counts(destination).counts[at] = sum;
}
