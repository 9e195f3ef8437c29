/* SPDX-License-Identifier: MIT
 *
 * Code pointers lie in the code of the program, frames on the thread's stack.
 */
#include "checker.h"

#include <dlfcn.h>
#include <string.h>

enum { REMEMBERED = 256 };

static bool of_program(const void *codeptr)
{
    static const char *const runtimes[] = {"/libgomp.so", "/libomp.so", "/libomp5.so",
                                           "/libompd-hooks.so"};
    Dl_info info;
    if (!dladdr(codeptr, &info) || !info.dli_fname)
        return false;
    for (unsigned i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++)
        if (strstr(info.dli_fname, runtimes[i]))
            return false;
    return true;
}

void check_code(const char *event, const void *codeptr)
{
    static _Thread_local const void *known[REMEMBERED];
    const void **slot = &known[(uintptr_t)codeptr / 4 % REMEMBERED];
    if (codeptr && *slot == codeptr)
        return;
    if (!codeptr || !of_program(codeptr)) {
        Dl_info info = {0};
        dladdr(codeptr, &info);
        contradiction("code", event, "codeptr_ra is %p, in %s", codeptr,
                      info.dli_fname ? info.dli_fname : "nothing");
        return;
    }
    *slot = codeptr;
}

void stack_bounds(struct thread *thread)
{
    pthread_attr_t attributes;
    void *base;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attributes))
        return;
    if (!pthread_attr_getstack(&attributes, &base, &size)) {
        thread->low = (uintptr_t)base;
        thread->high = (uintptr_t)base + size;
    }
    pthread_attr_destroy(&attributes);
}

static void check_address(const char *event, const char *what, const void *address,
                          int flags)
{
    uintptr_t place = (uintptr_t)address, here = (uintptr_t)__builtin_frame_address(0);
    if (!address)
        return;
    /* A task may run on a stack that the program made, and its frame may be a guest's. */
    if (here >= me->low && here < me->high && (place < here || place > me->high))
        contradiction("frame", event, "%s frame %p is not between %p and %p", what,
                      address, (void *)here, (void *)me->high);
    int kind = flags & 0xf0;
    if (kind != ompt_frame_cfa && kind != ompt_frame_framepointer &&
        kind != ompt_frame_stackaddress)
        contradiction("frame_flags", event, "%s frame has flags %x", what,
                      (unsigned)flags);
}

/* The frames of a task of this thread; `entered`: it is inside the runtime. */
void check_frame(const char *event, const ompt_frame_t *frame, bool entered)
{
    if (!frame) {
        contradiction("frame", event, "there is none");
        return;
    }
    check_address(event, "enter", frame->enter_frame.ptr, frame->enter_frame_flags);
    check_address(event, "exit", frame->exit_frame.ptr, frame->exit_frame_flags);
    if (entered && !frame->enter_frame.ptr)
        contradiction("frame_enter", event,
                      "the task has entered and has no enter frame");
    if (frame->enter_frame.ptr && frame->exit_frame.ptr &&
        (uintptr_t)frame->enter_frame.ptr > (uintptr_t)frame->exit_frame.ptr)
        contradiction("frame_order", event, "it enters at %p, below its beginning at %p",
                      frame->enter_frame.ptr, frame->exit_frame.ptr);
}
