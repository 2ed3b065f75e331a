/* Answers as RenderDoc's in-application API is documented to, and writes down what it is asked. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int captures, capturing;

static void say(const char *what)
{
    FILE *file = fopen(getenv("FAKE_RENDERDOC_LOG"), "a");
    fprintf(file, "%s\n", what);
    fclose(file);
}

static void unexpected(void) { say("unexpected"); }
static uint32_t get_num_captures(void) { return captures; }

static uint32_t get_capture(uint32_t index, char *name, uint32_t *length, uint64_t *timestamp)
{
    static const char path[] = "/captures/frame.rdc";
    (void)timestamp;
    if ((int)index >= captures) return 0;
    if (length) *length = sizeof(path);
    if (name) memcpy(name, path, sizeof(path));
    return 1;
}

static void set_path(const char *path)
{
    const char *name = strrchr(path, '/');
    say(name ? name : "no folder");
}

static void start_frame_capture(void *device, void *window)
{
    say(device || window ? "start with a device" : "start");
    capturing = 1;
}

static uint32_t end_frame_capture(void *device, void *window)
{
    say(device || window ? "end with a device" : "end");
    captures += capturing;
    return capturing;
}

int RENDERDOC_GetAPI(int version, void **out)
{
    /* In the order of RENDERDOC_API_1_1_2: 11 says where they go, 13 and 14 tell about them, 19 to 21 make one. */
    static void *table[32];
    for (int i = 0; i < 32; i++) table[i] = (void *)unexpected;
    table[11] = (void *)set_path;
    table[13] = (void *)get_num_captures;
    table[14] = (void *)get_capture;
    table[19] = (void *)start_frame_capture;
    table[21] = (void *)end_frame_capture;
    if (version < 10000 || version > 10600) return 0;
    say("api");
    *out = table;
    return 1;
}
