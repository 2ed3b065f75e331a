/* A Direct3D 12 program that does to its own process what few programs do, and goes on: `harsh WHAT`. It submits copies of mapped
 * memory, reads them back, and returns 0 when the GPU copied what it had stored. Linked with our runtime, in System V. */
#define _GNU_SOURCE
#define COBJMACROS
#define INITGUID
#include <vkd3d_windows.h>
#undef __stdcall
#define __stdcall
#include <vkd3d.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE (16 * 4096)
#undef D3D12CreateDevice
HRESULT WINAPI D3D12CreateDevice(IUnknown *adapter, D3D_FEATURE_LEVEL level, REFIID iid, void **device);

#define NEED(what) do { if (!(what)) { fprintf(stderr, "line %d: %s\n", __LINE__, #what); exit(2); } } while (0)
#define CHECK(call) NEED(!FAILED(call))

static ID3D12CommandAllocator *allocator;
static ID3D12GraphicsCommandList *list;
static ID3D12CommandQueue *queue;
static ID3D12Resource *upload, *readback;
static ID3D12Device *device;
static ID3D12Fence *fence;
static unsigned char *bytes;
static UINT64 value;

static ID3D12Resource *make_buffer(D3D12_HEAP_TYPE type, D3D12_RESOURCE_STATES state)
{
    int custom = type == D3D12_HEAP_TYPE_CUSTOM;
    D3D12_HEAP_PROPERTIES heap = {.Type = type,
            .CPUPageProperty = custom ? D3D12_CPU_PAGE_PROPERTY_WRITE_BACK : D3D12_CPU_PAGE_PROPERTY_UNKNOWN,
            .MemoryPoolPreference = custom ? D3D12_MEMORY_POOL_L0 : D3D12_MEMORY_POOL_UNKNOWN};
    D3D12_RESOURCE_DESC desc = {.Dimension = D3D12_RESOURCE_DIMENSION_BUFFER, .Width = SIZE, .Height = 1,
            .DepthOrArraySize = 1, .MipLevels = 1, .SampleDesc = {1, 0}, .Layout = D3D12_TEXTURE_LAYOUT_ROW_MAJOR};
    ID3D12Resource *resource;
    CHECK(ID3D12Device_CreateCommittedResource(device, &heap, D3D12_HEAP_FLAG_NONE, &desc, state, NULL,
            &IID_ID3D12Resource, (void **)&resource));
    return resource;
}

static void begin(void)
{
    D3D12_COMMAND_QUEUE_DESC desc = {.Type = D3D12_COMMAND_LIST_TYPE_DIRECT};
    CHECK(D3D12CreateDevice(NULL, D3D_FEATURE_LEVEL_11_0, &IID_ID3D12Device, (void **)&device));
    CHECK(ID3D12Device_CreateCommandQueue(device, &desc, &IID_ID3D12CommandQueue, (void **)&queue));
    CHECK(ID3D12Device_CreateCommandAllocator(device, desc.Type, &IID_ID3D12CommandAllocator, (void **)&allocator));
    CHECK(ID3D12Device_CreateCommandList(device, 0, desc.Type, allocator, NULL, &IID_ID3D12GraphicsCommandList,
            (void **)&list));
    CHECK(ID3D12Device_CreateFence(device, 0, D3D12_FENCE_FLAG_NONE, &IID_ID3D12Fence, (void **)&fence));
    upload = make_buffer(D3D12_HEAP_TYPE_UPLOAD, D3D12_RESOURCE_STATE_GENERIC_READ);
    readback = make_buffer(D3D12_HEAP_TYPE_READBACK, D3D12_RESOURCE_STATE_COPY_DEST);
    CHECK(ID3D12Resource_Map(upload, 0, NULL, (void **)&bytes));
}

/* Stores to a byte of each page, lets the GPU copy all, and looks. */
static void copy(int seed)
{
    ID3D12CommandList *lists[] = {(ID3D12CommandList *)list};
    void *result;

    for (int i = 0; i < SIZE; i += 4096)
        bytes[i + seed % 4096] = (unsigned char)(seed + i / 4096);
    ID3D12GraphicsCommandList_CopyBufferRegion(list, readback, 0, upload, 0, SIZE);
    CHECK(ID3D12GraphicsCommandList_Close(list));
    ID3D12CommandQueue_ExecuteCommandLists(queue, 1, lists);
    CHECK(ID3D12CommandQueue_Signal(queue, fence, ++value));
    while (ID3D12Fence_GetCompletedValue(fence) < value)
        usleep(100);
    CHECK(ID3D12Resource_Map(readback, 0, NULL, &result));
    NEED(!memcmp(result, bytes, SIZE));
    ID3D12Resource_Unmap(readback, 0, NULL);
    CHECK(ID3D12CommandAllocator_Reset(allocator));
    CHECK(ID3D12GraphicsCommandList_Reset(list, allocator, NULL));
}

/* Memory that both write: the first half by the program, the second by the GPU. */
static ID3D12Resource *both;
static unsigned char *half;
#define HALF (SIZE / 2)

static void begin_both(void)
{
    both = make_buffer(D3D12_HEAP_TYPE_CUSTOM, D3D12_RESOURCE_STATE_COMMON);
    CHECK(ID3D12Resource_Map(both, 0, NULL, (void **)&half));
    memset(half, 0, HALF);
}

