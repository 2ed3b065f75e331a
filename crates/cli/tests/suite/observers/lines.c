/* Writes what an observer is told to the file that its argument names. */
#include <inttypes.h>
#include <stdio.h>

#include "reprise_observer.h"

uint32_t reprise_observer_version(void)
{
#ifdef OTHER_VERSION
    return REPRISE_OBSERVER_VERSION + 1;
#else
    return REPRISE_OBSERVER_VERSION;
#endif
}

#ifndef BLIND
void *reprise_observer_begin(const char *trace, const char *argument)
{
    FILE *file = fopen(argument, "w");

    if (file)
        fprintf(file, "begin %s\n", trace);
    return file;
}

static void tell(FILE *file, const char *when, const struct reprise_call *call)
{
    fprintf(file, "%s %u %" PRIu64 " %" PRIu64 " %u %u %s/%s %d %s\n", when, call->size, call->number, call->frame, call->thread,
            call->object, call->interface, call->method, call->native != NULL, call->line);
}

void reprise_observer_before(void *state, const struct reprise_call *call)
{
    tell(state, "before", call);
}

void reprise_observer_after(void *state, const struct reprise_call *call)
{
    tell(state, "after", call);
}

void reprise_observer_frame(void *state, uint64_t frame)
{
    fprintf(state, "frame %" PRIu64 "\n", frame);
}

void reprise_observer_end(void *state)
{
    fprintf(state, "end\n");
    fclose(state);
}
#endif
