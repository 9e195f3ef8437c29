/* SPDX-License-Identifier: MIT
 *
 * Threads by libthread_db, with the thread pointer as the fallback.
 */
#include "config.h"

#include <stdlib.h>
#include <thread_db.h>

#include "elf-image.h"
#include "proc-service.h"
#include "registers.h"
#include "target.h"
#include "threads.h"

struct thread_db {
    struct ps_prochandle process;
    td_thragent_t *agent; /* NULL: libthread_db does not know this target */
};

static struct thread_db *thread_db_create(struct target *target)
{
    struct thread_db *db = calloc(1, sizeof *db);
    if (!db)
        return NULL;
    proc_service_init(&db->process, target);
    if (td_init() != TD_OK || td_ta_new(&db->process, &db->agent) != TD_OK)
        db->agent = NULL;
    return db;
}

void thread_db_destroy(struct thread_db *db)
{
    if (db && db->agent)
        td_ta_delete(db->agent);
    free(db);
}

bool threads_known(const struct target *target)
{
    return target->thread_db && target->thread_db->agent;
}

/* Thread by thread instead of by libthread_db's own walk: that follows lists in the target
 * and ends only when they do. */
static bool by_thread_db(struct target *target, struct lwp *lwp)
{
    td_thrhandle_t thread;
    td_thrinfo_t info;
    if (!threads_known(target) ||
        td_ta_map_lwp2thr(target->thread_db->agent, lwp->lwp, &thread) != TD_OK ||
        td_thr_get_info(&thread, &info) != TD_OK || info.ti_lid != lwp->lwp)
        return false;
    lwp->pthread = info.ti_tid;
    return true;
}

/* The descriptor stands at the thread pointer, on aarch64 right before it. */
static uint64_t pthread_of(struct target *target, uint64_t pointer)
{
    struct symbol symbol;
    uint32_t size;
    if (target->machine != EM_AARCH64)
        return pointer;
    if (!images_symbol(target, NULL, "_thread_db_sizeof_pthread", &symbol) ||
        target_read(target, symbol.address, &size, sizeof size) || size > pointer)
        return 0;
    return pointer - size;
}

void threads_refresh(struct target *target)
{
    /* libthread_db knows the structures of this program's own C library only. */
    if (target->word_size == sizeof(void *) && !target_is_foreign(target) &&
        !threads_known(target)) {
        /* libpthread may have been loaded meanwhile. */
        thread_db_destroy(target->thread_db);
        target->thread_db = thread_db_create(target);
    }
    for (size_t i = 0; i < target->lwp_count; i++) {
        struct lwp *lwp = &target->lwps[i];
        uint64_t pointer;
        if (!by_thread_db(target, lwp) && lwp_thread_pointer(lwp, &pointer))
            lwp->pthread = pthread_of(target, pointer);
    }
}

bool thread_local_address(struct target *target, pid_t lwp, const struct symbol *symbol,
                          uint64_t *address)
{
    td_thrhandle_t thread;
    psaddr_t found;
    uint64_t map = threads_known(target) ? image_link_map(target, symbol->image) : 0;
    if (!map || td_ta_map_lwp2thr(target->thread_db->agent, lwp, &thread) != TD_OK ||
        td_thr_tls_get_addr(&thread, (psaddr_t)(uintptr_t)map, symbol->address, &found) != TD_OK)
        return false;
    *address = (uintptr_t)found;
    return true;
}
