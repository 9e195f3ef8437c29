/* SPDX-License-Identifier: MIT
 *
 * What a thread is to LLVM's runtime. A process is stopped anywhere, also between two stores
 * of the runtime, so a thread is a member of a team only where the team agrees. A worker stays
 * in its team when the region is over ("hot team"): it is idle once the primary thread is
 * elsewhere. The first target task that is deferred makes hidden helper threads: a team whose
 * primary thread sleeps in the runtime as long as the process lives.
 */
#include "libompd/runtime/kmp.h"

/* Is the primary thread in this team, or in one nested in it? */
static enum rc primary_is_in(const struct instance *instance, const struct kmp_team *team,
                             bool *out)
{
    struct kmp_thread primary;
    taddr at;
    *out = false;
    enum rc rc = kmp_listed(instance, team, 0, &at);
    if (rc == RC_OK)
        rc = kmp_read_thread_part(instance, at, &primary);
    if (rc != RC_OK)
        return rc;
    taddr next = primary.team;
    for (unsigned i = 0; next && i < KMP_LEVELS_MAX; i++) {
        struct kmp_team inner;
        *out = next == team->address;
        if (*out)
            return RC_OK;
        rc = kmp_read_team(instance, next, &inner);
        if (rc != RC_OK)
            return rc == RC_NONSENSE ? RC_OK : rc;
        next = inner.parent;
    }
    return RC_OK;
}

/* *listed: by the team, *out: and one of the region that it has, not of the next one, for which
 * more threads are being made. RC_NONSENSE: there is no team, though none is freed while its primary
 * thread is in it. */
static enum rc is_in_its_team(const struct instance *instance, const struct kmp_thread *thread,
                              struct kmp_team *team, bool *listed, bool *out)
{
    taddr at = 0;
    *listed = *out = false;
    enum rc rc = kmp_read_team(instance, thread->team, team);
    bool is_damaged = rc == RC_NONSENSE && !thread->number && !team->address;
    if (rc == RC_OK && thread->number < KMP_TEAM_MAX)
        rc = memory_pointer(instance, team->threads + (taddr)thread->number * 8, &at);
    if (rc != RC_OK)
        return rc == RC_NONSENSE && !is_damaged ? RC_OK : rc;
    *listed = at == thread->address;
    *out = *listed && thread->number < team->nproc;
    return RC_OK;
}

/* The runtime itself has opened their region, with a function of its own. That of GCC's code, which
 * is the runtime's, too, has arguments; the primary thread of a league outside of all regions has
 * no level. */
enum rc kmp_is_of_helpers(const struct instance *instance, const struct kmp_team *team, bool *out)
{
    const struct image *image = &instance->image;
    taddr first, primary;
    *out = false;
    if (team->level != 1 || team->serialized || team->argument_count ||
        team->function < image->start || team->function >= image->end)
        return RC_OK;
    enum rc rc = kmp_listed(instance, team, 0, &first);
    if (rc == RC_OK)
        rc = kmp_thread_of_gtid(instance, KMP_HIDDEN_PRIMARY, &primary);
    *out = rc == RC_OK && first == primary;
    return rc == RC_UNAVAILABLE ? RC_OK : rc;
}

enum rc kmp_classify(const struct instance *instance, const struct kmp_thread *thread,
                     enum kmp_thread_kind *out, struct kmp_team *team)
{
    bool is_in, is_listed;
    *out = KMP_IDLE;
    if (thread->in_pool || !thread->team)
        return RC_OK;
    enum rc rc = is_in_its_team(instance, thread, team, &is_listed, &is_in);
    if (rc != RC_OK || (is_listed && !is_in))
        return rc;
    if (!is_in) {
        *out = KMP_IN_TRANSITION;
        return RC_OK;
    }
    rc = kmp_is_of_helpers(instance, team, &is_in);
    if (rc == RC_OK && is_in)
        *out = KMP_HELPER;
    if (rc != RC_OK || is_in)
        return rc;
    if (thread->number && !team->serialized) {
        rc = primary_is_in(instance, team, &is_in);
        if (rc == RC_NONSENSE) {
            *out = KMP_IN_TRANSITION;
            return RC_OK;
        }
        if (rc != RC_OK || !is_in)
            return rc;
    }
    if (team->level)
        *out = KMP_MEMBER;
    else if (!thread->number) /* workers of a league wait until their team has a region */
        *out = KMP_INITIAL;
    return RC_OK;
}
