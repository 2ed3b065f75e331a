/* A Direct3D 12 program with a log of its own: how far each thread has come lies in a file that outlives it, written by
 * nothing but this program. What a trace of it must hold is so known to whoever looks, however the program ended.
 *
 * worker LOG MODE [CALLS [FILE]]: THREADS threads, each makes rounds of calls; every round carries its number. CALLS is the
 * number of rounds of each thread, or 0 for no end. MODE says what happens then; see main. With a FILE (mode end)
 * no thread ends before that is there: so who tests decides when the program ends, whatever the machine does meanwhile. */
#define _GNU_SOURCE
#define COBJMACROS
#define INITGUID
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#define VKD3D_UTILS_API_VERSION 0
#include <vkd3d.h>

#define THREADS 3
#define KINDS 4
/* Kinds of calls, as the log counts them. */
enum { DRAW, NODES, SIGNAL, DATA };

struct log
{
    _Atomic uint32_t pid;
    uint32_t reserved;
    /* Calls that have returned. */
    _Atomic uint64_t done[THREADS][KINDS];
};

typedef HRESULT (__attribute__((ms_abi)) *create_device)(IUnknown *, D3D_FEATURE_LEVEL, REFIID, void **);
HRESULT __attribute__((ms_abi)) D3D12CreateDevice(IUnknown *, D3D_FEATURE_LEVEL, REFIID, void **);
extern char **environ;

static struct log *counts;
static const char *mode;
static uint64_t rounds;
static const char *until;
static ID3D12Device *device;
static ID3D12CommandQueue *queue;

static void need(int holds, const char *what)
{
    if (!holds)
    {
        fprintf(stderr, "worker: %s\n", what);
        exit(99);
    }
}

static void open_log(const char *path)
{
    int file = open(path, O_RDWR | O_CREAT, 0600);
    need(file >= 0 && !ftruncate(file, 4096), "log");
    counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    need(counts != MAP_FAILED, "log");
    close(file);
}

static void make_device(void)
{
    D3D12_COMMAND_QUEUE_DESC desc = {0};
    create_device create;
#ifdef OPENED
    /* As programs do that bring no import library: the function is found behind a handle, and nobody else sees it. */
    void *library = dlopen(OPENED, RTLD_NOW | RTLD_LOCAL);
    need(!!library, dlerror());
    create = (create_device)dlsym(library, "D3D12CreateDevice");
    need(!!create, "dlsym");
#else
    create = D3D12CreateDevice;
#endif
    need(create(NULL, D3D_FEATURE_LEVEL_11_0, &IID_ID3D12Device, (void **)&device) >= 0, "device");
    need(ID3D12Device_CreateCommandQueue(device, &desc, &IID_ID3D12CommandQueue, (void **)&queue) >= 0, "queue");
}

static void count(int thread, int kind, uint64_t done)
{
    atomic_store_explicit(&counts->done[thread][kind], done, memory_order_release);
}

/* One thread's calls: a draw a round, and now and then one of each other kind. */
static void work(int thread)
{
    static const GUID tag = {0x7a3d91c2, 0x1111, 0x2222, {1, 2, 3, 4, 5, 6, 7, 8}};
    ID3D12CommandAllocator *allocator;
    ID3D12GraphicsCommandList *list;
    ID3D12Fence *fence;
    uint64_t data[64] = {0};
    uint64_t nodes = 0, signals = 0, named = 0;
    need(ID3D12Device_CreateCommandAllocator(device, 0, &IID_ID3D12CommandAllocator, (void **)&allocator) >= 0, "allocator");
    need(ID3D12Device_CreateCommandList(device, 0, 0, allocator, NULL, &IID_ID3D12GraphicsCommandList, (void **)&list) >= 0,
         "list");
    need(ID3D12Device_CreateFence(device, 0, 0, &IID_ID3D12Fence, (void **)&fence) >= 0, "fence");
    for (uint64_t round = 1; !rounds || round <= rounds; round++)
    {
        ID3D12GraphicsCommandList_DrawInstanced(list, (UINT)round, thread, 7, 9);
        count(thread, DRAW, round);
        if (round % 8 == 0)
        {
            ID3D12Device_GetNodeCount(device);
            count(thread, NODES, ++nodes);
        }
        if (round % 16 == 5)
        {
            signals++;
            ID3D12CommandQueue_Signal(queue, fence, signals << 8 | thread);
            count(thread, SIGNAL, signals);
        }
        if (round % 32 == 9)
        {
            data[0] = ++named;
            data[1] = thread;
            ID3D12GraphicsCommandList_SetPrivateData(list, &tag, sizeof(data), data);
            count(thread, DATA, named);
        }
        /* Not flat out: nobody knows how long it is until then. */
        if (until && round % 64 == 0)
        {
            if (!rounds && !access(until, F_OK))
                break;
            usleep(200);
        }
    }
    while (until && access(until, F_OK))
        usleep(1000);
}

