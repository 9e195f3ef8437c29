/* The mean of a series: the threads meet at a barrier. With an argument, not all of them. */
#include <omp.h>
#include <stdio.h>

enum { LENGTH = 12 };

static double series[LENGTH], mean;
static int shortest = LENGTH;

static void subtract(int first, int last)
{
    for (int i = first; i < last; i++)
        series[i] -= mean;
}

static void centre(void)
{
    int each = LENGTH / omp_get_num_threads(), first = each * omp_get_thread_num();
    if (first >= shortest)
        return; /* nothing to do here */
    for (int i = first; i < first + each; i++)
#pragma omp atomic
        mean += series[i] / LENGTH;
#pragma omp barrier
    subtract(first, first + each);
}

int main(int argc, char **argv)
{
    (void)argv;
    for (int i = 0; i < LENGTH; i++)
        series[i] = i;
    if (argc > 1)
        shortest = 6;
#pragma omp parallel num_threads(2)
    centre();
    printf("%g\n", series[0]);
    return 0;
}
