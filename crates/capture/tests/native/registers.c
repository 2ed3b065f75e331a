/* Calls a runtime by win64 (WIN64 defined) or by System V, and checks that arguments arrive and that each register which
 * the convention keeps comes back as it was. Returns 0, or the number of what was wrong. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Declared without a prototype of their own: they are called through `call` only. */
void D3D12EnableExperimentalFeatures(void);
void D3D12CreateVersionedRootSignatureDeserializerFromSubobjectInLibrary(void);

struct kept
{
    uint64_t words[7];
    uint64_t vectors[10][2];
};

/* Sets all registers, calls `function`, and notes what the registers hold then. */
uint64_t call(void (*function)(void), const uint64_t arguments[5], struct kept *kept);

__asm__(".text\n"
        ".globl call\n"
        "call:\n"
        "push %rbp\n mov %rsp, %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n push %rdx\n"
        "sub $64, %rsp\n"
        "mov %rdi, %rax\n"
        "mov %rsi, %r10\n"
        "mov $0x1111, %ebx\n mov $0x2222, %r12d\n mov $0x3333, %r13d\n mov $0x4444, %r14d\n mov $0x5555, %r15d\n"
#ifdef WIN64
        "mov (%r10), %rcx\n mov 8(%r10), %rdx\n mov 16(%r10), %r8\n mov 24(%r10), %r9\n"
        "mov 32(%r10), %r11\n mov %r11, 32(%rsp)\n"
        "mov $0x6666, %esi\n mov $0x7777, %edi\n"
        "movq %rbx, %xmm6\n movq %r12, %xmm7\n movq %r13, %xmm8\n movq %r14, %xmm9\n movq %r15, %xmm10\n"
        "movq %rsi, %xmm11\n movq %rdi, %xmm12\n movq %rbx, %xmm13\n movq %r12, %xmm14\n movq %r13, %xmm15\n"
        "punpcklqdq %xmm6, %xmm6\n punpcklqdq %xmm7, %xmm7\n punpcklqdq %xmm8, %xmm8\n punpcklqdq %xmm9, %xmm9\n"
        "punpcklqdq %xmm10, %xmm10\n punpcklqdq %xmm11, %xmm11\n punpcklqdq %xmm12, %xmm12\n"
        "punpcklqdq %xmm13, %xmm13\n punpcklqdq %xmm14, %xmm14\n punpcklqdq %xmm15, %xmm15\n"
#else
        "mov (%r10), %rdi\n mov 8(%r10), %rsi\n mov 16(%r10), %rdx\n mov 24(%r10), %rcx\n mov 32(%r10), %r8\n"
#endif
        "call *%rax\n"
        "mov -48(%rbp), %r10\n"
        "mov %rbx, (%r10)\n mov %r12, 8(%r10)\n mov %r13, 16(%r10)\n mov %r14, 24(%r10)\n mov %r15, 32(%r10)\n"
        "mov %rsi, 40(%r10)\n mov %rdi, 48(%r10)\n"
        "movups %xmm6, 56(%r10)\n movups %xmm7, 72(%r10)\n movups %xmm8, 88(%r10)\n movups %xmm9, 104(%r10)\n"
        "movups %xmm10, 120(%r10)\n movups %xmm11, 136(%r10)\n movups %xmm12, 152(%r10)\n movups %xmm13, 168(%r10)\n"
        "movups %xmm14, 184(%r10)\n movups %xmm15, 200(%r10)\n"
        "lea -40(%rbp), %rsp\n pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n ret\n");

static int wrong(const struct kept *kept)
{
    static const uint64_t words[7] = {0x1111, 0x2222, 0x3333, 0x4444, 0x5555, 0x6666, 0x7777};
#ifdef WIN64
    static const uint64_t vectors[10] = {0x1111, 0x2222, 0x3333, 0x4444, 0x5555, 0x6666, 0x7777, 0x1111, 0x2222, 0x3333};
    for (int i = 0; i < 10; ++i)
        if (kept->vectors[i][0] != vectors[i] || kept->vectors[i][1] != vectors[i])
            return fprintf(stderr, "xmm%d is not kept\n", i + 6);
    return memcmp(kept->words, words, 56) != 0;
#else
    return memcmp(kept->words, words, 40) != 0;
#endif
}

int main(void)
{
    struct kept kept;
    void *out;

    /* The first calls find the real function, later ones know it. */
    for (int i = 0; i < 3; ++i)
    {
        /* The upper half of a 32-bit argument's register means nothing. */
        const uint64_t first[5] = {0xdead000000000002, (uint64_t)"0123456789abcdef0123456789ABCDEF", 0, 0, 0};
        if ((uint32_t)call(D3D12EnableExperimentalFeatures, first, &kept) != 7)
            return 1;
        if (wrong(&kept))
            return 2;
        out = (void *)0x1234;
        const uint64_t second[5] = {(uint64_t)"bytes", 5, 0, (uint64_t)"interface id 16.", (uint64_t)&out};
        if ((uint32_t)call(D3D12CreateVersionedRootSignatureDeserializerFromSubobjectInLibrary, second, &kept) != 0x80004002)
            return 3;
        if (wrong(&kept) || out)
            return 4;
    }
    return 0;
}
