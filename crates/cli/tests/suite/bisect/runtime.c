// A Direct3D 12 runtime that is another one's (REAL) with one fault, for `reprise bisect` to find. FAULT says which; 0 is none.
//
// 1: colours of clears are rounded down to multiples of 1/254.99, as a wrong conversion to 8 bits does.
// 2: the barrier of a copy's destination, which waits for the copy, is lost.
// 3: the third draw crashes.
// 4: the device never comes.
// 5: the second pipeline state is slow in the first process of a folder, and each leaves a line in a file there.
// 6: where a query begins, which none of its programs does by itself, it crashes.
//
// The runtime's tables of functions are replaced in place. Numbers of slots are those of the API's headers.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef FAULT
#define FAULT 0
#endif

// By this text `reprise` knows a library of its own runtime, which this one is but for the fault.
const char mark[] = "reprise's d3d12 runtime:";

enum { CREATE_COMMAND_LIST = 12, DRAW_INSTANCED = 12, RESOURCE_BARRIER = 26, CLEAR_RENDER_TARGET_VIEW = 48, BEGIN_QUERY = 52 };
enum { COPY_DEST = 0x400 };

struct barrier { uint32_t type, flags; void *resource; uint32_t subresource, before, after; };

static void *real(const char *name)
{
    static void *library;
    if (FAULT == 5 && !library) {
        int file = open("processes", O_CREAT | O_APPEND | O_WRONLY, 0666);
        if (lseek(file, 0, SEEK_END) == 0)
            setenv("REPRISE_SLOW", "2:67108864", 1);
        if (write(file, "1\n", 2) != 2)
            abort();
        close(file);
    }
    if (!library && !(library = dlopen(REAL, RTLD_NOW | RTLD_LOCAL))) {
        fprintf(stderr, "%s\n", dlerror());
        abort();
    }
    return dlsym(library, name);
}

static void *replace(void **table, int slot, void *function)
{
    void *old = table[slot];
    uintptr_t page = sysconf(_SC_PAGESIZE), start = (uintptr_t)&table[slot] & ~(page - 1);
    if (old == function)
        return NULL;
    mprotect((void *)start, page, PROT_READ | PROT_WRITE);
    table[slot] = function;
    return old;
}

static void (*clear)(void *, size_t, const float *, uint32_t, const void *);
static void (*barriers)(void *, uint32_t, const struct barrier *);
static void (*draw)(void *, uint32_t, uint32_t, uint32_t, uint32_t);
static void (*begin_query)(void *, void *, uint32_t, uint32_t);
static int32_t (*create_list)(void *, uint32_t, uint32_t, void *, void *, const void *, void **);

static void rounded(void *list, size_t view, const float *colour, uint32_t count, const void *rectangles)
{
    float wrong[4];
    for (int i = 0; i < 4; i++)
        wrong[i] = (float)(int)(colour[i] * 254.99f) / 255.0f;
    clear(list, view, wrong, count, rectangles);
}

static void lost(void *list, uint32_t count, const struct barrier *all)
{
    for (uint32_t i = 0; i < count; i++)
        if (all[i].type != 0 || all[i].before != COPY_DEST)
            barriers(list, 1, &all[i]);
}

static void crashing(void *list, uint32_t vertices, uint32_t instances, uint32_t vertex, uint32_t instance)
{
    static int drawn;
    if (++drawn == 3)
        *(volatile int *)8 = 0;
    draw(list, vertices, instances, vertex, instance);
}

static void asked(void *list, void *heap, uint32_t type, uint32_t index)
{
    *(volatile int *)8 = 0;
    begin_query(list, heap, type, index);
}

static int32_t listed(void *device, uint32_t node, uint32_t type, void *allocator, void *state, const void *id, void **out)
{
    int32_t result = create_list(device, node, type, allocator, state, id, out);
    if (result == 0 && out && *out) {
        void **table = *(void ***)*out, *old;
        if (FAULT == 1 && (old = replace(table, CLEAR_RENDER_TARGET_VIEW, rounded)))
            clear = old;
        if (FAULT == 2 && (old = replace(table, RESOURCE_BARRIER, lost)))
            barriers = old;
        if (FAULT == 6 && (old = replace(table, BEGIN_QUERY, asked)))
            begin_query = old;
        if (FAULT == 3 && (old = replace(table, DRAW_INSTANCED, crashing)))
            draw = old;
    }
    return result;
}

int32_t D3D12CreateDevice(void *adapter, uint32_t level, const void *id, void **out)
{
    int32_t (*create)(void *, uint32_t, const void *, void **) = real("D3D12CreateDevice"), result;
    void *old;
    while (FAULT == 4)
        pause();
    result = create(adapter, level, id, out);
    if (result >= 0 && out && *out && (old = replace(*(void ***)*out, CREATE_COMMAND_LIST, listed)))
        create_list = old;
    return result;
}

#define PASS(name) \
    int32_t name(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e) \
    { \
        int32_t (*pass)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t) = real(#name); \
        return pass(a, b, c, d, e); \
    }
PASS(D3D12GetDebugInterface)
PASS(D3D12GetInterface)
PASS(D3D12EnableExperimentalFeatures)
PASS(D3D12SerializeRootSignature)
PASS(D3D12SerializeVersionedRootSignature)
PASS(D3D12CreateRootSignatureDeserializer)
PASS(D3D12CreateVersionedRootSignatureDeserializer)
