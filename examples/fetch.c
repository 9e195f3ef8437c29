/* A task is complete when its answer has arrived, which is reported by an event. With an argument
 * an answer gets lost. */
#include <omp.h>
#include <stdio.h>

static int answers[3];

static void fetch(int which, omp_event_handle_t arrived, int is_lost)
{
    answers[which] = 10 * which;
    if (!is_lost)
        omp_fulfill_event(arrived);
}

int main(int argc, char **argv)
{
    (void)argv;
#pragma omp parallel num_threads(2)
#pragma omp master
    {
        for (int i = 0; i < 3; i++) {
            omp_event_handle_t arrived;
#pragma omp task detach(arrived) firstprivate(i)
            fetch(i, arrived, argc > 1 && i == 1);
        }
#pragma omp taskwait
        printf("%d\n", answers[2]);
    }
    return 0;
}
