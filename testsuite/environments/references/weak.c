/* SPDX-License-Identifier: MIT
 *
 * A program without OpenMP that uses it where there is some, by weak references, as
 * libraries do that have to work with programs of either kind. CHILD: it does the same in
 * a child.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#pragma weak omp_set_num_threads
#pragma weak omp_get_max_threads
#pragma weak omp_get_thread_num
#pragma weak omp_in_parallel
#pragma weak omp_init_lock
#pragma weak omp_set_lock
#pragma weak omp_unset_lock
#pragma weak omp_destroy_lock
#pragma weak GOMP_parallel
#pragma weak GOMP_barrier
#pragma weak GOMP_critical_start
#pragma weak GOMP_critical_end
#pragma weak GOMP_task
#pragma weak GOMP_taskwait
void omp_set_num_threads(int);
int omp_get_max_threads(void), omp_get_thread_num(void), omp_in_parallel(void);
void omp_init_lock(void *), omp_set_lock(void *), omp_unset_lock(void *);
void omp_destroy_lock(void *);
void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
void GOMP_barrier(void), GOMP_critical_start(void), GOMP_critical_end(void);
void GOMP_task(void (*)(void *), void *, void (*)(void *, void *), long, long, _Bool,
               unsigned, void **, int, void *);
void GOMP_taskwait(void);

static int ran;

static void body(void *data)
{
    (void)data;
    __atomic_store_n(&ran, 1, __ATOMIC_RELAXED);
}

/* Nothing but what each caller of a weak reference may do: test it, then call it. */
static void use(void)
{
    long lock[4] = {0};
    if (omp_set_num_threads)
        omp_set_num_threads(2);
    if (omp_in_parallel && omp_in_parallel())
        puts("in parallel");
    if (omp_get_thread_num && omp_get_thread_num())
        puts("not the first thread");
    if (omp_get_max_threads && omp_get_max_threads() < 1)
        puts("no threads");
    if (omp_init_lock && omp_set_lock && omp_unset_lock && omp_destroy_lock) {
        omp_init_lock(lock);
        omp_set_lock(lock);
        omp_unset_lock(lock);
        omp_destroy_lock(lock);
    }
    if (GOMP_critical_start && GOMP_critical_end) {
        GOMP_critical_start();
        GOMP_critical_end();
    }
    if (GOMP_barrier)
        GOMP_barrier();
    if (GOMP_task)
        GOMP_task(body, NULL, NULL, 0, 1, 1, 0, NULL, 0, NULL);
    if (GOMP_taskwait)
        GOMP_taskwait();
    if (GOMP_parallel)
        GOMP_parallel(body, NULL, 2, 0);
    else
        body(NULL);
}

int main(int argc, char **argv)
{
    (void)argv;
    use();
    puts(ran ? "fine" : "the body did not run");
    fflush(stdout);
    if (argc == 1)
        return 0;
    pid_t child = fork();
    if (child == 0) {
        ran = 0;
        use();
        _exit(ran ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    printf("child %d\n", WEXITSTATUS(status));
    fflush(stdout);
    execv("/proc/self/exe", (char *[]){argv[0], NULL});
    return 2;
}
