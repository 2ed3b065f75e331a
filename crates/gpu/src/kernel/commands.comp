// Copies indirect commands close together; those that do not count become zero, which draws and dispatches nothing.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x = 64) in;

layout(buffer_reference, buffer_reference_align = 4, std430) buffer Words {
    uint words[];
};

layout(push_constant) uniform Push {
    uvec2 source;      // address of the first command
    uvec2 destination; // address of the first copy
    uvec2 counter;     // address of how many commands count; 0: all
    uint commands;
    uint size;         // words of a command
    uint stride;       // words from one command to the next
};

void main() {
    uint at = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 64 + gl_LocalInvocationID.x;
    if (at >= commands) {
        return;
    }
    // Some drivers load what all threads load alike also where no thread asks for it.
    uvec2 limit = counter == uvec2(0) ? source : counter;
    bool counts = counter == uvec2(0) || at < Words(limit).words[0];
    for (uint word = 0; word < size; word++) {
        uint value = counts ? Words(source).words[at * stride + word] : 0;
        Words(destination).words[at * size + word] = value;
    }
}
