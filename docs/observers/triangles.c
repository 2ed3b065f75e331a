/* Counts the triangles of a replay's direct draws, by frame:
 *
 *     cc -shared -fPIC -I include -o libtriangles.so triangles.c
 *     reprise replay --observer ./libtriangles.so game.reprise
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reprise_observer.h"

struct counts {
    int strips; /* the topology that was set last is a strip */
    int triangles;
    uint64_t of_frame;
    uint64_t of_all;
};

/* A number of the arguments, by its name. */
static uint64_t number(const char *line, const char *name)
{
    char key[64];
    const char *at;

    snprintf(key, sizeof(key), "\"%s\":", name);
    at = strstr(line, key);
    return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

uint32_t reprise_observer_version(void)
{
    return REPRISE_OBSERVER_VERSION;
}

void *reprise_observer_begin(const char *trace, const char *argument)
{
    (void)trace;
    (void)argument;
    return calloc(1, sizeof(struct counts));
}

void reprise_observer_before(void *state, const struct reprise_call *call)
{
    struct counts *counts = state;
    uint64_t vertices, instances;

    if (!strcmp(call->method, "IASetPrimitiveTopology")) {
        counts->triangles = strstr(call->line, "_TRIANGLE") != NULL;
        counts->strips = strstr(call->line, "STRIP") != NULL;
        return;
    }
    if (!strcmp(call->method, "DrawInstanced"))
        vertices = number(call->line, "VertexCountPerInstance");
    else if (!strcmp(call->method, "DrawIndexedInstanced"))
        vertices = number(call->line, "IndexCountPerInstance");
    else
        return;
    instances = number(call->line, "InstanceCount");
    if (counts->triangles && vertices >= 3)
        counts->of_frame += instances * (counts->strips ? vertices - 2 : vertices / 3);
}

void reprise_observer_frame(void *state, uint64_t frame)
{
    struct counts *counts = state;

    printf("frame %" PRIu64 ": %" PRIu64 " triangles\n", frame, counts->of_frame);
    counts->of_all += counts->of_frame;
    counts->of_frame = 0;
}

void reprise_observer_end(void *state)
{
    struct counts *counts = state;

    printf("%" PRIu64 " triangles\n", counts->of_all + counts->of_frame);
    fflush(stdout);
    free(counts);
}
