/* SPDX-License-Identifier: MIT
 *
 * Asks for each ICV of each object of a snapshot.
 */
#include "config.h"

#include <stdlib.h>

#include "icv-list.h"

static void *handle_of(const struct snapshot *snap, enum icv_scope scope, size_t object)
{
    switch (scope) {
    case ICV_OF_THREAD:
        return snap->threads[object].handle;
    case ICV_OF_REGION:
        return snap->regions[object].handle;
    case ICV_OF_TASK:
        return snap->tasks[object].handle;
    default:
        return NULL;
    }
}

const struct icv_value *icv_list_value(const struct icv_list *list, size_t icv, size_t object)
{
    enum icv_scope scope = list->icvs[icv].scope;
    if (scope == ICV_SCOPES || object >= list->objects[scope] ||
        (scope != ICV_OF_PROCESS && !handle_of(list->snapshot, scope, object)))
        return NULL;
    return &list->values[scope][object * list->icv_count + icv];
}

static void ask(const struct icv_list *list, size_t icv, void *handle, struct icv_value *value)
{
    struct session *s = list->snapshot->session;
    uint64_t symbols = s->counts.symbols;
    int64_t number = 0;
    value->number.answer = s->dialect->icv_number(s, icv, handle, &number);
    value->number.value = (uint64_t)number;
    value->text_answer = s->dialect->icv_text(s, icv, handle, &value->text);
    if (list->icvs[icv].is_of_devices)
        s->counts.symbols = symbols;
}

struct icv_list *icv_list_take(const struct snapshot *snap)
{
    struct session *s = snap->session;
    struct icv_list *list = calloc(1, sizeof *list);
    if (!list)
        return NULL;
    list->snapshot = snap;
    list->icvs = s->dialect->icvs(s, &list->icv_count);
    list->objects[ICV_OF_PROCESS] = 1;
    list->objects[ICV_OF_THREAD] = snap->thread_count;
    list->objects[ICV_OF_REGION] = snap->region_count;
    list->objects[ICV_OF_TASK] = snap->task_count;
    for (size_t scope = 0; scope < ICV_SCOPES; scope++) {
        size_t count = list->objects[scope] * list->icv_count;
        list->values[scope] = calloc(count ? count : 1, sizeof **list->values);
        if (!list->values[scope]) {
            icv_list_free(list);
            return NULL;
        }
    }
    for (size_t icv = 0; icv < list->icv_count; icv++) {
        enum icv_scope scope = list->icvs[icv].scope;
        for (size_t i = 0; scope < ICV_SCOPES && i < list->objects[scope]; i++)
            if (icv_list_value(list, icv, i))
                ask(list, icv, handle_of(snap, scope, i),
                    &list->values[scope][i * list->icv_count + icv]);
    }
    list->settings_answer = s->dialect->settings(s, &list->settings, &list->setting_count);
    return list;
}

void icv_list_free(struct icv_list *list)
{
    if (!list)
        return;
    for (size_t scope = 0; scope < ICV_SCOPES; scope++) {
        for (size_t i = 0; list->values[scope] && i < list->objects[scope] * list->icv_count; i++)
            host_free(list->values[scope][i].text);
        free(list->values[scope]);
    }
    if (list->settings)
        settings_free(list->settings, list->setting_count);
    free(list);
}
