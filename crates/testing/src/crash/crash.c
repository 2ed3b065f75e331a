/* Says where a process crashed: on a fatal signal, a line "CRASH signal N", and a line "CRASH frame MODULE FUNCTION" for each
 * frame of the thread, innermost first. "?" is memory of no module: code that a driver made. Then the process dies of the
 * signal as it would have.
 *
 * Preloaded. A program that handles these signals itself replaces our handler, and is not told of. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define MOST 48

static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
static char stack[1 << 16];

static void tell(const char *text)
{
    if (write(2, text, strlen(text)) < 0)
        return;
}

static void frame(void *address)
{
    char line[512];
    const char *name;
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_fname)
        snprintf(line, sizeof(line), "CRASH frame ? %p\n", address);
    else
    {
        name = strrchr(info.dli_fname, '/');
        name = name ? name + 1 : info.dli_fname;
        if (info.dli_sname)
            snprintf(line, sizeof(line), "CRASH frame %s %s\n", name, info.dli_sname);
        else
            snprintf(line, sizeof(line), "CRASH frame %s +0x%lx\n", name,
                     (unsigned long)((char *)address - (char *)info.dli_fbase));
    }
    tell(line);
}

static void crashed(int number, siginfo_t *info, void *context)
{
    void *frames[MOST];
    void *at = (void *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    char line[64];
    int count, first = 0;
    (void)info;
    snprintf(line, sizeof(line), "\nCRASH signal %d\n", number);
    tell(line);
    frame(at);
    /* The frames of this handler come first; what the signal hit is among them unless its code has no unwind tables. */
    count = backtrace(frames, MOST);
    while (first < count && frames[first] != at)
        first++;
    for (int index = first + 1; index < count; index++)
        /* A return address may be the first of the next function. */
        frame((char *)frames[index] - 1);
    signal(number, SIG_DFL);
    raise(number);
}

__attribute__((constructor)) static void start(void)
{
    struct sigaction action = {.sa_sigaction = crashed, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND};
    stack_t other = {.ss_sp = stack, .ss_size = sizeof(stack)};
    void *warm[1];
    /* Loads what it needs now, not in the middle of a crash. */
    backtrace(warm, 1);
    sigaltstack(&other, NULL);
    for (unsigned index = 0; index < sizeof(fatal) / sizeof(*fatal); index++)
        sigaction(fatal[index], &action, NULL);
}
