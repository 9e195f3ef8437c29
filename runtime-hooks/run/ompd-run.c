/* SPDX-License-Identifier: MIT
 *
 * Runs a program with the hooks preloaded and recording. Only the environment is
 * changed: a program that cannot be recorded runs as without ompd-run.
 */
#include "loader/mark.h"
#include "run/library.h"
#include "run/program.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_USAGE = 2, EXIT_CANNOT_RUN = 127 };

static const char usage[] =
    "Usage: ompd-run [--follow-children] [--history] [--sums] [--orders] [--summary]\n"
    "                [--crash-socket NAME] [--summary-socket NAME] [--] PROGRAM [ARGUMENT]...\n";
static const char help[] =
    "Runs PROGRAM with its OpenMP state recorded for debuggers and tools.\n"
    "\n"
    "  --follow-children  record child processes, too; otherwise the children of a\n"
    "                     program that uses OpenMP run as without ompd-run\n"
    "  --history          keep the last events of each thread: OMP_OMPD=history\n"
    "  --sums             add up times of regions, locks and tasks: OMP_OMPD=sums\n"
    "  --orders           record in which orders locks are acquired: OMP_OMPD=orders\n"
    "  --summary          say on stderr, as the program ends, what they are\n"
    "  --crash-socket NAME  where \"ompd run -watchdog\" listens for crashes\n"
    "  --summary-socket NAME  where \"ompd run -summary\" listens for the end\n"
    "  --help             print this\n"
    "  --version          print the version\n"
    "\n"
    "The exit status is PROGRAM's, 127 if it cannot be run, 2 for a wrong option.\n";

