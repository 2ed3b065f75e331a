/* What a shared library exports that `reprise replay --observer LIBRARY[=ARGUMENT]` loads.
 *
 * The library watches each call of the replay, in the order of the trace, on one thread. It changes nothing. All functions but
 * reprise_observer_version may be left out. docs/observers.md says more, and has an example.
 *
 * Versions: a later version of Reprise takes libraries of this version. Structures only grow at their end; `size` says how far
 * they are there.
 */
#ifndef REPRISE_OBSERVER_H
#define REPRISE_OBSERVER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define REPRISE_OBSERVER_VERSION 1

#if defined(_WIN32)
#define REPRISE_OBSERVER __declspec(dllexport)
#else
#define REPRISE_OBSERVER __attribute__((visibility("default")))
#endif

/* A call, where the replay makes it. What it points to is there until the function returns. */
struct reprise_call {
    uint32_t size;         /* bytes of this structure */
    uint32_t thread;       /* of the captured program, from 0 */
    uint64_t number;       /* as `reprise dump` has it, from 1 */
    uint64_t frame;        /* from 1 */
    uint32_t object;       /* the object that it is made on, by its id in the trace; 0 for functions */
    uint32_t reserved;
    const char *interface; /* as "ID3D12GraphicsCommandList"; "" for functions */
    const char *method;    /* as "DrawInstanced" */
    void *native;          /* the object of this replay, borrowed; NULL where there is none */
    const char *line;      /* the call as `reprise dump --json` prints it: arguments by name, and what the program got back */
};

/* REPRISE_OBSERVER_VERSION. A library of another version is refused. */
REPRISE_OBSERVER uint32_t reprise_observer_version(void);

/* The replay begins; where it has to begin anew, once more, after reprise_observer_end. `argument` is what stands behind the `=` of
 * the option, "" for nothing. What it returns is given to the others. */
REPRISE_OBSERVER void *reprise_observer_begin(const char *trace, const char *argument);

/* A call is made next. */
REPRISE_OBSERVER void reprise_observer_before(void *state, const struct reprise_call *call);

/* It was made, and its result compared. A call that cannot be made has no such moment. */
REPRISE_OBSERVER void reprise_observer_after(void *state, const struct reprise_call *call);

/* A frame is over. */
REPRISE_OBSERVER void reprise_observer_frame(void *state, uint64_t frame);

/* No call is made any more: the trace is at its end, or a call cannot be made. */
REPRISE_OBSERVER void reprise_observer_end(void *state);

#ifdef __cplusplus
}
#endif

#endif
