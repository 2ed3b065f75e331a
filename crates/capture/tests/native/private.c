/* Uses libraries that are in nobody's order of symbols: private_loader.c and private_plugin.c, whose paths it is given. Returns 0, or the
 * number of what went otherwise than it does without a library before it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

typedef int (*support_function)(void *device, unsigned int family, void *surface, int *supported);
typedef support_function (*find_function)(void *instance, const char *name);

static int supported(const char *path)
{
    void *loader = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!loader)
        return 0;
    find_function find = (find_function)dlsym(loader, "vkGetInstanceProcAddr");
    support_function support = find ? find(0, "vkGetPhysicalDeviceSurfaceSupportKHR") : 0;
    int yes = 0;
    if (!support || support((void *)0x10, 3, (void *)0x20, &yes))
        return 0;
    dlclose(loader);
    return yes;
}

int main(int count, char **arguments)
{
    if (count != 3)
        return 1;
    /* Nobody has these: neither before a library is opened, nor behind a handle. */
    if (dlsym(RTLD_DEFAULT, "vkCreateWaylandSurfaceKHR") || !dlerror())
        return 2;
    if (dlsym(RTLD_DEFAULT, "vkGetPhysicalDeviceSurfaceSupportKHR") || !dlerror())
        return 3;
    /* Opened, asked and closed again, by two users in turn. */
    for (int round = 0; round < 2; ++round)
        if (!supported(arguments[1]))
            return 4;
    dlerror();
    void *plugin = dlopen(arguments[2], RTLD_NOW | RTLD_LOCAL);
    uint32_t (*run)(void) = plugin ? (uint32_t (*)(void))dlsym(plugin, "plugin") : 0;
    if (!run || run() != 7)
        return 5;
    /* What we look for is no failure of the program's. */
    if (dlerror())
        return 6;
    return 0;
}