static void *run(void *thread)
{
    work((int)(intptr_t)thread);
    return NULL;
}

static void work_on_all(void)
{
    pthread_t threads[THREADS];
    for (int thread = 0; thread < THREADS; thread++)
        need(!pthread_create(&threads[thread], NULL, run, (void *)(intptr_t)thread), "thread");
    for (int thread = 0; thread < THREADS; thread++)
        pthread_join(threads[thread], NULL);
}

/* Submissions, each a frame where the boundary is a submission. */
static void frames(uint64_t most, const char *trigger)
{
    ID3D12CommandAllocator *allocator;
    ID3D12GraphicsCommandList *list;
    need(ID3D12Device_CreateCommandAllocator(device, 0, &IID_ID3D12CommandAllocator, (void **)&allocator) >= 0, "allocator");
    need(ID3D12Device_CreateCommandList(device, 0, 0, allocator, NULL, &IID_ID3D12GraphicsCommandList, (void **)&list) >= 0,
         "list");
    for (uint64_t frame = 1; frame <= most || !most; frame++)
    {
        ID3D12CommandList *lists[] = {(ID3D12CommandList *)list};
        /* Frames 5 to 7 are wanted by the file. */
        if (trigger && frame == 4)
            close(open(trigger, O_CREAT | O_WRONLY, 0600));
        if (trigger && frame == 7)
            unlink(trigger);
        ID3D12GraphicsCommandList_DrawInstanced(list, (UINT)frame, 0, 7, 9);
        count(0, DRAW, frame);
        ID3D12GraphicsCommandList_Close(list);
        ID3D12CommandQueue_ExecuteCommandLists(queue, 1, lists);
        ID3D12CommandAllocator_Reset(allocator);
        ID3D12GraphicsCommandList_Reset(list, allocator, NULL);
        if (!most)
            usleep(1000);
    }
}

/* Bytes that do not compress, 8 KiB a call. */
static void noise(uint64_t most)
{
    static const GUID tag = {0x7a3d91c2, 0x1111, 0x2222, {1, 2, 3, 4, 5, 6, 7, 8}};
    static uint64_t data[1024];
    uint64_t state = 88172645463325252ull;
    for (uint64_t call = 1; call <= most; call++)
    {
        for (int word = 0; word < 1024; word++)
        {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            data[word] = state;
        }
        ID3D12CommandQueue_SetPrivateData(queue, &tag, sizeof(data), data);
        count(0, DATA, call);
    }
}

/* What this process has of its own and of shared memory, in KiB, by its page tables: the counts of /proc/self/status are kept
 * for each processor, and may be off by megabytes. */
static void tell_memory(const char *when)
{
    unsigned long all = 0, anonymous = 0;
    char line[256];
    FILE *rollup = fopen("/proc/self/smaps_rollup", "r");
    need(!!rollup, "smaps_rollup");
    while (fgets(line, sizeof(line), rollup))
    {
        sscanf(line, "Rss: %lu", &all);
        sscanf(line, "Anonymous: %lu", &anonymous);
    }
    fclose(rollup);
    printf("%s %lu %lu\n", when, anonymous, all - anonymous);
    fflush(stdout);
}

/* Objects made and released, one after the other; then so many that live at once. */
static void objects(uint64_t most)
{
    enum { LIVING = 10000 };
    static ID3D12Fence *living[LIVING];
    ID3D12Fence *fence;
    for (uint64_t made = 0; made < most; made++)
    {
        if (made == most / 10)
            tell_memory("tenth");
        need(ID3D12Device_CreateFence(device, 0, 0, &IID_ID3D12Fence, (void **)&fence) >= 0, "fence");
        ID3D12Fence_Release(fence);
        count(0, DATA, made + 1);
    }
    tell_memory("all");
    for (int made = 0; made < LIVING; made++)
        need(ID3D12Device_CreateFence(device, 0, 0, &IID_ID3D12Fence, (void **)&living[made]) >= 0, "fence");
    tell_memory("living");
}

static void *few_calls(void *barrier)
{
    for (int call = 0; call < 10; call++)
        ID3D12Device_GetNodeCount(device);
    if (barrier)
    {
        pthread_barrier_wait(barrier);
        pthread_barrier_wait(barrier);
    }
    return NULL;
}

