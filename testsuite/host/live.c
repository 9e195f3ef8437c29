/* SPDX-License-Identifier: MIT
 *
 * A live process. Stopping seizes and interrupts every thread until no new one appears;
 * resuming detaches from all, so between two stops the process runs untraced and nothing
 * of its signals or system calls is disturbed. Memory goes through /proc/PID/mem.
 */
#define _GNU_SOURCE
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <elf.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "elf-image.h"
#include "target.h"

enum {
    STOP_TIMEOUT_MS = 10000,
    REAP_TIMEOUT_MS = 2000,
    STEP_TIMEOUT_MS = 20, /* no instruction but a system call that waits takes so long */
    SEIZE_ROUNDS = 1000,  /* a program that spawns faster than we list is not stoppable */
};

struct live {
    pid_t pid;
    int mem;
    pid_t *seized;
    int *signals; /* to deliver when it runs on, one per seized thread */
    size_t seized_count, seized_room;
};

static int live_read(struct target *target, uint64_t address, void *buffer, size_t length)
{
    struct live *live = target->state;
    if (address > INT64_MAX)
        return EFAULT;
    char *to = buffer;
    while (length > 0) {
        ssize_t n = pread(live->mem, to, length, (off_t)address);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        if (n == 0) /* the address space is gone */
            return ESRCH;
        to += n;
        address += (uint64_t)n;
        length -= (size_t)n;
    }
    return 0;
}

static int live_write(struct target *target, uint64_t address, const void *buffer, size_t length)
{
    struct live *live = target->state;
    if (address > INT64_MAX)
        return EFAULT;
    ssize_t n = pwrite(live->mem, buffer, length, (off_t)address);
    return n < 0 ? errno : (size_t)n == length ? 0 : EIO;
}

/* The state letter of /proc/PID/task/TID/stat, or 'X' when the thread is gone. */
static char task_state(pid_t pid, pid_t tid)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)pid, (int)tid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 'X';
    ssize_t n = read(fd, line, sizeof line - 1);
    close(fd);
    if (n <= 0)
        return 'X';
    line[n] = 0;
    /* The command name may hold anything, a parenthesis too. */
    const char *end = strrchr(line, ')');
    return end && end[1] == ' ' && end[2] ? end[2] : 'X';
}

static bool is_seized(const struct live *live, pid_t tid)
{
    for (size_t i = 0; i < live->seized_count; i++)
        if (live->seized[i] == tid)
            return true;
    return false;
}

static bool add_seized(struct live *live, pid_t tid, int signal)
{
    if (live->seized_count == live->seized_room) {
        size_t room = live->seized_room ? 2 * live->seized_room : 64;
        pid_t *seized = realloc(live->seized, room * sizeof *seized);
        if (!seized)
            return false;
        live->seized = seized;
        int *signals = realloc(live->signals, room * sizeof *signals);
        if (!signals)
            return false;
        live->signals = signals;
        live->seized_room = room;
    }
    live->seized[live->seized_count] = tid;
    live->signals[live->seized_count++] = signal;
    return true;
}

/* Waits until a seized thread has stopped. *signal is the one it was about to receive.
 * False when it ended instead. A leader that ended before its threads never reports, so
 * this asks instead of blocking. */
static bool wait_stopped(pid_t pid, pid_t tid, int milliseconds, int *signal)
{
    *signal = 0;
    for (int spins = 0;; spins++) {
        int status;
        pid_t got = waitpid(tid, &status, __WALL | WNOHANG);
        if (got == tid) {
            if (!WIFSTOPPED(status))
                return false;
            if (status >> 16 == 0) /* no event: stopped on its way to a signal handler */
                *signal = WSTOPSIG(status);
            return true;
        }
        if (got < 0 && errno != EINTR)
            return false;
        if (spins < 50) {
            sched_yield();
            continue;
        }
        char state = task_state(pid, tid);
        if (state == 'Z' || state == 'X' || spins > 50 + milliseconds * 5)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
}

/* Seizes the threads that are listed and not held yet. Returns how many were new, -1 when
 * the kernel refuses. */
static int seize_round(struct live *live, struct why *why)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)live->pid);
    DIR *dir = opendir(path);
    if (!dir) {
        why_set(why, "There is no process %d.", (int)live->pid);
        return -1;
    }
    int fresh = 0, result = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (tid <= 0 || is_seized(live, tid))
            continue;
        char state = task_state(live->pid, tid);
        if (state == 'Z' || state == 'X')
            continue;
        if (ptrace(PTRACE_SEIZE, tid, 0, 0) < 0) {
            if (errno == ESRCH)
                continue;
            /* An ending leader refuses with EPERM as well. */
            int error = errno;
            state = task_state(live->pid, tid);
            if (state == 'Z' || state == 'X')
                continue;
            why_set(why, "Process %d cannot be attached: %s.%s", (int)live->pid, strerror(error),
                    error == EPERM ? " Is another debugger attached, or is it another "
                                     "user's process?"
                                   : "");
            result = -1;
            break;
        }
        int signal;
        if (ptrace(PTRACE_INTERRUPT, tid, 0, 0) < 0 ||
            !wait_stopped(live->pid, tid, STOP_TIMEOUT_MS, &signal))
            continue;
        if (!add_seized(live, tid, signal)) {
            why_set(why, "Out of memory.");
            result = -1;
            break;
        }
        fresh++;
    }
    closedir(dir);
    return result < 0 ? result : fresh;
}

