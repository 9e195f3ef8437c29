/* SPDX-License-Identifier: MIT
 *
 * A device for libgomp that needs no hardware: what libgomp loads as libgomp-plugin-nvptx.so.1, by
 * name, where that is in LD_LIBRARY_PATH. Its memory is a part of the host's, and it executes the
 * host's code, in a thread of its own. DEVICES says how many there are; with NEVER tasks never end.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_CODE_OF_THE_HOST = 2, IS_FOR_OPENMP = 4, KIND = 5, ALIGNMENT = 64 };

void GOMP_PLUGIN_target_task_completion(void *task);

static int number(const char *variable)
{
    const char *value = getenv(variable);
    return value ? atoi(value) : 1;
}

#define ANSWERS(type, name, parameters, value) \
    type GOMP_OFFLOAD_##name parameters { return value; }
ANSWERS(const char *, get_name, (void), "pretended")
ANSWERS(unsigned, get_caps, (void), RUNS_CODE_OF_THE_HOST | IS_FOR_OPENMP)
ANSWERS(int, get_type, (void), KIND)
ANSWERS(int, get_num_devices, (unsigned needs __attribute__((unused))), number("DEVICES"))
ANSWERS(unsigned, version, (void), (unsigned)number("PLUGIN_VERSION")) /* 3 from GCC 13 on */
#define DEVICE int device __attribute__((unused))
ANSWERS(bool, init_device, (DEVICE), true)
ANSWERS(bool, fini_device, (DEVICE), true)
ANSWERS(int, load_image, (DEVICE), 0)
ANSWERS(bool, unload_image, (DEVICE), true)
ANSWERS(bool, can_run, (void), true)
ANSWERS(bool, memset, (DEVICE, void *memory, int value, size_t size), memset(memory, value, size))
ANSWERS(void *, alloc, (DEVICE, size_t size), aligned_alloc(ALIGNMENT, (size + 63) / 64 * 64))
ANSWERS(bool, free, (DEVICE, void *memory), (free(memory), true))
#define COPIES(name) ANSWERS(bool, name, (DEVICE, void *to, void *from, size_t size), memmove(to, from, size))
COPIES(dev2host)
COPIES(host2dev)
COPIES(dev2dev)

struct kernel {
    void (*function)(void *);
    void *data, *task;
};

static void *execute(void *argument)
{
    struct kernel kernel = *(struct kernel *)argument;
    free(argument);
    kernel.function(kernel.data);
    if (kernel.task)
        GOMP_PLUGIN_target_task_completion(kernel.task);
    return NULL;
}

static pthread_t start(void (*function)(void *), void *data, void *task)
{
    struct kernel *kernel = malloc(sizeof *kernel);
    pthread_t thread;
    *kernel = (struct kernel){function, data, task};
    if (pthread_create(&thread, NULL, execute, kernel))
        abort();
    return thread;
}

void GOMP_OFFLOAD_run(DEVICE, void (*function)(void *), void *data)
{
    pthread_join(start(function, data, NULL), NULL);
}

void GOMP_OFFLOAD_async_run(DEVICE, void (*function)(void *), void *data,
                            void **arguments __attribute__((unused)), void *task)
{
    if (!getenv("NEVER"))
        pthread_detach(start(function, data, task));
}