static void both_to(D3D12_RESOURCE_STATES before, D3D12_RESOURCE_STATES after)
{
    D3D12_RESOURCE_BARRIER barrier = {.Type = D3D12_RESOURCE_BARRIER_TYPE_TRANSITION};
    barrier.Transition.pResource = both;
    barrier.Transition.Subresource = D3D12_RESOURCE_BARRIER_ALL_SUBRESOURCES;
    barrier.Transition.StateBefore = before;
    barrier.Transition.StateAfter = after;
    ID3D12GraphicsCommandList_ResourceBarrier(list, 1, &barrier);
}

/* Stores to each page of the first half, unless another thread does, lets the GPU write the second, and looks at it. */
static void copy_to_both(int seed, int stores)
{
    ID3D12CommandList *lists[] = {(ID3D12CommandList *)list};
    D3D12_RANGE range = {HALF, SIZE};
    void *seen;

    for (int i = 0; i < SIZE; i += 4096)
        bytes[i + seed] = (unsigned char)(seed + i / 4096);
    for (int i = 0; stores && i < HALF; i += 4096)
        half[i + seed] = (unsigned char)seed;
    both_to(D3D12_RESOURCE_STATE_COMMON, D3D12_RESOURCE_STATE_COPY_DEST);
    ID3D12GraphicsCommandList_CopyBufferRegion(list, both, HALF, upload, 0, HALF);
    both_to(D3D12_RESOURCE_STATE_COPY_DEST, D3D12_RESOURCE_STATE_COMMON);
    CHECK(ID3D12GraphicsCommandList_Close(list));
    ID3D12CommandQueue_ExecuteCommandLists(queue, 1, lists);
    CHECK(ID3D12CommandQueue_Signal(queue, fence, ++value));
    while (ID3D12Fence_GetCompletedValue(fence) < value)
        usleep(100);
    /* Another thread may store to the first half meanwhile. */
    CHECK(ID3D12Resource_Map(both, 0, &range, &seen));
    NEED(!memcmp((char *)seen + HALF, bytes, HALF));
    ID3D12Resource_Unmap(both, 0, NULL);
    CHECK(ID3D12CommandAllocator_Reset(allocator));
    CHECK(ID3D12GraphicsCommandList_Reset(list, allocator, NULL));
}

/* Counts in the first word of the first half, and never ends. */
static void *count(void *argument)
{
    volatile uint32_t *word = (volatile uint32_t *)half;
    for (;;)
        ++*word;
    return argument;
}

/* Prints what the counter has reached before each submission, and is killed while it counts. */
static void count_and_die(void)
{
    volatile uint32_t *word = (volatile uint32_t *)half;
    pthread_t thread;

    NEED(!pthread_create(&thread, NULL, count, NULL));
    for (uint32_t seed = 1, last = 0; seed < 9; ++seed)
    {
        char line[16];
        int length;

        /* A busy machine may leave the other thread without a turn. */
        while (*word == last)
            usleep(100);
        last = *word;
        length = snprintf(line, sizeof(line), "%u\n", last);
        NEED(write(1, line, length) == length);
        copy_to_both(seed, 0);
    }
    kill(getpid(), SIGKILL);
}

/* A child that stores where its parent stores after it, and has the mapping as its parent has it. */
static void fork_and_store(void)
{
    int status;
    pid_t child = fork();

    if (!child)
    {
        for (int i = 0; i < HALF; i += 4096)
            half[i + 40] = 1;
        _exit(0);
    }
    NEED(waitpid(child, &status, 0) == child);
    NEED(!status);
    copy_to_both(40, 1);
}

static void *call(void *argument)
{
    ID3D12Fence_GetCompletedValue(fence);
    return argument;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int left = argc > 2 ? atoi(argv[2]) : 0;

    if (!strcmp(what, "environment"))
        NEED(!clearenv());
    begin();
    if (!strncmp(what, "both", 4))
    {
        begin_both();
        copy_to_both(11, 1);
        if (!strcmp(what, "both-fork"))
            fork_and_store();
        if (!strcmp(what, "both-over"))
            half[HALF + 40] = 1;
        if (!strcmp(what, "both-kill"))
            count_and_die();
        copy_to_both(41, 1);
        ID3D12Resource_Release(both);
    }
    copy(1);
    if (!strcmp(what, "image") && left > 0)
    {
        /* The same process, another program, with the device as it was. */
        char count[16];
        snprintf(count, sizeof(count), "%d", left - 1);
        execl("/proc/self/exe", argv[0], what, count, NULL);
        return 3;
    }
    if (!strcmp(what, "fork"))
    {
        int status;
        pid_t child = fork();
        if (!child)
        {
            for (int i = 0; i < SIZE; i += 4096)
                bytes[i + 7] = 7;
            _exit(0);
        }
        NEED(waitpid(child, &status, 0) == child);
        NEED(!status);
    }
    if (!strcmp(what, "protect"))
        for (int i = 0; i < 3; ++i)
        {
            NEED(!mprotect(bytes, SIZE, PROT_READ));
            NEED(!mprotect(bytes, SIZE, PROT_READ | PROT_WRITE));
            copy(20 + 2 * i);
            copy(21 + 2 * i);
        }
    if (!strcmp(what, "limit"))
    {
        struct rlimit limit = {1 << 16, 1 << 16};
        pthread_t thread;
        NEED(!setrlimit(RLIMIT_FSIZE, &limit));
        NEED(!pthread_create(&thread, NULL, call, NULL) && !pthread_join(thread, NULL));
    }
    copy(2);
    copy(3);
    ID3D12Resource_Release(readback);
    ID3D12Resource_Release(upload);
    ID3D12Fence_Release(fence);
    ID3D12GraphicsCommandList_Release(list);
    ID3D12CommandAllocator_Release(allocator);
    ID3D12CommandQueue_Release(queue);
    return ID3D12Device_Release(device) ? 4 : 0;
}
