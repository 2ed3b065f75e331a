// Finds a place for each record of a level, a thread for each taking: nodes read the offsets of their records there.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_GOOGLE_include_directive : require
#include "node.glsl"

layout(local_size_x = 64) in;

layout(buffer_reference, buffer_reference_align = 8, std430) readonly buffer Takings {
    uvec2 all[];
};
layout(buffer_reference, buffer_reference_align = 4, std430) buffer Words {
    uint words[];
};
layout(buffer_reference, buffer_reference_align = 2, std430) readonly buffer Halves {
    uint16_t halves[];
};

layout(push_constant) uniform Push {
    uvec2 graph;
    uvec2 commands;
    uvec2 takings;
    uvec2 records;
    uvec2 offsets;
};

void main() {
    Commands made = Commands(commands);
    uint count = made.takings;
    for (uint at = gl_GlobalInvocationID.x; at < count; at += gl_NumWorkGroups.x * 64) {
        uvec2 taking = Takings(takings).all[at];
        uint number = taking.x >> 8, many = (taking.x & 255) + 1;
        Node node = Graph(graph).nodes[number];
        // Records for a node that is not there are let go.
        if (node.stride == 0) {
            continue;
        }
        uint place = atomicAdd(made.nodes[number].next, many);
        for (uint record = 0; record < many; record++) {
            uint offset = taking.y + record * node.stride;
            Words(offsets).words[place + record] = offset;
            if ((node.kind & TRACKED) != 0) {
                uint groups = node.groups, components = node.kind >> COMPONENTS & 3;
                if ((node.kind & DYNAMIC) != 0 && components != 0) {
                    groups = 1;
                    uint field = offset + node.field;
                    for (uint component = 0; component < components; component++) {
                        groups *= (node.kind & NARROW) != 0
                            ? uint(Halves(records).halves[field / 2 + component])
                            : Words(records).words[field / 4 + component];
                    }
                }
                Words(records).words[(offset + node.stride) / 4 - 1] = groups;
            }
        }
    }
}
