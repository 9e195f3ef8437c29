/* SPDX-License-Identifier: MIT
 *
 * devices SEED maps at random and says what is mapped. Each line is a device, the host's address, bytes,
 * how often it is mapped or "ever", the copy's address, the function that has mapped it, and 1 if
 * nobody has released it since. Others wait for a device that never answers:
 * "kernel", "spin", which has a processor, and "task", which is a task; "copy" for a page that nobody
 * brings. "error" stores where nothing is. "none" maps nothing, "again" what it has mapped already.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A GPU has no function for it. */
#ifndef PAUSE
#define PAUSE usleep(10000)
#endif

enum { RANGES = 128, OPERATIONS = 1024, LONGEST = 5000, OFTEN = 150 };

static char pool[RANGES * LONGEST];
static struct {
    int device, times;
    size_t first, bytes;
    char *ever; /* the copy that is associated */
    const char *by;
    int is_released;
} range[RANGES];
static volatile int gate;
static int fixed[100];

static void is_mapped(int i, const char *by)
{
    if (!range[i].times++)
        range[i].by = by, range[i].is_released = 0;
}

#define MAPS(name) \
    static __attribute__((noinline)) void name(int i) \
    { \
        size_t first = range[i].first, bytes = range[i].bytes; \
        _Pragma("omp target enter data map(to : pool[first : bytes]) device(range[i].device)") \
        is_mapped(i, #name); \
    }
MAPS(maps)
MAPS(maps_too)

static __attribute__((noinline)) void associates(int i)
{
    range[i].ever = omp_target_alloc(range[i].bytes, range[i].device);
    range[i].by = "associates";
    if (omp_target_associate_ptr(pool + range[i].first, range[i].ever, range[i].bytes, 0,
                                 range[i].device))
        abort();
}

static void change(int i)
{
    int device = range[i].device, way = rand() % 8;
    size_t first = range[i].first, bytes = range[i].bytes;
    if (range[i].ever)
        return;
    if (range[i].times && way < 3) {
#pragma omp target exit data map(release : pool[first : bytes]) device(device)
        range[i].times--;
        range[i].is_released = 1;
    } else if (!range[i].times && !way) {
        associates(i);
    } else if (way % 2) {
        maps(i);
    } else {
        maps_too(i);
    }
}

static void say(int i)
{
    char *p = pool + range[i].first;
    printf("%d %p %zu ", range[i].device, (void *)p, range[i].bytes);
    if (range[i].ever) {
        printf("ever %p %s 0\n", (void *)range[i].ever, range[i].by);
        return;
    }
#pragma omp target data use_device_ptr(p) device(range[i].device)
    printf("%d %p %s %d\n", range[i].times, (void *)p, range[i].by, !range[i].is_released);
}

static void at_random(int seed)
{
    int devices = omp_get_num_devices();
    printf("devices %d\n", devices);
    srand((unsigned)seed);
    for (int i = 0; devices && i < RANGES; i++) {
        range[i].device = rand() % devices;
        range[i].bytes = 1 + (size_t)rand() % (LONGEST / 2);
        range[i].first = (size_t)i * LONGEST + (size_t)rand() % (LONGEST / 2);
    }
    for (int i = 0; devices && i < OPERATIONS; i++)
        change(rand() % RANGES);
    for (int i = 0; i < RANGES; i++)
        if (range[i].times || range[i].ever)
            say(i);
}

static void copy(void)
{
    enum { PAGE = 4096 };
    char *page = aligned_alloc(PAGE, PAGE);
    struct uffdio_api api = {.api = UFFD_API};
    struct uffdio_register wanted = {{(unsigned long)page, PAGE}, UFFDIO_REGISTER_MODE_MISSING, 0};
    int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
    if (ioctl(faults, UFFDIO_API, &api) || ioctl(faults, UFFDIO_REGISTER, &wanted))
        abort();
#pragma omp target enter data map(to : page[:PAGE])
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "none";
    if (atoi(what))
        at_random(atoi(what));
    for (int i = 0; strcmp(what, "again") == 0 && i < OFTEN; i++) {
#pragma omp target enter data map(to : fixed)
    }
    printf("end\n");
    fflush(stdout);
    if (strcmp(what, "kernel") == 0) {
#pragma omp target map(tofrom : fixed)
        while (!gate)
            PAUSE;
    }
    if (strcmp(what, "error") == 0) {
#pragma omp target
        *(volatile int *)sizeof(int) = 0;
    }
    if (strcmp(what, "copy") == 0)
        copy();
    if (strcmp(what, "spin") == 0) {
#pragma omp target map(tofrom : fixed)
        while (!gate)
            fixed[0]++;
    }
    if (strcmp(what, "task") == 0) {
#pragma omp parallel num_threads(2)
#pragma omp single
        {
#pragma omp target nowait map(tofrom : fixed) depend(out : fixed)
            while (!gate)
                PAUSE;
            range[0].bytes = 1;
            maps(0);
#pragma omp task depend(in : fixed)
            fixed[0]++;
#pragma omp taskwait
        }
    }
    getchar();
    return 0;
}
