/* Answers as libdxcompiler is documented to: disassembles a container into its size and first bytes. With OLD its interfaces
 * have the two slots of a virtual destructor behind IUnknown's, as older builds for Linux have. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef OLD
#define SHIFT 2
#else
#define SHIFT 0
#endif

typedef struct object { void **slots; } object;
typedef struct { object self; size_t size; char text[100]; } blob;

static object *allocator;
static void *allocate(size_t size) { return ((void *(*)(object *, size_t))allocator->slots[3 + SHIFT])(allocator, size); }
static void release(void *pointer) { ((void (*)(object *, void *))allocator->slots[5 + SHIFT])(allocator, pointer); }

static void forbidden(void) { fprintf(stderr, "a slot that is none\n"); abort(); }
static void *text_pointer(blob *this) { return this->text; }
static size_t text_size(blob *this) { return this->size; }

static void *blob_slots[10], *compiler_slots[10];

static int32_t disassemble(object *this, object *source, object **out)
{
    const char *bytes = ((const char *(*)(object *))source->slots[3 + SHIFT])(source);
    size_t size = ((size_t(*)(object *))source->slots[4 + SHIFT])(source);
    blob *made = allocate(sizeof(*made));
    (void)this;
    if (size < 4) return (int32_t)0x80aa000e;
    release(allocate(1000));
    made->self.slots = blob_slots;
    made->size = snprintf(made->text, sizeof(made->text), "; %zu bytes of %.4s\n", size, bytes) + 1;
    *out = &made->self;
    return 0;
}

int32_t DxcCreateInstance2(object *memory, const void *class, const uint32_t *interface, object **out)
{
    object *compiler;
    (void)class;
    if (interface[0] != 0x8c210bf3) return (int32_t)0x80004002;
    allocator = memory;
    for (int i = 0; i < 10; i++) blob_slots[i] = compiler_slots[i] = (void *)forbidden;
    blob_slots[3 + SHIFT] = (void *)text_pointer;
    blob_slots[4 + SHIFT] = (void *)text_size;
    compiler_slots[5 + SHIFT] = (void *)disassemble;
    compiler = allocate(sizeof(*compiler));
    compiler->slots = compiler_slots;
    *out = compiler;
    return 0;
}
