/* SPDX-License-Identifier: MIT
 *
 * Every ICV of everything in a snapshot, and the settings, gathered once into plain data.
 */
#ifndef HOST_ICV_LIST_H
#define HOST_ICV_LIST_H

#include "snapshot.h"

struct icv_value {
    struct fact number; /* ANSWER_INCOMPLETE: the first item of a list, valid as well */
    enum answer text_answer;
    char *text;
};

struct icv_list {
    const struct snapshot *snapshot;
    const struct icv *icvs; /* the session's */
    size_t icv_count;
    /* For each object of a scope `icv_count` values, of which those of that scope are
     * filled. Objects are those of the snapshot, in its order; the process is one. */
    struct icv_value *values[ICV_SCOPES];
    size_t objects[ICV_SCOPES];
    enum answer settings_answer;
    char **settings;
    size_t setting_count;
};

/* NULL when memory runs out. The snapshot must live longer. */
struct icv_list *icv_list_take(const struct snapshot *snapshot);
void icv_list_free(struct icv_list *list);

/* NULL: nothing was asked, since the ICV is of another scope or the thread not OpenMP's. */
const struct icv_value *icv_list_value(const struct icv_list *list, size_t icv, size_t object);

#endif
