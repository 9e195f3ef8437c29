/* SPDX-License-Identifier: MIT
 *
 * ICVs and settings: values that are the same for many objects take one line.
 */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "icv-list.h"
#include "print.h"

static const char *const scope_titles[ICV_SCOPES] = {
    [ICV_OF_PROCESS] = "ICVs of the process",
    [ICV_OF_THREAD] = "ICVs of threads",
    [ICV_OF_REGION] = "ICVs of regions",
    [ICV_OF_TASK] = "ICVs of tasks",
};

static const char *words_of(const struct icv_value *value)
{
    return value->text_answer ? answer_name(value->text_answer) : value->text;
}

static struct fact name_of(const struct icv_list *list, enum icv_scope scope, size_t object)
{
    const struct snapshot *snap = list->snapshot;
    switch (scope) {
    case ICV_OF_THREAD: return snap->threads[object].lwp;
    case ICV_OF_REGION: return snap->regions[object].id;
    case ICV_OF_TASK: return snap->tasks[object].id;
    default: return (struct fact){ANSWER_UNAVAILABLE, 0};
    }
}

/* The first of the objects with these words and then the others. */
static void print_line(FILE *out, const struct icv_list *list, size_t icv, size_t first)
{
    const struct icv *what = &list->icvs[icv];
    const char *words = words_of(icv_list_value(list, icv, first));
    bool all = true;
    for (size_t i = 0; i < list->objects[what->scope]; i++) {
        const struct icv_value *other = icv_list_value(list, icv, i);
        all = all && (!other || !strcmp(words_of(other), words));
    }
    fprintf(out, "  %-24s %s", what->name, *words ? words : "\"\"");
    for (size_t i = first; !all && i < list->objects[what->scope]; i++) {
        const struct icv_value *other = icv_list_value(list, icv, i);
        struct fact name = name_of(list, what->scope, i);
        if (other && !strcmp(words_of(other), words))
            fprintf(out, "%s%" PRIu64, i == first ? "  of " : ", ", name.value);
    }
    fprintf(out, "\n");
}

static void print_scope(FILE *out, const struct icv_list *list, enum icv_scope scope)
{
    fprintf(out, "\n%s\n", scope_titles[scope]);
    for (size_t icv = 0; icv < list->icv_count; icv++)
        for (size_t i = 0; list->icvs[icv].scope == scope && i < list->objects[scope];
             i++) {
            const struct icv_value *value = icv_list_value(list, icv, i);
            bool seen = !value;
            for (size_t k = 0; k < i && !seen; k++) {
                const struct icv_value *before = icv_list_value(list, icv, k);
                seen = before && !strcmp(words_of(before), words_of(value));
            }
            if (!seen)
                print_line(out, list, icv, i);
        }
}

void print_icvs(FILE *out, const struct icv_list *list)
{
    for (size_t scope = 0; scope < ICV_SCOPES; scope++)
        if (list->objects[scope])
            print_scope(out, list, (enum icv_scope)scope);
    fprintf(out, "\nSettings\n");
    if (list->settings_answer)
        fprintf(out, "  %s\n", answer_name(list->settings_answer));
    for (size_t i = 0; i < list->setting_count; i++)
        fprintf(out, "  %s\n", list->settings[i]);
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
