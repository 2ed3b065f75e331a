// Nodes of work graphs, for a compiler that is asked for 16-bit types. Each adds to words of a buffer, so that the order of records means
// nothing.

RWStructuredBuffer<uint> sums : register(u0);
cbuffer Root : register(b0) { uint factor; };
cbuffer Table : register(b1) { uint own; };

LocalRootSignature local = { "RootConstants(num32BitConstants=1, b1)" };
SubobjectToExportsAssociation of_local = { "local", "OfTable;OfTableToo" };

struct Seed { uint3 grid : SV_DispatchGrid; uint value; };
struct Narrow { uint value; uint16_t2 grid : SV_DispatchGrid; };
struct Item { uint value; };
struct Pair { uint left; uint right; };

// Every group sends an item per odd lane to threads, two to a place of the array, and an empty record.
[Shader("node")]
[NodeLaunch("broadcasting")]
[NodeIsProgramEntry]
[NodeMaxDispatchGrid(64, 16, 4)]
[NumThreads(8, 1, 1)]
void Spread(DispatchNodeInputRecord<Seed> input, uint3 group : SV_GroupID, uint lane : SV_GroupIndex,
    [MaxRecords(8)] [NodeID("Each")] NodeOutput<Item> each,
    [MaxRecords(2)] [NodeArraySize(3)] [NodeID("Bin")] NodeOutputArray<Item> bins,
    [MaxRecords(1)] [NodeID("Tick")] EmptyNodeOutput tick)
{
    uint value = input.Get().value + group.x + 100 * group.y + 1000 * group.z;
    ThreadNodeOutputRecords<Item> single = each.GetThreadNodeOutputRecords(lane & 1);
    if (lane & 1) {
        single.Get().value = value + lane;
    }
    single.OutputComplete();
    GroupNodeOutputRecords<Item> two = bins[value % 3].GetGroupNodeOutputRecords(2);
    if (lane < 2) {
        two[lane].value = value * 2 + lane;
    }
    two.OutputComplete();
    tick.GroupIncrementOutputCount(1);
}

[Shader("node")]
[NodeLaunch("thread")]
void Each(ThreadNodeInputRecord<Item> input)
{
    InterlockedAdd(sums[0], input.Get().value * factor);
}

// Has the records of another node.
[Shader("node")]
[NodeLaunch("coalescing")]
[NodeShareInputOf("Each")]
[NumThreads(4, 1, 1)]
void Beside([MaxRecords(4)] GroupNodeInputRecords<Item> input, uint lane : SV_GroupIndex)
{
    if (lane < input.Count()) {
        InterlockedAdd(sums[1], input[lane].value ^ 1);
    }
}

void add(GroupNodeInputRecords<Item> input, uint lane, uint place)
{
    if (lane < input.Count()) {
        InterlockedAdd(sums[2 + place], input[lane].value);
    }
    if (lane == 0) {
        InterlockedMax(sums[5], input.Count());
    }
}

[Shader("node")]
[NodeLaunch("coalescing")]
[NodeID("Bin", 0)]
[NumThreads(16, 1, 1)]
void First([MaxRecords(5)] GroupNodeInputRecords<Item> input, uint lane : SV_GroupIndex) { add(input, lane, 0); }

[Shader("node")]
[NodeLaunch("coalescing")]
[NodeID("Bin", 1)]
[NumThreads(16, 1, 1)]
void Second([MaxRecords(5)] GroupNodeInputRecords<Item> input, uint lane : SV_GroupIndex) { add(input, lane, 1); }

[Shader("node")]
[NodeLaunch("coalescing")]
[NodeID("Bin", 2)]
[NumThreads(16, 1, 1)]
void Third([MaxRecords(5)] GroupNodeInputRecords<Item> input, uint lane : SV_GroupIndex) { add(input, lane, 2); }

[Shader("node")]
[NodeLaunch("coalescing")]
[NumThreads(1, 1, 1)]
void Tick([MaxRecords(7)] EmptyNodeInput input)
{
    InterlockedAdd(sums[6], input.Count());
    InterlockedMax(sums[7], input.Count());
}

// A tree: each record has two children, three levels deep.
[Shader("node")]
[NodeLaunch("thread")]
[NodeIsProgramEntry]
[NodeMaxRecursionDepth(3)]
void Again(ThreadNodeInputRecord<Item> input, [MaxRecords(2)] [NodeID("Again")] NodeOutput<Item> children)
{
    uint value = input.Get().value;
    InterlockedAdd(sums[8], value);
    InterlockedAdd(sums[9], 1u << (8 * GetRemainingRecursionLevels()));
    ThreadNodeOutputRecords<Item> two = children.GetThreadNodeOutputRecords(GetRemainingRecursionLevels() != 0 ? 2 : 0);
    if (GetRemainingRecursionLevels() != 0) {
        two[0].value = value * 2;
        two[1].value = value * 2 + 1;
    }
    two.OutputComplete();
}

struct [NodeTrackRWInputSharing] Shared { uint groups; uint value; uint16_t2 grid : SV_DispatchGrid; };

// The group that comes last adds what all have counted.
[Shader("node")]
[NodeLaunch("broadcasting")]
[NodeIsProgramEntry]
[NodeMaxDispatchGrid(32, 8, 1)]
[NumThreads(2, 1, 1)]
void Together(globallycoherent RWDispatchNodeInputRecord<Shared> input, uint lane : SV_GroupIndex)
{
    InterlockedAdd(input.Get().groups, 1);
    Barrier(NODE_INPUT_MEMORY, DEVICE_SCOPE | GROUP_SYNC);
    if (!input.FinishedCrossGroupSharing()) {
        return;
    }
    if (lane == 0) {
        InterlockedAdd(sums[10], input.Get().groups * input.Get().value);
    }
}

// The grid's components have 16 bits. Its groups send to a node with a fixed grid.
[Shader("node")]
[NodeLaunch("broadcasting")]
[NodeIsProgramEntry]
[NodeMaxDispatchGrid(9, 9, 1)]
[NumThreads(1, 1, 1)]
void Halves(DispatchNodeInputRecord<Narrow> input, uint3 group : SV_GroupID,
    [MaxRecords(1)] [NodeID("Fixed")] NodeOutput<Pair> output)
{
    GroupNodeOutputRecords<Pair> one = output.GetGroupNodeOutputRecords(1);
    one.Get().left = input.Get().value;
    one.Get().right = group.x + 10 * group.y;
    one.OutputComplete();
}

[Shader("node")]
[NodeLaunch("broadcasting")]
[NodeDispatchGrid(3, 2, 2)]
[NumThreads(2, 2, 1)]
void Fixed(DispatchNodeInputRecord<Pair> input, uint3 thread : SV_DispatchThreadID)
{
    InterlockedAdd(sums[11], input.Get().left + input.Get().right * (thread.x + 6 * thread.y + 24 * thread.z));
}

[Shader("node")]
[NodeLaunch("thread")]
[NodeIsProgramEntry]
[NodeLocalRootArgumentsTableIndex(2)]
void OfTable(ThreadNodeInputRecord<Item> input)
{
    InterlockedAdd(sums[12], own * input.Get().value);
}

[Shader("node")]
[NodeLaunch("thread")]
[NodeIsProgramEntry]
[NodeLocalRootArgumentsTableIndex(0)]
void OfTableToo(ThreadNodeInputRecord<Item> input)
{
    InterlockedAdd(sums[13], own + input.Get().value);
}
