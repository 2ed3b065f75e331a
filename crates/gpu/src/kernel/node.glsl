// What kernels of work graphs share: see `graph.rs` of this crate's `encoder`.

const uint LAUNCH = 3;      // bits of `kind`: 1 broadcasting, 2 coalescing, 3 thread; 0 is a node that is not there
const uint TRACKED = 4;     // the last word of a record counts groups
const uint NARROW = 8;      // components of a record's grid have 16 bits
const uint DYNAMIC = 16;    // the record has its grid
const uint COMPONENTS = 8;  // shift: components of a record's grid

struct Node {
    uint stride;    // bytes of a record; 0 for empty ones
    uint kind;
    uint records;   // records of a group
    uint shares;    // the node whose records it has, or ~0
    uint field;     // byte in a record where its grid is
    uint groups;    // groups of a record, or most of them
    uint unused0;
    uint unused1;
};

layout(buffer_reference, buffer_reference_align = 4, std430) readonly buffer Graph {
    Node nodes[];
};
layout(buffer_reference, buffer_reference_align = 4, std430) readonly buffer Entries {
    uint nodes[];
};
layout(buffer_reference, buffer_reference_align = 4, std430) buffer Counters {
    uint bytes;
    uint takings;
    uint counts[];
};

struct Command {
    uint rows[3];   // groups in whole rows
    uint first;     // number of their first record
    uint rest[3];   // the other groups
    uint second;    // number of their first record
    uint end;       // number behind the last record
    uint next;      // number of the record whose place is found next
    uint unused0;
    uint unused1;
};

layout(buffer_reference, buffer_reference_align = 4, std430) coherent buffer Commands {
    uint expand[3]; // groups that find the places of records
    uint takings;
    Command nodes[];
};