/* Threads that were killed while they were held: their process stays until the tracer has
 * seen each of them end, the leader last. Killed is not yet ended. */
static void reap(pid_t *threads, size_t count)
{
    for (int spins = 0; count > 0 && spins < REAP_TIMEOUT_MS; spins++) {
        for (size_t i = 0; i < count;) {
            if (waitpid(threads[i], NULL, __WALL | WNOHANG) != 0)
                threads[i] = threads[--count];
            else
                i++;
        }
        if (count > 0)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

static bool live_resume(struct target *target, struct why *why)
{
    (void)why;
    struct live *live = target->state;
    size_t ending = 0;
    for (size_t i = 0; i < live->seized_count; i++)
        if (ptrace(PTRACE_DETACH, live->seized[i], 0, (void *)(intptr_t)live->signals[i]) < 0)
            live->seized[ending++] = live->seized[i];
    reap(live->seized, ending);
    live->seized_count = 0;
    return true;
}

static bool read_registers(struct lwp *lwp)
{
    struct iovec io = {.iov_base = &lwp->registers, .iov_len = sizeof lwp->registers};
    lwp->has_registers = ptrace(PTRACE_GETREGSET, lwp->lwp, NT_PRSTATUS, &io) == 0 &&
                         io.iov_len == sizeof lwp->registers;
    return lwp->has_registers;
}

/* Whether a trap from stepping is still to be delivered. It would kill the process once it
 * is let go. */
static bool trap_pending(pid_t tid)
{
    struct __ptrace_peeksiginfo_args from = {.nr = 1};
    siginfo_t info;
    for (; ptrace(PTRACE_PEEKSIGINFO, tid, &from, &info) == 1; from.off++)
        if (info.si_signo == SIGTRAP)
            return true;
    return false;
}

static enum step_result live_step(struct target *target, struct lwp *lwp)
{
    struct live *live = target->state;
    size_t i = 0;
    while (i < live->seized_count && live->seized[i] != lwp->lwp)
        i++;
    if (i == live->seized_count ||
        ptrace(PTRACE_SINGLESTEP, lwp->lwp, 0, (void *)(intptr_t)live->signals[i]) < 0)
        return STEP_GONE;
    int signal;
    enum step_result result = STEP_DONE;
    if (!wait_stopped(live->pid, lwp->lwp, STEP_TIMEOUT_MS, &signal)) {
        result = STEP_BLOCKED;
        if (ptrace(PTRACE_INTERRUPT, lwp->lwp, 0, 0) < 0 ||
            !wait_stopped(live->pid, lwp->lwp, STOP_TIMEOUT_MS, &signal))
            return STEP_GONE;
        if (signal == 0 && trap_pending(lwp->lwp) &&
            (ptrace(PTRACE_CONT, lwp->lwp, 0, 0) < 0 ||
             !wait_stopped(live->pid, lwp->lwp, STOP_TIMEOUT_MS, &signal)))
            return STEP_GONE;
    }
    live->signals[i] = signal == SIGTRAP ? 0 : signal;
    return read_registers(lwp) ? result : STEP_GONE;
}

static bool read_lwps(struct target *target, struct why *why)
{
    struct live *live = target->state;
    for (size_t i = 0; i < live->seized_count; i++) {
        struct lwp *lwp = target_add_lwp(target, live->seized[i]);
        if (!lwp)
            return why_set(why, "Out of memory.");
        read_registers(lwp);
    }
    return true;
}

static bool read_mappings(struct target *target, struct why *why)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)target->pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return why_set(why, "There is no process %d.", (int)target->pid);
    char *line = NULL;
    size_t room = 0;
    bool ok = true;
    while (ok && getline(&line, &room, file) > 0) {
        struct mapping m = {0};
        unsigned major, minor;
        int name = 0;
        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %x:%x %" SCNu64 " %n", &m.start,
                   &m.end, &m.offset, &major, &minor, &m.inode, &name) < 6 ||
            name == 0 || line[name] != '/')
            continue;
        m.device = (uint64_t)major << 32 | minor;
        m.path = line + name;
        ok = target_add_mapping(target, &m);
    }
    free(line);
    fclose(file);
    return ok ? true : why_set(why, "Out of memory.");
}

