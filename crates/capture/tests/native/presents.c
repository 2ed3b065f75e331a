/* Counts presents, for the test that compares them with the frames of a trace.
 *
 * Preloaded behind the capture library, so that it sees what reaches Vulkan. The count lies in a file mapped shared: it is
 * right at the instant the program dies, however it dies. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef int (*present_function)(void *queue, const void *info);

static uint64_t *count;
static present_function next;

__attribute__((constructor)) static void start(void)
{
    const char *path = getenv("PRESENTS_FILE");
    int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (file < 0)
        return;
    if (ftruncate(file, 8) == 0) {
        void *page = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        count = page == MAP_FAILED ? NULL : page;
    }
    close(file);
}

int vkQueuePresentKHR(void *queue, const void *info)
{
    if (!next)
        next = (present_function)dlsym(RTLD_NEXT, "vkQueuePresentKHR");
    if (count)
        __atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST);
    return next(queue, info);
}
