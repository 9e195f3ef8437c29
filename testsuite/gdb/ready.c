/* SPDX-License-Identifier: MIT
 *
 * At `here` six tasks without a depend clause have not begun, in memory that earlier tasks
 * with depend clauses and other things have used.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int object;
static atomic_int begun, go;

static void use_memory(void)
{
    void *used[64];
    for (int i = 0; i < 64; i++) {
        used[i] = malloc(128 + 16 * (size_t)i);
        memset(used[i], 0x3f, 128 + 16 * (size_t)i);
    }
    for (int i = 0; i < 64; i++)
        free(used[i]);
}

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (int i = 0; i < 8; i++) {
#pragma omp task depend(inout : object)
            object++;
        }
#pragma omp taskwait
#pragma omp task
        {
            begun = 1;
            while (!go)
                usleep(1000);
        }
        while (!begun)
            usleep(1000);
        for (int i = 0; i < 7; i++)
            use_memory();
        for (int i = 0; i < 6; i++) {
#pragma omp task firstprivate(i) /* mark: ready */
            usleep((unsigned)i);
        }
        go = 1; /* mark: here */
    }
    return 0;
}
