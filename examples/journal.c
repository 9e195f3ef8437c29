/* Lines of a journal, one at a time. With an argument a line that is too long is one more line. */
#include <omp.h>
#include <stdio.h>

enum { LONGEST = 40 };

static int lines;

static void note(const char *text, int length)
{
#pragma omp critical(journal)
    {
        if (length > LONGEST)
            note("(shortened)", 11);
        printf("%.*s\n", length < LONGEST ? length : LONGEST, text);
        lines++;
    }
}

int main(int argc, char **argv)
{
    (void)argv;
#pragma omp parallel for num_threads(2) schedule(static, 1)
    for (int i = 0; i < 2; i++)
        note("step", argc > 1 && i == 1 ? 99 : 4);
    return lines == 2 ? 0 : 1;
}
