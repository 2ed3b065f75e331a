/* A library that a runtime opens for itself, as Vulkan's loader is: it answers for its own exported functions through its own
 * references to them, which the dynamic linker resolves in the process's order. */
#include <string.h>

typedef int (*support_function)(void *device, unsigned int family, void *surface, int *supported);

int vkGetPhysicalDeviceSurfaceSupportKHR(void *device, unsigned int family, void *surface, int *supported)
{
    *supported = device == (void *)0x10 && family == 3 && surface == (void *)0x20;
    return 0;
}

support_function vkGetInstanceProcAddr(void *instance, const char *name)
{
    (void)instance;
    return strcmp(name, "vkGetPhysicalDeviceSurfaceSupportKHR") ? 0 : vkGetPhysicalDeviceSurfaceSupportKHR;
}
