/* SPDX-License-Identifier: MIT
 *
 * ICVs and settings.
 */
#include "config.h"

#include <inttypes.h>

#include "icv-list.h"
#include "print.h"

static struct fact name_of(const struct icv_list *list, enum icv_scope scope, size_t object)
{
    const struct snapshot *snap = list->snapshot;
    switch (scope) {
    case ICV_OF_THREAD:
        return snap->threads[object].lwp;
    case ICV_OF_REGION:
        return snap->regions[object].id;
    case ICV_OF_TASK:
        return snap->tasks[object].id;
    default:
        return (struct fact){ANSWER_UNAVAILABLE, 0};
    }
}

static void json_value(FILE *out, const char *name, const struct icv_value *value)
{
    json_string(out, name);
    if (value->number.answer == ANSWER_OK || value->number.answer == ANSWER_INCOMPLETE)
        fprintf(out, ":{\"number\":%" PRId64, (int64_t)value->number.value);
    else
        fprintf(out, ":{\"number\":\"%s\"", answer_name(value->number.answer));
    fprintf(out, ",\"more\":%s,\"text_answer\":\"%s\",\"text\":",
            value->number.answer == ANSWER_INCOMPLETE ? "true" : "false",
            answer_name(value->text_answer));
    json_string(out, value->text_answer ? "" : value->text);
    fprintf(out, "}");
}

void json_icvs(FILE *out, const struct icv_list *list)
{
    static const char *const names[ICV_SCOPES] = {"process", "thread", "region", "task"};
    fprintf(out, ",\n\"icvs\":{");
    for (size_t scope = 0; scope < ICV_SCOPES; scope++) {
        fprintf(out, "%s\n\"%s\":{", scope ? "," : "", names[scope]);
        for (size_t i = 0, objects = 0; i < list->objects[scope]; i++) {
            size_t values = 0;
            for (size_t icv = 0; icv < list->icv_count; icv++) {
                const struct icv_value *value = NULL;
                if (list->icvs[icv].scope == scope)
                    value = icv_list_value(list, icv, i);
                if (!value)
                    continue;
                if (values++)
                    fprintf(out, ",");
                else
                    fprintf(out, "%s\n\"%" PRIu64 "\":{", objects++ ? "," : "",
                            name_of(list, (enum icv_scope)scope, i).value);
                json_value(out, list->icvs[icv].name, value);
            }
            if (values)
                fprintf(out, "}");
        }
        fprintf(out, "}");
    }
    fprintf(out, "},\n\"settings_answer\":\"%s\",\"settings\":[",
            answer_name(list->settings_answer));
    for (size_t i = 0; i < list->setting_count; i++) {
        fprintf(out, "%s", i ? "," : "");
        json_string(out, list->settings[i]);
    }
    fprintf(out, "]");
}