static void __attribute__((format(printf, 1, 2))) report(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fputs("ompd-run: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
}

static void __attribute__((noreturn)) out_of_memory(void)
{
    report("Out of memory.");
    exit(EXIT_CANNOT_RUN);
}

static char *join(const char *first, const char *separator, const char *second)
{
    char *text;
    if (asprintf(&text, "%s%s%s", first, separator, second) < 0)
        out_of_memory();
    return text;
}

static void set(const char *name, const char *value)
{
    if (setenv(name, value, 1) != 0)
        out_of_memory();
}

/* Inside another ompd-run: restores the values that the user had set. */
static void undo(const char *mark)
{
    for (unsigned i = 0; i < MARK_VARIABLES; i++) {
        const struct mark_variable *variable = &mark_variables[i];
        enum mark_change change = mark_change(mark, variable->name);
        const char *value = getenv(variable->name);
        if (!value || change == MARK_UNCHANGED)
            continue;
        char *rest = join(value, "", "");
        mark_remove(variable, rest);
        if (!*rest && change == MARK_CREATED)
            unsetenv(variable->name);
        else
            set(variable->name, rest);
        free(rest);
    }
}

/* What is put in front of a variable's value; NULL: it stays as it is. */
static char *added_to(const struct mark_variable *variable, const struct preload *hooks,
                      unsigned kept)
{
    const char *value = getenv(variable->name);
    if (strcmp(variable->name, "LD_PRELOAD") == 0)
        return join(hooks->name, "", "");
    if (strcmp(variable->name, "LD_LIBRARY_PATH") == 0)
        return hooks->directory ? join(hooks->directory, "/", variable->added) : NULL;
    if (strcmp(variable->name, "OMP_OMPD") == 0)
        return !kept && value && *value ? NULL /* set by the user */
                                        : join(mark_kept[kept], "", "");
    return join(variable->added, "", "");
}

/* What another ompd-run was asked to keep. */
static unsigned kept_by(const char *mark)
{
    const char *value = getenv("OMP_OMPD");
    unsigned kept = value && mark_change(mark, "OMP_OMPD") != MARK_UNCHANGED ? KEEPS_ALL : 0;
    size_t length = kept ? strcspn(value, ":") : 0;
    while (kept &&
           (length != strlen(mark_kept[kept]) || memcmp(value, mark_kept[kept], length) != 0))
        kept--;
    return kept;
}

/* Who looks at the program as it ends, or crashes: names of sockets, or NULL. */
static const char *const prefixes[] = {MARK_SUMMARY, MARK_WATCHDOG};
enum { SUMMARY, WATCHDOG, SOCKETS };

static void prepare(const struct preload *hooks, bool follow, unsigned kept, const char **sockets)
{
    const char *outer = getenv(MARK);
    for (unsigned i = 0; i < SOCKETS; i++)
        if (!sockets[i] && outer)
            sockets[i] = mark_socket(outer, prefixes[i]);
    kept |= outer ? kept_by(outer) : 0;
    if (outer)
        undo(outer);
    follow |= outer && strncmp(outer, MARK_FOLLOW, strlen(MARK_FOLLOW)) == 0;
    char *mark = join(follow ? MARK_FOLLOW : MARK_RESTORE, "", "");
    for (unsigned i = 0; i < MARK_VARIABLES; i++) {
        const char *name = mark_variables[i].name, *value = getenv(name);
        char *added = added_to(&mark_variables[i], hooks, kept);
        if (!added)
            continue;
        char *longer = join(mark, value ? ",+" : ",", name);
        char *all = join(added, value && *value ? ":" : "", value ? value : "");
        set(name, all);
        free(added);
        free(all);
        free(mark);
        mark = longer;
    }
    for (unsigned i = 0; i < SOCKETS; i++) {
        char *longer = sockets[i] ? join(mark, prefixes[i], sockets[i]) : join(mark, "", "");
        free(mark);
        mark = longer;
    }
    set(MARK, mark);
    free(mark);
}

/* False if no library of the list can be opened from here. Of the other ELF class one
 * without a slash in its name may be: the dynamic linker searches for it. */
static bool may_open_one(const char *list, bool is_32bit)
{
    bool is_own_class = is_32bit == (sizeof(void *) == 4);
    char *copy = join(list, "", ""), *rest = copy;
    bool found = false;
    for (char *name; !found && (name = strsep(&rest, ":"));) {
        if (is_own_class)
            found = *name && library_is_there(name);
        else
            found = *name && (!strchr(name, '/') || access(name, R_OK) == 0);
    }
    free(copy);
    return found;
}

static void warn_unrecorded(const char *name, const struct program *program)
{
    const char *tools = getenv("OMP_TOOL_LIBRARIES");
    if (program->is_static)
        report("%s is linked statically, so nothing is recorded in it.", name);
    else if (program->is_secure)
        report("%s gains privileges on execution (set-user-ID, set-group-ID or "
               "capabilities), so nothing is recorded in it.",
               name);
    if (tools && *tools && !may_open_one(tools, program->is_32bit))
        report("No library of OMP_TOOL_LIBRARIES can be opened from here: %s.", tools);
}

/* `ompd run` with the same options, which calls this program without --summary. */
static void become_command(int argc, char **argv)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - sizeof("/ompd"));
    char **words = calloc((size_t)argc + 2, sizeof(*words)), run[] = "run";
    if (!words)
        out_of_memory();
    while (length > 0 && path[length - 1] != '/')
        length--;
    strcpy(path + (length > 0 ? length : 0), "ompd");
    words[0] = path;
    words[1] = run;
    memcpy(words + 2, argv + 1, (size_t)(argc - 1) * sizeof(*words));
    execv(path, words);
    report("There is no summary: %s cannot be run: %s.", path, strerror(errno));
    free(words);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"help", no_argument, NULL, 'h'},    {"follow-children", no_argument, NULL, 'f'},
        {"history", no_argument, NULL, 'r'}, {"sums", no_argument, NULL, 's'},
        {"orders", no_argument, NULL, 'o'},  {"crash-socket", required_argument, NULL, 'w'},
        {"summary", no_argument, NULL, 'e'}, {"summary-socket", required_argument, NULL, 'x'},
        {"version", no_argument, NULL, 'v'}, {0}};
    bool follow = false;
    unsigned kept = 0;
    const char *sockets[SOCKETS] = {NULL};
    bool summary = false;
    opterr = 0;
    for (int option, at = 1; (option = getopt_long(argc, argv, "+h", options, NULL)) != -1;
         at = optind) {
        switch (option) {
        case 'f':
            follow = true;
            break;
        case 'r':
            kept |= KEEPS_HISTORY;
            break;
        case 's':
            kept |= KEEPS_SUMS;
            break;
        case 'o':
            kept |= KEEPS_ORDERS;
            break;
        case 'w':
            sockets[WATCHDOG] = optarg;
            break;
        case 'x':
            sockets[SUMMARY] = optarg;
            kept |= KEEPS_SUMS;
            break;
        case 'e':
            summary = true;
            break;
        case 'h':
            printf("%s%s", usage, help);
            return EXIT_SUCCESS;
        case 'v':
            puts("ompd-run " OMPD_VERSION);
            return EXIT_SUCCESS;
        default:
            report("There is no option %s.", argv[at]);
            fputs(usage, stderr);
            return EXIT_USAGE;
        }
    }
    if (optind == argc) {
        report("No program is given.");
        fputs(usage, stderr);
        return EXIT_USAGE;
    }

    if (summary)
        become_command(argc, argv);

    char **command = argv + optind;
    struct program program;
    struct preload hooks;
    if (program_find(command[0], &program)) {
        if (library_find(&program, &hooks)) {
            warn_unrecorded(command[0], &program);
            prepare(&hooks, follow, kept, sockets);
        } else {
            report("%s", hooks.text);
        }
        /* execvp() hands what the kernel refuses to a shell, also programs of other machines. */
        if (program.is_elf)
            execv(program.path, command);
        else
            execvp(command[0], command);
    }
    int error = errno;
    if (error == ENOENT && !strchr(command[0], '/') && access(command[0], X_OK) == 0)
        report("%1$s cannot be run: %2$s, but ./%1$s is here.", command[0], strerror(error));
    else
        report("%s cannot be run: %s.", command[0], strerror(error));
    return EXIT_CANNOT_RUN;
}
