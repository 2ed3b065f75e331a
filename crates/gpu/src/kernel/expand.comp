// Takes indirect commands apart that change state: each becomes a block of all that shaders read of it, and a command that changes
// none. Commands that do not count become zero, which draws and dispatches nothing.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x = 64) in;

layout(buffer_reference, buffer_reference_align = 4, std430) buffer Words {
    uint words[];
};

const uint PULLS = 0x100;  // in `shape`: shaders read indices, so that draws have none
const uint DRAW = 68;      // the word of a block with the first index of such a draw, and then its base vertex

layout(push_constant) uniform Push {
    uvec2 source;   // address of the first command
    uvec2 counter;  // address of how many commands count; 0: all
    uvec2 table;    // address of the block that every command begins with, with the changes behind it
    uvec2 blocks;   // address of the first block
    uvec2 copies;   // address of the first command that changes none
    uint commands;
    uint stride;    // words from one command to the next
    uint action;    // words before what a command draws or dispatches
    uint shape;     // words of that, and flags; words from one block to the next are 16 bits higher
    uint words;     // words of a block that count
    uint changes;   // each: words before it in the command, its word in the block, how many words; 0: the command's number
};

void main() {
    uint at = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 64 + gl_LocalInvocationID.x;
    if (at >= commands) {
        return;
    }
    // Some drivers load what all threads load alike also where no thread asks for it.
    uvec2 limit = counter == uvec2(0) ? source : counter;
    bool counts = counter == uvec2(0) || at < Words(limit).words[0];
    uint first = at * stride;
    bool pulls = (shape & PULLS) != 0;
    uint size = shape & 0xff;
    uint block = at * (shape >> 16);
    for (uint word = 0; word < size; word++) {
        // Of an indexed draw: the instances begin behind first index and base vertex; the first vertex is zero.
        uint from = pulls && word == 3 ? 4 : word;
        uint value = counts && !(pulls && word == 2) ? Words(source).words[first + action + from] : 0;
        Words(copies).words[at * size + word] = value;
    }
    if (!counts) {
        return;
    }
    for (uint word = 0; word < words; word++) {
        Words(blocks).words[block + word] = Words(table).words[word];
    }
    if (pulls) {
        Words(blocks).words[block + DRAW] = Words(source).words[first + action + 2];
        Words(blocks).words[block + DRAW + 1] = Words(source).words[first + action + 3];
    }
    for (uint change = 0; change < changes; change++) {
        uint entry = (shape >> 16) + 3 * change;
        uint from = Words(table).words[entry];
        uint to = block + Words(table).words[entry + 1];
        uint count = Words(table).words[entry + 2];
        if (count == 0) {
            Words(blocks).words[to] = at;
        }
        for (uint word = 0; word < count; word++) {
            Words(blocks).words[to + word] = Words(source).words[first + from + word];
        }
    }
}
