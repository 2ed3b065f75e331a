/* A layer of somebody else's, preloaded beside ours: it stands in front of D3D12CreateDevice, counts, and goes on to whatever
 * comes next. Prints its count as the program ends. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

typedef int (__attribute__((ms_abi)) *create_device)(void *, int, const void *, void **);
static int calls;

int __attribute__((ms_abi)) D3D12CreateDevice(void *adapter, int level, const void *iid, void **device)
{
    create_device next = (create_device)dlsym(RTLD_NEXT, "D3D12CreateDevice");
    calls++;
    return next ? next(adapter, level, iid, device) : -1;
}

static void __attribute__((destructor)) told(void)
{
    fprintf(stderr, "shim: %d\n", calls);
}
