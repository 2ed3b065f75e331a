// Brings the records that a program gives a work graph to where nodes find theirs, and counts them. It sets all counters.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_GOOGLE_include_directive : require
#include "node.glsl"

layout(local_size_x = 64) in;

layout(buffer_reference, buffer_reference_align = 4, std430) readonly buffer From32 {
    uint words[];
};
layout(buffer_reference, buffer_reference_align = 4, std430) writeonly buffer To32 {
    uint words[];
};
layout(buffer_reference, buffer_reference_align = 2, std430) readonly buffer From16 {
    uint16_t halves[];
};
layout(buffer_reference, buffer_reference_align = 2, std430) writeonly buffer To16 {
    uint16_t halves[];
};

layout(push_constant) uniform Push {
    uvec2 graph;    // address of what is known of nodes, and behind it of entry points
    uvec2 inputs;   // address of an input, or of the number, address and stride of several
    uvec2 counters;
    uvec2 records;  // address of the room for records
    uint nodes;
    uint entries;
    uint takings;   // words from the counters of nodes to the takings
    uint room;      // bytes for records
    uint several;
};

uvec2 sum(uvec2 address, uint more) {
    uint carry;
    address.x = uaddCarry(address.x, more, carry);
    address.y += carry;
    return address;
}

// Strides have 64 bits. Only their lower half and the number of an element are multiplied in full.
uvec2 element(uvec2 address, uvec2 stride, uint at) {
    uint high, low;
    umulExtended(stride.x, at, high, low);
    address = sum(address, low);
    address.y += high + stride.y * at;
    return address;
}

void main() {
    uint threads = gl_NumWorkGroups.x * 64, me = gl_GlobalInvocationID.x;
    Counters all = Counters(counters);
    if (me == 0) {
        for (uint node = 0; node < nodes; node++) {
            all.counts[node] = 0;
        }
    }
    From32 header = From32(inputs);
    uint count = several != 0 ? header.words[0] : 1;
    uvec2 first = several != 0 ? uvec2(header.words[2], header.words[3]) : inputs;
    uvec2 stride = several != 0 ? uvec2(header.words[4], header.words[5]) : uvec2(0);
    uint at = 0, taking = 0;
    for (uint number = 0; number < count; number++) {
        From32 given = From32(element(first, stride, number));
        uint entry = given.words[0], left = given.words[1];
        if (entry >= entries) {
            continue;
        }
        uint node = Entries(sum(graph, nodes * 32)).nodes[entry];
        Node what = Graph(graph).nodes[node];
        if (what.stride != 0) {
            left = min(left, (room - at) / what.stride);
            uvec2 from = uvec2(given.words[2], given.words[3]), step = uvec2(given.words[4], given.words[5]);
            uint size = what.stride - ((what.kind & TRACKED) != 0 ? 4 : 0);
            bool whole = ((from.x | step.x | what.stride | size) & 3) == 0;
            for (uint record = me; record < left; record += threads) {
                uvec2 source = element(from, step, record), target = sum(records, at + record * what.stride);
                if (whole) {
                    for (uint word = 0; word < size / 4; word++) {
                        To32(target).words[word] = From32(source).words[word];
                    }
                } else {
                    for (uint part = 0; part < size / 2; part++) {
                        To16(target).halves[part] = From16(source).halves[part];
                    }
                }
            }
            uint parts = (left + 255) / 256;
            for (uint part = me; part < parts; part += threads) {
                uint place = takings + 2 * (taking + part);
                all.counts[place] = node << 8 | min(256, left - part * 256) - 1;
                all.counts[place + 1] = at + part * 256 * what.stride;
            }
            taking += parts;
            at = min((at + left * what.stride + 15) & ~15u, room);
        }
        if (me == 0) {
            all.counts[node] += left;
        }
    }
    if (me == 0) {
        all.bytes = at;
        all.takings = taking;
    }
}
