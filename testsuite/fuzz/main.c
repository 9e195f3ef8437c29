/* SPDX-License-Identifier: MIT
 *
 * The driver without a fuzzing engine, for every compiler that has AddressSanitizer:
 *
 *   fuzz-2 FILE...           runs these inputs; a directory stands for its files
 *   fuzz-2 --random N SEED   runs N inputs of a generator that always gives the same ones,
 *                            half of them seeds with bytes changed
 *   fuzz-2 --endless ...     memory of raw inputs does not run out: the bounds of walks
 *                            are reached
 *   fuzz-2 --seeds DIR       writes the seeds
 *
 * An input that fails is left in fuzz-failed-NAME in the current directory.
 */
#include <dirent.h>
#include <signal.h>
#include <sanitizer/asan_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "seeds.h"

enum { INPUT_MAX = 1 << 16, SECONDS_MAX = 60 };

static unsigned char input[INPUT_MAX];
static size_t input_size;

static void leave_input(void)
{
    char name[64];
    snprintf(name, sizeof name, "fuzz-failed-%s", fuzz_abi.name);
    FILE *file = fopen(name, "wb");
    if (!file)
        return;
    fwrite(input, 1, input_size, file);
    fclose(file);
    fprintf(stderr, "the input is in %s\n", name);
}

static void died(int signal_number)
{
    fprintf(stderr, "signal %d\n", signal_number);
    leave_input();
    _exit(1);
}

static void run(void)
{
    alarm(SECONDS_MAX);
    fuzz_one(input, input_size);
    alarm(0);
}

static bool run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return false;
    }
    input_size = fread(input, 1, sizeof input, file);
    fclose(file);
    run();
    return true;
}

static bool run_path(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
        return run_file(path);
    DIR *directory = opendir(path);
    bool ok = directory;
    while (ok) {
        const struct dirent *entry = readdir(directory);
        if (!entry)
            break;
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.')
            ok = run_file(name);
    }
    if (directory)
        closedir(directory);
    return ok;
}

static uint64_t random_state;

static unsigned random_number(unsigned below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned)((random_state >> 33) % below);
}

static void random_input(void)
{
    input_size = random_number(2) ? 0 : seed_copy(random_number(seed_count()), input);
    unsigned changes = 1 + random_number(24);
    if (!input_size) {
        input_size = 32 + random_number(400);
        for (size_t i = 0; i < input_size; i++)
            input[i] = (unsigned char)random_number(256);
        /* Half of the bytes of a random input would be calls: enough. */
        return;
    }
    while (changes--)
        input[random_number((unsigned)input_size)] = (unsigned char)random_number(256);
}

/* One file each, in a directory that exists. */
static bool write_seeds(const char *directory)
{
    for (unsigned i = 0; i < seed_count(); i++) {
        char name[256], path[4096];
        seed_name(i, name, sizeof name);
        snprintf(path, sizeof path, "%s/%s", directory, name);
        input_size = seed_copy(i, input);
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(input, 1, input_size, file) != input_size || fclose(file) != 0) {
            perror(path);
            return false;
        }
    }
    return true;
}

static void report(void)
{
    printf("# %s: %llu inputs, %llu calls, %llu answered, %llu reads; in one call at most "
           "%u reads, %llu bytes\n",
           fuzz_abi.name, (unsigned long long)fuzz_totals.inputs,
           (unsigned long long)fuzz_totals.calls, (unsigned long long)fuzz_totals.answered,
           (unsigned long long)fuzz_totals.reads, fuzz_totals.reads_max,
           (unsigned long long)fuzz_totals.bytes_max);
}

int main(int argc, char **argv)
{
    signal(SIGABRT, died);
    signal(SIGALRM, died);
    __asan_set_death_callback(leave_input);
    int at = 1;
    if (at < argc && strcmp(argv[at], "--endless") == 0) {
        fuzz_endless = true;
        at++;
    }
    if (at + 1 < argc && strcmp(argv[at], "--seeds") == 0)
        return write_seeds(argv[at + 1]) ? EXIT_SUCCESS : EXIT_FAILURE;
    if (at + 2 < argc && strcmp(argv[at], "--random") == 0) {
        random_state = strtoull(argv[at + 2], NULL, 0);
        for (long n = strtol(argv[at + 1], NULL, 0); n > 0; n--) {
            random_input();
            run();
        }
    } else {
        for (; at < argc; at++) {
            if (!run_path(argv[at]))
                return EXIT_FAILURE;
        }
    }
    report();
    return fuzz_totals.answered ? EXIT_SUCCESS : EXIT_FAILURE;
}
