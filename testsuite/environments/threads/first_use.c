/* SPDX-License-Identifier: MIT
 *
 * Several threads use the runtime for the first time at the same moment. A tool, where
 * there is one, must have been told of every region: its control command 1 answers how
 * many it knows. first_use THREADS REGIONS
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include "check.h"

static pthread_barrier_t start;
static int regions;
static long members;

static void *use(void *data)
{
    pthread_barrier_wait(&start);
    for (int i = 0; i < regions; i++) {
        int here = 0;
#pragma omp parallel num_threads(2) reduction(+ : here)
        here++;
        __atomic_add_fetch(&members, here, __ATOMIC_RELAXED);
    }
    return data;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    int threads = atoi(argv[1]);
    regions = atoi(argv[2]);
    pthread_t *thread = malloc((size_t)threads * sizeof(*thread));
    pthread_barrier_init(&start, NULL, (unsigned)threads);
    for (int i = 0; i < threads; i++)
        CHECK(!pthread_create(&thread[i], NULL, use, NULL));
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    CHECK(members == 2L * threads * regions);
    int (*control)(int, int, void *) =
        (int (*)(int, int, void *))dlsym(RTLD_DEFAULT, "omp_control_tool");
    int told = control ? control(1, 0, NULL) : -1;
    if (told >= 0 && told != threads * regions)
        printf("the tool was told of %d regions of %d\n", told, threads * regions);
    free(thread);
    return check_result("first_use");
}
