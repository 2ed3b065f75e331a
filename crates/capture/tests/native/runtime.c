/* A runtime with two functions, by win64 (WIN64 defined) or by System V: they check their arguments, and spoil every
 * register that the convention lets them spoil. */
#include <stdint.h>
#include <string.h>

#ifdef WIN64
# define API __attribute__((ms_abi, visibility("default")))
#else
# define API __attribute__((visibility("default")))
#endif

#define SPOIL() __asm__ volatile("pxor %%xmm0, %%xmm0\n\tpxor %%xmm1, %%xmm1\n\tpxor %%xmm2, %%xmm2\n\t" \
        "pxor %%xmm3, %%xmm3\n\tpxor %%xmm4, %%xmm4\n\tpxor %%xmm5, %%xmm5\n\txor %%r10d, %%r10d\n\txor %%r11d, %%r11d" \
        ::: "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "r10", "r11")

API uint32_t D3D12EnableExperimentalFeatures(uint32_t count, const void *ids, void *configurations, uint32_t *sizes)
{
    SPOIL();
    if (count != 2 || memcmp(ids, "0123456789abcdef0123456789ABCDEF", 32) || configurations || sizes)
        return 0x80070057;
    return 7;
}

/* Five arguments: in win64 the last one is on the stack. It also calls an export of its own library through the loader,
 * which must not be taken for the program's. */
API uint32_t D3D12CreateVersionedRootSignatureDeserializerFromSubobjectInLibrary(const void *bytes, uint64_t size,
        const void *name, const void *iid, void **out)
{
    SPOIL();
    if (D3D12EnableExperimentalFeatures(2, "0123456789abcdef0123456789ABCDEF", 0, 0) != 7)
        return 0x80004005;
    if (size != 5 || memcmp(bytes, "bytes", 5) || name || memcmp(iid, "interface id 16.", 16) || *out != (void *)0x1234)
        return 0x80070057;
    *out = 0;
    return 0x80004002;
}
