/* SPDX-License-Identifier: MIT
 *
 * A survey of all runtimes of a process: that of each, one after the other.
 */
#include "libompd/handle/handle.h"
#include "libompd/runtime/reader.h"
#include "libompd/survey/survey.h"

void survey_parts_free(struct survey_parts *parts)
{
    for (unsigned i = 0; i < parts->count; i++)
        array_free(&parts->part[i].elements);
    parts->count = 0;
}

/* Of one runtime all that it answers; of several what could be had, and that some is missing.
 */
static enum rc join(enum rc all, enum rc part, bool is_first)
{
    if (is_first || all == RC_NOMEM || part == RC_NOMEM)
        return is_first || part == RC_NOMEM ? part : all;
    if (rc_is_answer(all) && rc_is_answer(part))
        return rc_join(all, part);
    return rc_is_answer(all) || rc_is_answer(part) ? RC_INCOMPLETE : all;
}

static enum rc survey_all(struct space *space, survey_function *survey, struct survey_parts *parts,
                          bool *has_closed)
{
    enum rc rc = RC_UNAVAILABLE;
    for (struct instance *i = NULL; (i = instance_next(space, i));) {
        struct survey_part *part = &parts->part[parts->count++];
        *part = (struct survey_part){.instance = i};
        enum rc own = survey(i, &part->elements);
        if (rc_is_unreadable(own) && instance_is_closed(i)) {
            *has_closed = true;
            return own;
        }
        if (!rc_is_answer(own))
            array_free(&part->elements);
        rc = join(rc, own, parts->count == 1);
    }
    return rc;
}

enum rc survey_each(struct space *space, survey_function *survey, struct survey_parts *parts)
{
    struct instance *first;
    parts->count = 0;
    enum rc rc = space_check(space);
    if (rc != RC_OK)
        return rc;
    instances_refresh(space);
    rc = space_instance(space, &first);
    bool has_closed = false;
    if (rc == RC_OK)
        rc = survey_all(space, survey, parts, &has_closed);
    if (has_closed) {
        survey_parts_free(parts);
        rc = survey_all(space, survey, parts, &has_closed);
    }
    return rc;
}
