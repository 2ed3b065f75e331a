/* Calls the runtime of runtime.c when a thread, or the process, is nearly over: from the destructor of a thread's key, from an
 * exit handler, and from a destructor of the program, after main has called it. Returns 0 when each call is answered. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

uint32_t D3D12EnableExperimentalFeatures(uint32_t count, const void *ids, void *configurations, uint32_t *sizes);

static void call(const char *from)
{
    if (D3D12EnableExperimentalFeatures(2, "0123456789abcdef0123456789ABCDEF", 0, 0) == 7)
        return;
    fprintf(stderr, "no answer in %s\n", from);
    _exit(1);
}

static void of_key(void *value)
{
    (void)value;
    call("a key's destructor");
}

static void at_exit(void)
{
    call("an exit handler");
}

__attribute__((destructor)) static void at_end(void)
{
    call("a destructor");
}

static void *thread(void *key)
{
    pthread_setspecific(*(pthread_key_t *)key, key);
    call("a thread");
    return NULL;
}

int main(void)
{
    pthread_key_t key;
    pthread_t id;

    call("main");
    atexit(at_exit);
    if (pthread_key_create(&key, of_key) || pthread_create(&id, NULL, thread, &key) || pthread_join(id, NULL))
        return 2;
    return 0;
}
