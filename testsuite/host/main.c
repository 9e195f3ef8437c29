/* SPDX-License-Identifier: MIT
 *
 * ompd-host: prints the OpenMP threads, regions, tasks and ICVs of a process or a core as JSON.
 */
#include "config.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf-image.h"
#include "extension.h"
#include "icv-list.h"
#include "library-file.h"
#include "missed-files.h"
#include "print.h"
#include "session.h"
#include "start.h"

static void usage(FILE *out)
{
    fprintf(out, "Usage: ompd-host [--abi 2|5] [--lib PATH] [--sysroot DIR] PID|CORE\n"
                 "       ompd-host [OPTION...] [--after SECONDS] -- PROGRAM [ARGUMENT...]\n"
                 "Prints the OpenMP threads, parallel regions, tasks and ICVs of a process or a\n"
                 "core, or of a program that it starts under ompd-run and ends afterwards, as\n"
                 "JSON.\n"
                 "  --abi 2|5   speak version 2.000 of the interface (the default), or OpenMP 5.x\n"
                 "  --lib PATH  load this library, not the one that was built with this host\n"
                 "  --sysroot DIR  look for the files of a core there first\n"
                 "  --after SECONDS  let the program run so long before looking at it (1)\n"
                 "Status: 0 done, 1 the target or its library cannot be used, 2 bad usage.\n");
}

static int show(struct target *target, int abi, const char *library)
{
    struct why why = {""};
    int status = 1;
    enum answer answer;
    if (missed_files(target, &why))
        fprintf(stderr, "ompd-host: %s\n", why.text);
    struct session *session = session_open(target, abi, library, &answer, &why);
    struct snapshot *snapshot = session ? snapshot_take(session) : NULL;
    struct icv_list *icvs = snapshot ? icv_list_take(snapshot) : NULL;
    if (!session) {
        fprintf(stderr, "ompd-host: %s\n", why.text);
    } else if (!icvs) {
        fprintf(stderr, "ompd-host: Out of memory.\n");
    } else {
        struct extension extension;
        bool extended = extension_take(session, &extension);
        print_json(stdout, snapshot, icvs, extended ? &extension : NULL);
        extension_free(&extension);
        status = snapshot->threads_answer == ANSWER_OK && fflush(stdout) == 0 ? 0 : 1;
        if (snapshot->threads_answer != ANSWER_OK)
            fprintf(stderr, "ompd-host: The library lists no threads: %s.\n",
                    answer_name(snapshot->threads_answer));
    }
    icv_list_free(icvs);
    snapshot_free(snapshot);
    session_close(session);
    target_close(target);
    return status;
}

static int show_existing(const char *word, int abi, const char *library)
{
    struct why why = {""};
    struct target *target = target_open(word, &why);
    if (target)
        return show(target, abi, library);
    fprintf(stderr, "ompd-host: %s\n", why.text);
    return 1;
}

static int show_started(char **words, double after, int abi, const char *library)
{
    struct why why = {""};
    pid_t pid = start_program(words, after, &why);
    struct target *target = pid ? live_open(pid, &why) : NULL;
    int status = 1;
    if (target)
        status = show(target, abi, library);
    else
        fprintf(stderr, "ompd-host: %s\n", why.text);
    if (pid)
        start_end(pid);
    return status;
}

int main(int argc, char **argv)
{
    enum { ABI = 256, LIB, SYSROOT, AFTER, HELP };
    static const struct option options[] = {{"abi", required_argument, NULL, ABI},
                                            {"lib", required_argument, NULL, LIB},
                                            {"sysroot", required_argument, NULL, SYSROOT},
                                            {"after", required_argument, NULL, AFTER},
                                            {"help", no_argument, NULL, HELP},
                                            {NULL, 0, NULL, 0}};
    int abi = 2;
    const char *library = NULL;
    double after = 1;
    char *end;
    for (int option; (option = getopt_long(argc, argv, "+", options, NULL)) != -1;) {
        switch (option) {
        case ABI:
            if (strcmp(optarg, "2") && strcmp(optarg, "5")) {
                usage(stderr);
                return 2;
            }
            abi = optarg[0] - '0';
            break;
        case LIB:
            library = optarg;
            break;
        case SYSROOT:
            images_sysroot = optarg;
            break;
        case AFTER:
            after = strtod(optarg, &end);
            if (!*optarg || *end || !(after >= 0 && after <= 86400)) {
                usage(stderr);
                return 2;
            }
            break;
        case HELP:
            usage(stdout);
            return 0;
        default:
            usage(stderr);
            return 2;
        }
    }
    char name[LIBRARY_NAME_BYTES];
    struct why why = {""};
    if (library && !library_file(library, name, &why)) {
        fprintf(stderr, "ompd-host: %s is not loaded. %s\n", library, why.text);
        return 1;
    }
    library = library ? name : NULL;
    if (optind < argc && !strcmp(argv[optind - 1], "--"))
        return show_started(argv + optind, after, abi, library);
    if (optind + 1 != argc) {
        usage(stderr);
        return 2;
    }
    return show_existing(argv[optind], abi, library);
}
