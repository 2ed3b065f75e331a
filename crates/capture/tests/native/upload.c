/* A program that stores to mapped memory in many ways and keeps a log of its own: before each submission it appends the
 * whole content of its upload buffer to the file named by its argument. The test rebuilds the same from a trace.
 *
 * With a second argument it does not end before that file is there. Returns 0 when the GPU copied exactly those bytes each
 * time. */
#define _GNU_SOURCE
#define COBJMACROS
#define INITGUID
#define VKD3D_UTILS_API_VERSION VKD3D_API_VERSION_1_2
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vkd3d.h>
#include <vkd3d_utils.h>

/* Not a multiple of anything. */
#define SIZE (70 * 4096 + 123)
#define FRAMES 40

/* The header has a macro of this name; the library has the function, too. */
#undef D3D12CreateDevice
HRESULT WINAPI D3D12CreateDevice(IUnknown *adapter, D3D_FEATURE_LEVEL level, REFIID iid, void **device);

#define CHECK(call) do { HRESULT hr_ = (call); if (FAILED(hr_)) { \
    fprintf(stderr, "%s: %#x\n", #call, (unsigned)hr_); exit(2); } } while (0)

static uint64_t seed = 88172645463325252ull;

static uint32_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 16);
}

struct job
{
    unsigned char *bytes;
    uint64_t state;
};

static void *scatter(void *argument)
{
    struct job *job = argument;
    for (int i = 0; i < 8; ++i)
    {
        uint32_t at = next_random(&job->state) % SIZE, length = next_random(&job->state) % 300 + 1;
        if (next_random(&job->state) % 16 == 0)
            length *= 64;
        for (uint32_t j = at; j < at + length && j < SIZE; ++j)
            job->bytes[j] = (unsigned char)next_random(&job->state);
    }
    return NULL;
}

static ID3D12Resource *make_buffer(ID3D12Device *device, D3D12_HEAP_TYPE type, D3D12_RESOURCE_STATES state)
{
    D3D12_HEAP_PROPERTIES heap = {.Type = type};
    D3D12_RESOURCE_DESC desc = {.Dimension = D3D12_RESOURCE_DIMENSION_BUFFER, .Width = SIZE, .Height = 1,
            .DepthOrArraySize = 1, .MipLevels = 1, .SampleDesc = {1, 0}, .Layout = D3D12_TEXTURE_LAYOUT_ROW_MAJOR};
    ID3D12Resource *resource;
    CHECK(ID3D12Device_CreateCommittedResource(device, &heap, D3D12_HEAP_FLAG_NONE, &desc, state, NULL,
            &IID_ID3D12Resource, (void **)&resource));
    return resource;
}

int main(int argc, char **argv)
{
    D3D12_COMMAND_QUEUE_DESC queue_desc = {.Type = D3D12_COMMAND_LIST_TYPE_DIRECT};
    ID3D12CommandAllocator *allocator;
    ID3D12GraphicsCommandList *list;
    ID3D12CommandQueue *queue;
    ID3D12Device *device;
    ID3D12Fence *fence;
    HANDLE event;
    FILE *log = argc > 1 ? fopen(argv[1], "wb") : NULL;
    int source = open("/dev/urandom", O_RDONLY), wrong = 0;

    if (!log || source < 0)
        return 2;
    CHECK(D3D12CreateDevice(NULL, D3D_FEATURE_LEVEL_11_0, &IID_ID3D12Device, (void **)&device));
    CHECK(ID3D12Device_CreateCommandQueue(device, &queue_desc, &IID_ID3D12CommandQueue, (void **)&queue));
    CHECK(ID3D12Device_CreateCommandAllocator(device, D3D12_COMMAND_LIST_TYPE_DIRECT, &IID_ID3D12CommandAllocator,
            (void **)&allocator));
    CHECK(ID3D12Device_CreateCommandList(device, 0, D3D12_COMMAND_LIST_TYPE_DIRECT, allocator, NULL,
            &IID_ID3D12GraphicsCommandList, (void **)&list));
    CHECK(ID3D12Device_CreateFence(device, 0, D3D12_FENCE_FLAG_NONE, &IID_ID3D12Fence, (void **)&fence));
    event = vkd3d_create_event();
    ID3D12Resource *upload = make_buffer(device, D3D12_HEAP_TYPE_UPLOAD, D3D12_RESOURCE_STATE_GENERIC_READ);
    ID3D12Resource *readback = make_buffer(device, D3D12_HEAP_TYPE_READBACK, D3D12_RESOURCE_STATE_COPY_DEST);

    unsigned char *persistent = NULL;
    for (int frame = 1; frame <= FRAMES; ++frame)
    {
        unsigned char *bytes;
        /* The first half maps and unmaps each time, twice nested; the second half maps once and keeps it. */
        if (!persistent)
            CHECK(ID3D12Resource_Map(upload, 0, NULL, (void **)&bytes));
        if (frame == FRAMES / 2)
            persistent = bytes;
        if (persistent)
            bytes = persistent;
        struct job jobs[3];
        pthread_t threads[3];
        for (int i = 0; i < 3; ++i)
        {
            jobs[i].bytes = bytes;
            jobs[i].state = next_random(&seed) + 1ull;
            pthread_create(&threads[i], NULL, scatter, &jobs[i]);
        }
        for (int i = 0; i < 3; ++i)
            pthread_join(threads[i], NULL);
        /* A system call stores too. */
        if (frame % 3 == 0 && read(source, bytes + 4096 * (next_random(&seed) % 60) + 4000, 5000) != 5000)
            return 2;
        fwrite(bytes, 1, SIZE, log);
        fflush(log);
        if (!persistent)
        {
            void *again;
            CHECK(ID3D12Resource_Map(upload, 0, NULL, &again));
            ID3D12Resource_Unmap(upload, 0, NULL);
            ID3D12Resource_Unmap(upload, 0, NULL);
        }
        ID3D12GraphicsCommandList_CopyBufferRegion(list, readback, 0, upload, 0, SIZE);
        CHECK(ID3D12GraphicsCommandList_Close(list));
        ID3D12CommandList *lists[] = {(ID3D12CommandList *)list};
        ID3D12CommandQueue_ExecuteCommandLists(queue, 1, lists);
        CHECK(ID3D12CommandQueue_Signal(queue, fence, frame));
        CHECK(ID3D12Fence_SetEventOnCompletion(fence, frame, event));
        vkd3d_wait_event(event, VKD3D_INFINITE);
        void *result, *expected;
        CHECK(ID3D12Resource_Map(readback, 0, NULL, &result));
        CHECK(ID3D12Resource_Map(upload, 0, NULL, &expected));
        wrong |= memcmp(result, expected, SIZE) != 0;
        ID3D12Resource_Unmap(upload, 0, NULL);
        ID3D12Resource_Unmap(readback, 0, NULL);
        CHECK(ID3D12CommandAllocator_Reset(allocator));
        CHECK(ID3D12GraphicsCommandList_Reset(list, allocator, NULL));
    }
    while (argc > 2 && access(argv[2], F_OK))
        usleep(1000);
    ID3D12Resource_Release(readback);
    ID3D12Resource_Release(upload);
    vkd3d_destroy_event(event);
    ID3D12Fence_Release(fence);
    ID3D12GraphicsCommandList_Release(list);
    ID3D12CommandAllocator_Release(allocator);
    ID3D12CommandQueue_Release(queue);
    ULONG left = ID3D12Device_Release(device);
    fclose(log);
    return wrong ? 1 : left ? 3 : 0;
}
