/* Counts presents and waits, for the tests that compare them with what a trace says.
 *
 * Preloaded behind the capture library, so that it sees what reaches Vulkan and libvkd3d. A runtime that opens Vulkan's loader for
 * itself asks it for vkGetDeviceProcAddr and gets the one here, because the loader finds its own exports in the process's order.
 * The counts lie in a file mapped shared: they are right at the instant the program dies, however it dies. Waits are counted because a program calls
 * vkd3d_wait_event only when the GPU is behind: whether it did is not for the trace alone to say. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef int (*present_function)(void *queue, const void *info);
typedef unsigned int (*wait_function)(void *event, unsigned int milliseconds);

typedef void (*any_function)(void);
typedef any_function (*find_function)(void *device, const char *name);

/* Presents, then waits. */
static uint64_t *count;
static present_function next;
/* As the device has it. */
static present_function device_next;
static find_function next_find;
static wait_function next_wait;

__attribute__((constructor)) static void start(void)
{
    const char *path = getenv("REPRISE_TESTING_HOOK");
    int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (file < 0)
        return;
    if (ftruncate(file, 16) == 0) {
        void *page = mmap(NULL, 16, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        count = page == MAP_FAILED ? NULL : page;
    }
    close(file);
}

/* Of Vulkan's loader, whoever has opened it. */
static void *of_vulkan(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    void *vulkan = found ? NULL : dlopen("libvulkan.so.1", RTLD_LAZY | RTLD_NOLOAD);
    return vulkan ? dlsym(vulkan, name) : found;
}

static int present_on_device(void *queue, const void *info)
{
    if (count)
        __atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST);
    return device_next(queue, info);
}

int vkQueuePresentKHR(void *queue, const void *info)
{
    if (!next)
        next = (present_function)of_vulkan("vkQueuePresentKHR");
    if (count)
        __atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST);
    return next(queue, info);
}

any_function vkGetDeviceProcAddr(void *device, const char *name)
{
    any_function found;

    if (!next_find)
        next_find = (find_function)of_vulkan("vkGetDeviceProcAddr");
    found = next_find(device, name);
    if (!found || strcmp(name, "vkQueuePresentKHR") || found == (any_function)vkQueuePresentKHR)
        return found;
    device_next = (present_function)found;
    return (any_function)present_on_device;
}

unsigned int vkd3d_wait_event(void *event, unsigned int milliseconds)
{
    if (!next_wait)
        next_wait = (wait_function)dlsym(RTLD_NEXT, "vkd3d_wait_event");
    if (count)
        __atomic_add_fetch(count + 1, 1, __ATOMIC_SEQ_CST);
    return next_wait(event, milliseconds);
}
