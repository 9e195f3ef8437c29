/* SPDX-License-Identifier: MIT
 *
 * Lists the objects that dlclose() may unmap; see closed.h. Of what is still there an entry says
 * nothing: so none has to be removed.
 */
#include "loader/closed.h"

#include <link.h>
#include <stdbool.h>
#include <string.h>

/* Written by one thread at a time, which has the lock of dl_iterate_phdr(). */
EXPORT struct hooks_objects ompd_hooks_objects = {
    .cookie = OBJECTS_COOKIE,
    .size = sizeof(struct hooks_object),
};
static uint32_t next;

static const char *end_of(const char *name)
{
    size_t length = strlen(name);
    return length < MAX_OBJECT_NAME ? name : name + length - (MAX_OBJECT_NAME - 1);
}

static bool is_listed(uintptr_t start, uintptr_t end, const char *name)
{
    for (uint32_t i = 0; i < ompd_hooks_objects.used; i++) {
        const struct hooks_object *one = &ompd_hooks_objects.object[i];
        if (one->start == start && one->end == end && strcmp(one->name, name) == 0)
            return true;
    }
    return false;
}

static int list(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size, (void)arg;
    uintptr_t start = UINTPTR_MAX, end = 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t first = info->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD)
            continue;
        start = first < start ? first : start;
        end = first + part->p_memsz > end ? first + part->p_memsz : end;
    }
    const char *name = end_of(info->dlpi_name ? info->dlpi_name : "");
    if (start >= end || !*name || is_listed(start, end, name))
        return 0;
    struct hooks_objects *all = &ompd_hooks_objects;
    struct hooks_object *one = &all->object[next];
    __atomic_store_n(&one->start, 0, __ATOMIC_RELEASE);
    one->end = end;
    strcpy(one->name, name);
    __atomic_store_n(&one->start, start, __ATOMIC_RELEASE);
    all->used += all->used == next;
    next = (next + 1) % MAX_OBJECTS_LISTED;
    return 0;
}

void objects_list(void)
{
    dl_iterate_phdr(list, NULL);
}
