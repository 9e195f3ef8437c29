/* SPDX-License-Identifier: MIT
 *
 * Bodies that clang gives no names: of instances of a template, of a lambda, of a task and of
 * regions in one another. What comes to stop() says by its number where it comes from.
 */
static volatile int hits;

__attribute__((noinline)) void stop(int number)
{
    hits += number; /* mark: stop */
}

template <class T> __attribute__((noinline)) void relax(T number)
{
#pragma omp parallel num_threads(2) /* mark: template */
    {
        stop(static_cast<int>(number));
        hits++; /* no jump instead of a call */
    }
}

__attribute__((noinline)) static void later(int number)
{
#pragma omp task firstprivate(number) if (0) /* mark: task */
    {
        stop(number);
        hits++;
    }
}

__attribute__((noinline)) static void nested(int number)
{
#pragma omp parallel num_threads(2)
    {
        hits++;
#pragma omp parallel num_threads(1) /* mark: inner */
        {
            stop(number);
            hits++;
        }
    }
}

__attribute__((noinline)) static void inside(int number)
{
#pragma omp parallel num_threads(2)
    {
        hits++;
#pragma omp task firstprivate(number) if (0) /* mark: undeferred */
        {
            stop(number);
            hits++;
        }
        hits++;
    }
}

__attribute__((noinline)) static void alone(int number)
{
#pragma omp parallel if (number == 0) /* mark: alone */
    {
        stop(number);
        hits++;
    }
}

int main()
{
    relax(1);
    relax(2.0);
    auto region = [](int number) {
#pragma omp parallel num_threads(2) /* mark: lambda */
        {
            stop(number);
            hits++;
        }
    };
    region(3);
    later(4);
    nested(5);
    inside(6);
    alone(7);
    return 0;
}
