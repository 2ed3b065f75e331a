/* A part of a program that is opened for itself alone, and with it the runtime that it is linked with. */
#include <stdint.h>

uint32_t D3D12EnableExperimentalFeatures(uint32_t count, const void *ids, void *configurations, uint32_t *sizes);

uint32_t plugin(void)
{
    return D3D12EnableExperimentalFeatures(2, "0123456789abcdef0123456789ABCDEF", 0, 0);
}
