/* SPDX-License-Identifier: MIT
 *
 * What a thread is to LLVM's runtime. A process is stopped anywhere, also between two stores
 * of the runtime, so a thread is a member of a team only where the team agrees. A worker stays
 * in its team when the region is over ("hot team"): it is idle once the primary thread is
 * elsewhere.
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

static enum rc is_in_its_team(const struct instance *instance,
                              const struct kmp_thread *thread, struct kmp_team *team,
                              bool *out)
{
    taddr listed;
    *out = false;
    enum rc rc = kmp_read_team(instance, thread->team, team);
    if (rc == RC_OK && thread->number < team->nproc)
        rc = kmp_listed(instance, team, thread->number, &listed);
    else
        listed = 0;
    *out = rc == RC_OK && listed == thread->address;
    return rc == RC_NONSENSE ? RC_OK : rc;
}

enum rc kmp_classify(const struct instance *instance, const struct kmp_thread *thread,
                     enum kmp_thread_kind *out, struct kmp_team *team)
{
    bool is_in;
    *out = KMP_IDLE;
    if (thread->in_pool || !thread->team)
        return RC_OK;
    enum rc rc = is_in_its_team(instance, thread, team, &is_in);
    if (rc != RC_OK)
        return rc;
    if (!is_in) {
        *out = KMP_IN_TRANSITION;
        return RC_OK;
    }
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
