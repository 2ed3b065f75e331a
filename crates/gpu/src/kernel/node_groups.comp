// Says how many groups each node of a level has: their records lie one behind the other, those of the first node first. It resets
// all counters. One group.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_GOOGLE_include_directive : require
#include "node.glsl"

layout(local_size_x = 64) in;

layout(push_constant) uniform Push {
    uvec2 graph;
    uvec2 counters;
    uvec2 commands;
    uint nodes;
    uint wide;      // the device has room for all groups in one row
};

const uint ROW = 32768;
const uint MOST = 1024;     // groups that share a record's grid

shared uint sums[64];

Command command(Node node, uint first, uint count) {
    uint groups = (count + node.records - 1) / node.records;
    // A grid is shared among more groups where there are few records.
    uint many = 1;
    if ((node.kind & LAUNCH) == 1) {
        many = max(1u, min(node.groups, MOST) >> findMSB(max(groups >> 2, 1u)));
    }
    Command made;
    uint rows = wide != 0 ? 0 : groups / ROW;
    made.rows[0] = ROW;
    made.rows[1] = rows;
    made.rows[2] = many;
    made.first = first;
    made.rest[0] = groups - rows * ROW;
    made.rest[1] = 1;
    made.rest[2] = many;
    made.second = first + rows * ROW * node.records;
    made.end = first + count;
    made.next = first;
    made.unused0 = 0;
    made.unused1 = 0;
    return made;
}

void main() {
    uint me = gl_LocalInvocationIndex, before = 0;
    Graph all = Graph(graph);
    Counters counted = Counters(counters);
    Commands made = Commands(commands);
    for (uint first = 0; first < nodes; first += 64) {
        uint at = first + me, count = 0;
        if (at < nodes) {
            count = counted.counts[at];
            counted.counts[at] = 0;
        }
        // Empty records have no places.
        bool real = at < nodes && all.nodes[at].stride != 0;
        sums[me] = real ? count : 0;
        barrier();
        for (uint step = 1; step < 64; step *= 2) {
            uint more = me >= step ? sums[me - step] : 0;
            barrier();
            sums[me] += more;
            barrier();
        }
        if (at < nodes && all.nodes[at].shares == ~0u) {
            made.nodes[at] = command(all.nodes[at], real ? before + sums[me] - count : 0, count);
        }
        before += sums[63];
        barrier();
    }
    memoryBarrierBuffer();
    barrier();
    for (uint at = me; at < nodes; at += 64) {
        uint other = all.nodes[at].shares;
        if (other != ~0u) {
            uint first = made.nodes[other].first;
            made.nodes[at] = command(all.nodes[at], first, made.nodes[other].end - first);
        }
    }
    if (me == 0) {
        uint takings = counted.takings;
        made.expand[0] = min((takings + 63) / 64, ROW);
        made.expand[1] = 1;
        made.expand[2] = 1;
        made.takings = takings;
        counted.bytes = 0;
        counted.takings = 0;
    }
}