/* Threads one after the other, each with a few calls; then 200 at once. */
static void threads(uint64_t most)
{
    enum { AT_ONCE = 200 };
    static pthread_t all[AT_ONCE];
    pthread_barrier_t barrier;
    pthread_t thread;
    for (uint64_t made = 0; made < most; made++)
    {
        if (made == most / 10)
            tell_memory("tenth");
        need(!pthread_create(&thread, NULL, few_calls, NULL), "thread");
        pthread_join(thread, NULL);
    }
    tell_memory("all");
    pthread_barrier_init(&barrier, NULL, AT_ONCE + 1);
    for (int made = 0; made < AT_ONCE; made++)
        need(!pthread_create(&all[made], NULL, few_calls, &barrier), "thread");
    pthread_barrier_wait(&barrier);
    tell_memory("living");
    pthread_barrier_wait(&barrier);
    for (int made = 0; made < AT_ONCE; made++)
        pthread_join(all[made], NULL);
    tell_memory("ended");
}

static void child(const char *name)
{
    /* A child that was forked off makes a device, and a log, of its own. */
    open_log(name);
    counts->pid = getpid();
    make_device();
    work(0);
    _exit(0);
}

int main(int argc, char **argv)
{
    char other[4096];
    need(argc > 2, "usage: worker LOG MODE [ROUNDS [FILE]]");
    mode = argv[2];
    rounds = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    until = argc > 4 && !strcmp(mode, "end") ? argv[4] : NULL;
    snprintf(other, sizeof(other), "%s.child", argv[1]);
    open_log(argv[1]);
    counts->pid = getpid();
    if (!strcmp(mode, "exec"))
    {
        /* By posix_spawn, which does not run the handlers of fork. */
        char *child_argv[] = {argv[0], other, "end", argc > 3 ? argv[3] : "100", NULL};
        pid_t pid;
        int status;
        make_device();
        need(!posix_spawn(&pid, "/proc/self/exe", NULL, NULL, child_argv, environ), "spawn");
        work_on_all();
        need(waitpid(pid, &status, 0) == pid && !status, "child");
        return 0;
    }
    if (!strcmp(mode, "vfork"))
    {
        char *child_argv[] = {argv[0], other, "end", argc > 3 ? argv[3] : "100", NULL};
        int status;
        pid_t pid;
        make_device();
        work_on_all();
        if (!(pid = vfork()))
        {
            execve("/proc/self/exe", child_argv, environ);
            _exit(98);
        }
        need(waitpid(pid, &status, 0) == pid && !status, "child");
        return 0;
    }
    /* Huge pages come and go as the kernel likes. */
    if (!strcmp(mode, "objects") || !strcmp(mode, "threads"))
        need(!prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), "huge pages");
    make_device();
    if (!strcmp(mode, "frames"))
    {
        frames(rounds, argc > 4 ? argv[4] : NULL);
        printf("%llu frames\n", (unsigned long long)rounds);
        return 0;
    }
    if (!strcmp(mode, "noise"))
    {
        noise(rounds);
        printf("worked\n");
        return 0;
    }
    if (!strcmp(mode, "objects"))
        return objects(rounds), 0;
    if (!strcmp(mode, "threads"))
        return threads(rounds), 0;
    if (!strcmp(mode, "closed"))
        closefrom(argc > 4 ? atoi(argv[4]) : 3);
    work_on_all();
    if (!strcmp(mode, "abort"))
        abort();
    if (!strcmp(mode, "outside"))
        *(volatile int *)NULL = 1;
    if (!strcmp(mode, "inside"))
        /* The runtime was told to die in this call. */
        ID3D12Device_GetNodeCount(device);
    if (!strcmp(mode, "argument"))
    {
        D3D12_COMMAND_QUEUE_DESC *desc = (void *)16;
        ID3D12Device_CreateCommandQueue(device, desc, &IID_ID3D12CommandQueue, (void **)&queue);
    }
    if (!strcmp(mode, "_exit"))
        _exit(7);
    if (!strcmp(mode, "quick_exit"))
        quick_exit(7);
    if (!strcmp(mode, "fork"))
    {
        int status;
        pid_t pid = fork();
        if (!pid)
            child(other);
        work_on_all();
        need(waitpid(pid, &status, 0) == pid && !status, "child");
    }
    if (!strcmp(mode, "idle-child"))
    {
        /* A child that uses nothing, and ends before its parent goes on. */
        int status;
        pid_t pid = fork();
        if (!pid)
            exit(0);
        need(waitpid(pid, &status, 0) == pid && !status, "child");
        work_on_all();
    }
    printf("worked\n");
    return 0;
}
