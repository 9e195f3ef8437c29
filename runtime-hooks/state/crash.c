/* SPDX-License-Identifier: MIT
 *
 * Where a signal has its default action, and that ends the program, a handler of ours runs in its
 * place. It connects to a socket of the watchdog, which stops all threads as soon as it sees that,
 * and closes the connection. Then the signal is raised anew, with what the kernel had said of it and
 * where it had come, and has its default action: status and core are as without the handler. The
 * program's own handlers replace ours, and sigaction() and signal() (loader/signals.c) say that there
 * is none. A handler calls system calls alone.
 */
#include "state/crash.h"
#include "records/memory.h"

#include <errno.h>
#include <linux/prctl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define STACK_SIZE ((size_t)256 * 1024) /* a handler of the program may run on it, too */
#define PAUSE_NS 1000000

static const int fatal[] = {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL};
#define FATAL (sizeof(fatal) / sizeof(fatal[0]))

static struct peer watchdog;
static action_fn *real_action;
static bool watching;
static pid_t crashing; /* the process in which a handler waits; a child has a copy */

static const struct sigaction by_default; /* SIG_DFL */

/* Which process it comes from, the kernel says to the peer; the thread is a number in the process's own
 * namespace. */
void peer_await(const struct peer *to, int most)
{
    const struct timeval limit = {.tv_sec = most};
    int end = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct ucred peer;
    socklen_t size = sizeof(peer);
    int32_t thread = (int32_t)syscall(SYS_gettid);
    char nothing;
    if (end < 0)
        return;
    if (setsockopt(end, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) == 0 &&
        connect(end, (const struct sockaddr *)&to->address, to->size) == 0 &&
        getsockopt(end, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0) {
        syscall(SYS_prctl, PR_SET_PTRACER, peer.pid, 0, 0, 0);
        if (send(end, &thread, sizeof(thread), MSG_NOSIGNAL) == sizeof(thread))
            while (recv(end, &nothing, sizeof(nothing), 0) < 0 && errno == EINTR)
                continue;
    }
    close(end);
}

static void crashed(int number, siginfo_t *info, void *context)
{
    (void)context;
    int saved_errno = errno;
    pid_t process = getpid();
    __atomic_store_n(&crashing, process, __ATOMIC_RELEASE);
    peer_await(&watchdog, 0);
    real_action(number, &by_default, NULL);
    if (syscall(SYS_rt_tgsigqueueinfo, process, syscall(SYS_gettid), number, info) != 0)
        syscall(SYS_tgkill, process, syscall(SYS_gettid), number);
    __atomic_store_n(&crashing, 0, __ATOMIC_RELEASE);
    errno = saved_errno; /* the signal comes when this returns */
}

/* A thread that calls exit() meanwhile does not end the program with another status. Nothing is called
 * where none waits: the program may forbid itself system calls. */
static void __attribute__((destructor)) await_crash(void)
{
    const struct timespec pause = {0, PAUSE_NS};
    pid_t process;
    while ((process = __atomic_load_n(&crashing, __ATOMIC_ACQUIRE)) && process == getpid())
        nanosleep(&pause, NULL);
}

void peer_name(struct peer *peer, const char *name)
{
    size_t length = name ? strcspn(name, ",") : 0;
    if (length == 0 || length >= sizeof(peer->address.sun_path))
        return;
    peer->address.sun_family = AF_UNIX;
    memcpy(peer->address.sun_path + 1, name, length); /* an abstract one begins with 0 */
    peer->size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
}

void crash_start(action_fn *real, const char *name)
{
    real_action = real;
    if (real)
        peer_name(&watchdog, name);
}

static bool is_ours(const struct sigaction *action)
{
    return action->sa_flags & SA_SIGINFO && action->sa_sigaction == crashed;
}

/* The action of `from` becomes that of `to`. */
static void replace_all(const struct sigaction *from, const struct sigaction *to)
{
    for (unsigned i = 0; i < FATAL; i++) {
        struct sigaction now;
        if (real_action(fatal[i], NULL, &now) == 0 && now.sa_handler == from->sa_handler)
            real_action(fatal[i], to, NULL);
    }
}

static struct sigaction ours(void)
{
    struct sigaction action = {.sa_sigaction = crashed, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigfillset(&action.sa_mask);
    return action;
}

void crash_watch(void)
{
    const struct sigaction action = ours();
    if (watchdog.size == 0 || __atomic_exchange_n(&watching, true, __ATOMIC_ACQ_REL))
        return;
    replace_all(&by_default, &action);
}

void crash_unwatch(void)
{
    const struct sigaction action = ours();
    if (__atomic_exchange_n(&watching, false, __ATOMIC_ACQ_REL))
        replace_all(&action, &by_default);
}

void crash_thread_start(void **stack)
{
    stack_t now;
    if (!__atomic_load_n(&watching, __ATOMIC_ACQUIRE) || sigaltstack(NULL, &now) != 0 ||
        !(now.ss_flags & SS_DISABLE))
        return;
    if (!*stack)
        *stack = memory_pages(STACK_SIZE);
    const stack_t wanted = {.ss_sp = *stack, .ss_size = STACK_SIZE};
    if (*stack)
        sigaltstack(&wanted, NULL);
}

void crash_thread_end(const void *stack)
{
    const stack_t none = {.ss_flags = SS_DISABLE};
    stack_t now;
    if (stack && sigaltstack(NULL, &now) == 0 && now.ss_sp == stack)
        sigaltstack(&none, NULL);
}

bool crash_hides(int number)
{
    bool found = false;
    for (unsigned i = 0; i < FATAL; i++)
        found |= number == fatal[i];
    return found && __atomic_load_n(&watching, __ATOMIC_ACQUIRE);
}

int crash_action(int number, const struct sigaction *wanted, struct sigaction *before)
{
    const struct sigaction action = ours();
    bool is_default = wanted && wanted->sa_handler == SIG_DFL && crash_hides(number);
    int result = real_action(number, is_default ? &action : wanted, before);
    if (result == 0 && before && is_ours(before))
        *before = by_default;
    return result;
}