/* AT_PHDR of /proc/PID/auxv; without it the first image counts as the program. */
static void read_auxv(struct target *target)
{
    char path[64], bytes[16];
    uint64_t pair[2];
    snprintf(path, sizeof path, "/proc/%d/auxv", (int)target->pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    for (int i = 0; i < 256 && fread(bytes, 2 * target->word_size, 1, file) == 1; i++) {
        target_decode_words(target, bytes, 2, pair);
        if (pair[0] == AT_NULL)
            break;
        if (pair[0] == AT_PHDR)
            target->program_headers = pair[1];
    }
    fclose(file);
}

/* The program's own class and machine, which may change when it executes another. What
 * qemu-user emulates has its memory at the addresses that it believes in, unless qemu was
 * asked for something else, and each of its threads is one of qemu's; but the registers are
 * those of the emulation. */
static void read_class(struct target *target)
{
    char path[64], name[4096];
    Elf32_Ehdr head; /* as far as both classes are the same */
    snprintf(path, sizeof path, "/proc/%d/exe", (int)target->pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && read(fd, &head, sizeof head) == sizeof head) {
        target->word_size = head.e_ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
        target->machine = head.e_machine;
    }
    if (fd >= 0)
        close(fd);
    ssize_t length = readlink(path, name, sizeof name - 1);
    name[length > 0 ? length : 0] = '\0';
    const char *slash = strrchr(name, '/');
    if (slash && !strncmp(slash, "/qemu-aarch64", 13))
        target->machine = EM_AARCH64;
    for (size_t i = 0; target_is_foreign(target) && i < target->lwp_count; i++)
        target->lwps[i].has_registers = false;
}

static bool live_stop(struct target *target, struct why *why)
{
    struct live *live = target->state;
    /* While threads end, a listing of /proc/PID/task may leave out others: one round
     * without news proves nothing, two do, because only stopped threads ran between. */
    int fresh = 0;
    for (int round = 0, quiet = 0; fresh >= 0 && quiet < 2; round++) {
        fresh = seize_round(live, why);
        quiet = fresh == 0 ? quiet + 1 : 0;
        if (round == SEIZE_ROUNDS) {
            why_set(why, "Process %d makes threads faster than they can be stopped.",
                    (int)live->pid);
            fresh = -1;
        }
    }
    if (fresh < 0) {
        live_resume(target, why);
        return false;
    }
    target_forget_lists(target);
    if (live->seized_count == 0)
        return why_set(why, "Process %d has ended.", (int)live->pid);
    if (!read_lwps(target, why) || !read_mappings(target, why)) {
        live_resume(target, why);
        return false;
    }
    read_class(target);
    read_auxv(target);
    if (!images_refresh(target))
        return why_set(why, "Out of memory.");
    return true;
}

static void live_close(struct target *target)
{
    struct live *live = target->state;
    live_resume(target, NULL);
    close(live->mem);
    free(live->seized);
    free(live->signals);
    free(live);
}

static const struct target_ops live_ops = {
    .kind = "process",
    .read = live_read,
    .read_held = live_read,
    .write = live_write,
    .stop = live_stop,
    .resume = live_resume,
    .step = live_step,
    .close = live_close,
};

struct target *live_open(pid_t pid, struct why *why)
{
    struct live *live = calloc(1, sizeof *live);
    struct target *target = live ? target_new(&live_ops, live) : NULL;
    if (!target) {
        free(live);
        why_set(why, "Out of memory.");
        return NULL;
    }
    live->pid = target->pid = pid;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
    live->mem = open(path, O_RDWR | O_CLOEXEC);
    if (live->mem < 0) {
        if (errno == ENOENT)
            why_set(why, "There is no process %d.", (int)pid);
        else
            why_set(why, "The memory of process %d cannot be read: %s.", (int)pid, strerror(errno));
        target_close(target);
        return NULL;
    }
    if (!target_stop(target, why)) {
        target_close(target);
        return NULL;
    }
    return target;
}
