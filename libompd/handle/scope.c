/* SPDX-License-Identifier: MIT
 *
 * Checks that an untyped handle is of the kind that its scope says.
 */
#include <string.h>

#include "libompd/handle/icv.h"
#include "libompd/runtime/reader.h"

/* Of a region that a construct created: was that a teams construct? What created the implicit
 * parallel region of an initial thread is not known. */
static enum rc league_check(const struct handle *region)
{
    struct region_facts facts;
    if (handle_check(region, HANDLE_PARALLEL) != RC_OK)
        return RC_OK;
    enum rc rc = facts_of_region(region, &facts);
    return rc == RC_OK && facts.league.known == KNOWN && !facts.league.value ? RC_OTHER_HANDLE : rc;
}

enum rc scope_check(const void *handle, enum scope scope, struct instance **out)
{
    struct space *owner;
    enum rc space = any_space_check(handle, &owner), host = space_check(handle);
    enum rc thread = handle_check(handle, HANDLE_THREAD);
    enum rc region = region_check(handle);
    enum rc task = handle_check(handle, HANDLE_TASK);
    if (space != RC_OK && thread != RC_OK && region != RC_OK && task != RC_OK)
        return RC_STALE_HANDLE;
    enum rc fits;
    switch (scope) {
    case SCOPE_global:
        fits = host;
        break;
    case SCOPE_address_space:
        fits = space;
        break;
    case SCOPE_thread:
        fits = thread;
        break;
    case SCOPE_parallel:
        fits = region;
        break;
    case SCOPE_teams:
        fits = region == RC_OK ? league_check(handle) : region;
        break;
    case SCOPE_target:
        fits = handle_check(handle, HANDLE_IMPLICIT);
        break;
    case SCOPE_implicit_task:
    case SCOPE_task:
        fits = task;
        break;
    default:
        return RC_BAD_INPUT;
    }
    if (fits != RC_OK && fits != RC_STALE_HANDLE)
        return fits;
    if (fits != RC_OK)
        return RC_OTHER_HANDLE;
    *out = host == RC_OK ? instance_next(owner, NULL) : ((const struct handle *)handle)->instance;
    return *out ? RC_OK : RC_UNAVAILABLE;
}

static enum rc tool_fact(const struct handle *handle, enum scope scope, struct fact *out)
{
    struct thread_facts thread;
    struct region_facts region;
    struct task_facts task;
    enum rc rc;
    switch (scope) {
    case SCOPE_thread:
        rc = facts_of_thread(handle, &thread);
        if (rc == RC_OK)
            *out = thread.tool_data;
        return rc;
    case SCOPE_parallel:
    case SCOPE_teams:
        rc = facts_of_any_region(handle, &region);
        if (rc == RC_OK)
            *out = region.tool_data;
        return rc;
    case SCOPE_target: /* no runtime keeps the word of a target construct */
        return RC_OK;
    default:
        rc = facts_of_task(handle, &task);
        if (rc == RC_OK)
            *out = task.tool_data;
        return rc;
    }
}

enum rc tool_data(const void *handle, enum scope scope, uint64_t *out)
{
    struct instance *instance;
    enum rc rc = scope_check(handle, scope, &instance);
    if (rc != RC_OK)
        return rc;
    enum tool_interface tool;
    rc = instance->reader->tool ? instance->reader->tool(instance, &tool) : RC_UNSUPPORTED;
    if (rc != RC_OK)
        return rc;
    if (tool != TOOL_INTERFACE_OMPT)
        return tool == TOOL_INTERFACE_NONE ? RC_UNAVAILABLE : RC_UNSUPPORTED;
    struct fact fact = {.known = NOT_HELD};
    rc = tool_fact(handle, scope, &fact);
    return rc == RC_OK ? fact_value(fact, out) : rc;
}

enum rc tool_of_space(struct space *space, enum tool_interface *out)
{
    struct instance *instance;
    enum rc rc = space_instance(space, &instance);
    if (rc != RC_OK)
        return rc;
    return instance->reader->tool ? instance->reader->tool(instance, out) : RC_UNSUPPORTED;
}

enum rc string_copy(const struct target_ops *ops, const char *text, char **out)
{
    void *memory;
    size_t bytes = strlen(text) + 1;
    enum rc rc = ops->alloc(bytes, &memory);
    if (rc != RC_OK)
        return rc;
    memcpy(memory, text, bytes);
    *out = memory;
    return RC_OK;
}
