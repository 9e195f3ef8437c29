/* SPDX-License-Identifier: MIT
 *
 * Callbacks that differ between the two interfaces in names alone, as rows of the core's
 * target_ops. Each interface has `callbacks`, a copy of the debugger's table.
 */
#ifndef LIBOMPD_CALLBACKS_H
#define LIBOMPD_CALLBACKS_H

/* A debugger that cannot free has no remedy that we could offer. */
#define CALLBACKS_OF_MEMORY(allocate, free)                                                        \
    static enum rc alloc_memory(size_t bytes, void **out)                                          \
    {                                                                                              \
        void *memory = NULL;                                                                       \
        if (callbacks.allocate(bytes, &memory) != ompd_rc_ok || !memory)                           \
            return RC_NOMEM;                                                                       \
        *out = memory;                                                                             \
        return RC_OK;                                                                              \
    }                                                                                              \
    static void free_memory(void *memory)                                                          \
    {                                                                                              \
        (void)callbacks.free(memory);                                                              \
    }

/* What the symbol callback has answered. Neither document names a code for a symbol that does not
 * exist; a target that cannot be read and a debugger without memory are the two failures that
 * mean something else. */
#define CALLBACK_SYMBOL(read_error)                                                                \
    static enum rc symbol_found(ompd_rc_t rc, const ompd_address_t *address, taddr *out)           \
    {                                                                                              \
        if (rc == ompd_rc_ok)                                                                      \
            *out = address->address;                                                               \
        return rc == ompd_rc_ok      ? RC_OK                                                       \
               : rc == read_error    ? RC_READ_ERROR                                               \
               : rc == ompd_rc_nomem ? RC_NOMEM                                                    \
                                     : RC_UNAVAILABLE;                                             \
    }

/* Debuggers use either code for an id that is none. */
#define CALLBACK_HAS_THREAD(get_context, lwp_kind)                                                 \
    static enum rc has_thread(void *context, size_t bytes, const void *lwp)                        \
    {                                                                                              \
        ompd_thread_context_t *thread = NULL;                                                      \
        if (!callbacks.get_context)                                                                \
            return RC_UNSUPPORTED;                                                                 \
        switch (callbacks.get_context(context, lwp_kind, bytes, lwp, &thread)) {                   \
        case ompd_rc_ok:                                                                           \
            return RC_OK;                                                                          \
        case ompd_rc_bad_input:                                                                    \
        case ompd_rc_unavailable:                                                                  \
            return RC_UNAVAILABLE;                                                                 \
        default:                                                                                   \
            return RC_UNSUPPORTED;                                                                 \
        }                                                                                          \
    }

#endif
