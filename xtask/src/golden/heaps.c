/* A Direct3D 12 program of few bytes on our runtime: a heap with two placed buffers, and a reserved buffer whose tiles are memory
 * of the same heap. It stores a pattern to an upload buffer, copies it to the placed buffers, reads it back through the
 * tiles, and returns 0 when it finds the pattern. */
#define _GNU_SOURCE
#define COBJMACROS
#define INITGUID
#include <vkd3d_windows.h>
#undef __stdcall
#define __stdcall
#include <vkd3d.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TILE 65536
#undef D3D12CreateDevice
HRESULT WINAPI D3D12CreateDevice(IUnknown *adapter, D3D_FEATURE_LEVEL level, REFIID iid, void **device);

/* Debian's header lacks the heap among the parameters. */
typedef void update_tile_mappings(ID3D12CommandQueue *, ID3D12Resource *, UINT, const D3D12_TILED_RESOURCE_COORDINATE *,
        const D3D12_TILE_REGION_SIZE *, ID3D12Heap *, UINT, const D3D12_TILE_RANGE_FLAGS *, const UINT *, const UINT *,
        D3D12_TILE_MAPPING_FLAGS);

#define NEED(what) do { if (!(what)) { fprintf(stderr, "line %d: %s\n", __LINE__, #what); exit(2); } } while (0)
#define CHECK(call) NEED(!FAILED(call))

static ID3D12Device *device;

static D3D12_RESOURCE_DESC buffer(UINT64 bytes)
{
    D3D12_RESOURCE_DESC desc = {.Dimension = D3D12_RESOURCE_DIMENSION_BUFFER, .Width = bytes, .Height = 1,
            .DepthOrArraySize = 1, .MipLevels = 1, .SampleDesc = {1, 0}, .Layout = D3D12_TEXTURE_LAYOUT_ROW_MAJOR};
    return desc;
}

static ID3D12Resource *committed(D3D12_HEAP_TYPE type, UINT64 bytes, D3D12_RESOURCE_STATES state)
{
    D3D12_HEAP_PROPERTIES heap = {.Type = type};
    D3D12_RESOURCE_DESC desc = buffer(bytes);
    ID3D12Resource *resource;
    CHECK(ID3D12Device_CreateCommittedResource(device, &heap, D3D12_HEAP_FLAG_NONE, &desc, state, NULL,
            &IID_ID3D12Resource, (void **)&resource));
    return resource;
}

static ID3D12Resource *placed(ID3D12Heap *heap, UINT64 offset)
{
    D3D12_RESOURCE_DESC desc = buffer(TILE);
    ID3D12Resource *resource;
    CHECK(ID3D12Device_CreatePlacedResource(device, heap, offset, &desc, D3D12_RESOURCE_STATE_COPY_DEST, NULL,
            &IID_ID3D12Resource, (void **)&resource));
    return resource;
}

