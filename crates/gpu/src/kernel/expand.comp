// Takes indirect commands apart that change root arguments: each becomes a block of all root arguments, and a command that changes
// none. Commands that do not count become zero, which draws and dispatches nothing.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x = 64) in;

layout(buffer_reference, buffer_reference_align = 4, std430) buffer Words {
    uint words[];
};

const uint BLOCK = 64; // words from one block to the next

layout(push_constant) uniform Push {
    uvec2 source;   // address of the first command
    uvec2 counter;  // address of how many commands count; 0: all
    uvec2 table;    // address of the block that every command begins with, and of the changes behind it
    uvec2 blocks;   // address of the first block
    uvec2 copies;   // address of the first command that changes none
    uint commands;
    uint stride;    // words from one command to the next
    uint action;    // words before what a command draws or dispatches
    uint size;      // words of that
    uint words;     // words of a block that count
    uint changes;   // each: words before it in the command, its word in the block, how many words; 0: the command's number
};

void main() {
    uint at = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 64 + gl_LocalInvocationID.x;
    if (at >= commands) {
        return;
    }
    bool counts = counter == uvec2(0) || at < Words(counter).words[0];
    uint first = at * stride;
    for (uint word = 0; word < size; word++) {
        Words(copies).words[at * size + word] = counts ? Words(source).words[first + action + word] : 0;
    }
    if (!counts) {
        return;
    }
    for (uint word = 0; word < words; word++) {
        Words(blocks).words[at * BLOCK + word] = Words(table).words[word];
    }
    for (uint change = 0; change < changes; change++) {
        uint entry = BLOCK + 3 * change;
        uint from = Words(table).words[entry];
        uint to = at * BLOCK + Words(table).words[entry + 1];
        uint count = Words(table).words[entry + 2];
        if (count == 0) {
            Words(blocks).words[to] = at;
        }
        for (uint word = 0; word < count; word++) {
            Words(blocks).words[to + word] = Words(source).words[first + from + word];
        }
    }
}