int main(void)
{
    D3D12_COMMAND_QUEUE_DESC queue_desc = {.Type = D3D12_COMMAND_LIST_TYPE_DIRECT};
    D3D12_HEAP_DESC heap_desc = {.SizeInBytes = 4 * TILE, .Properties = {.Type = D3D12_HEAP_TYPE_DEFAULT},
            .Flags = D3D12_HEAP_FLAG_ALLOW_ONLY_BUFFERS};
    /* The reserved buffer's first tile is the heap's fourth, its second tile the heap's second. */
    D3D12_TILED_RESOURCE_COORDINATE start = {0};
    D3D12_TILE_REGION_SIZE region = {.NumTiles = 2};
    D3D12_TILE_RANGE_FLAGS flags[2] = {D3D12_TILE_RANGE_FLAG_NONE, D3D12_TILE_RANGE_FLAG_NONE};
    UINT offsets[2] = {3, 1}, counts[2] = {1, 1};
    D3D12_RESOURCE_DESC reserved_desc = buffer(2 * TILE);
    D3D12_RESOURCE_BARRIER barriers[3] = {{.Type = D3D12_RESOURCE_BARRIER_TYPE_ALIASING},
            {.Type = D3D12_RESOURCE_BARRIER_TYPE_TRANSITION}, {.Type = D3D12_RESOURCE_BARRIER_TYPE_TRANSITION}};
    ID3D12Resource *upload, *readback, *second, *fourth, *reserved;
    ID3D12CommandAllocator *allocator;
    ID3D12GraphicsCommandList *list;
    ID3D12CommandList *lists[1];
    ID3D12CommandQueue *queue;
    ID3D12Fence *fence;
    ID3D12Heap *heap;
    unsigned char *bytes;
    CHECK(D3D12CreateDevice(NULL, D3D_FEATURE_LEVEL_11_0, &IID_ID3D12Device, (void **)&device));
    CHECK(ID3D12Device_CreateCommandQueue(device, &queue_desc, &IID_ID3D12CommandQueue, (void **)&queue));
    CHECK(ID3D12Device_CreateCommandAllocator(device, queue_desc.Type, &IID_ID3D12CommandAllocator, (void **)&allocator));
    CHECK(ID3D12Device_CreateCommandList(device, 0, queue_desc.Type, allocator, NULL, &IID_ID3D12GraphicsCommandList,
            (void **)&list));
    CHECK(ID3D12Device_CreateFence(device, 0, D3D12_FENCE_FLAG_NONE, &IID_ID3D12Fence, (void **)&fence));
    CHECK(ID3D12Device_CreateHeap(device, &heap_desc, &IID_ID3D12Heap, (void **)&heap));
    second = placed(heap, TILE);
    fourth = placed(heap, 3 * TILE);
    CHECK(ID3D12Device_CreateReservedResource(device, &reserved_desc, D3D12_RESOURCE_STATE_COPY_SOURCE, NULL,
            &IID_ID3D12Resource, (void **)&reserved));
    ((update_tile_mappings *)queue->lpVtbl->UpdateTileMappings)(queue, reserved, 1, &start, &region, heap, 2, flags, offsets,
            counts, D3D12_TILE_MAPPING_FLAG_NONE);
    upload = committed(D3D12_HEAP_TYPE_UPLOAD, 2 * TILE, D3D12_RESOURCE_STATE_GENERIC_READ);
    readback = committed(D3D12_HEAP_TYPE_READBACK, 2 * TILE, D3D12_RESOURCE_STATE_COPY_DEST);
    CHECK(ID3D12Resource_Map(upload, 0, NULL, (void **)&bytes));
    for (int at = 0; at < 2 * TILE; at++)
        bytes[at] = at / 256 * 3;
    ID3D12Resource_Unmap(upload, 0, NULL);
    ID3D12GraphicsCommandList_CopyBufferRegion(list, fourth, 0, upload, 0, TILE);
    ID3D12GraphicsCommandList_CopyBufferRegion(list, second, 0, upload, TILE, TILE);
    for (int at = 1; at < 3; at++)
    {
        barriers[at].Transition.pResource = at == 1 ? fourth : second;
        barriers[at].Transition.StateBefore = D3D12_RESOURCE_STATE_COPY_DEST;
        barriers[at].Transition.StateAfter = D3D12_RESOURCE_STATE_COPY_SOURCE;
    }
    ID3D12GraphicsCommandList_ResourceBarrier(list, 3, barriers);
    ID3D12GraphicsCommandList_CopyBufferRegion(list, readback, 0, reserved, 0, 2 * TILE);
    CHECK(ID3D12GraphicsCommandList_Close(list));
    lists[0] = (ID3D12CommandList *)list;
    ID3D12CommandQueue_ExecuteCommandLists(queue, 1, lists);
    CHECK(ID3D12CommandQueue_Signal(queue, fence, 1));
    while (ID3D12Fence_GetCompletedValue(fence) < 1)
        usleep(1000);
    CHECK(ID3D12Resource_Map(readback, 0, NULL, (void **)&bytes));
    for (int at = 0; at < 2 * TILE; at++)
        NEED(bytes[at] == (unsigned char)(at / 256 * 3));
    ID3D12Resource_Unmap(readback, 0, NULL);
    return 0;
}
