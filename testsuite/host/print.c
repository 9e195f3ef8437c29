/* SPDX-License-Identifier: MIT
 *
 * A snapshot as JSON.
 */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "elf-image.h"
#include "page-cache.h"
#include "print.h"
#include "threads.h"

const char *state_name(uint64_t state)
{
    switch (state) {
    case 0x00: return "work serial";
    case 0x01: return "work parallel";
    case 0x02: return "work reduction";
    case 0x10: return "idle";
    case 0x20: return "overhead";
    case 0x40: return "wait barrier";
    case 0x41: return "wait barrier implicit";
    case 0x42: return "wait barrier explicit";
    case 0x50: return "wait taskwait";
    case 0x51: return "wait taskgroup";
    case 0x60: return "wait lock";
    case 0x61: return "wait nest lock";
    case 0x62: return "wait critical";
    case 0x63: return "wait atomic";
    case 0x64: return "wait ordered";
    case 0x70: return "undefined";
    default: return NULL;
    }
}

/* The name of what is waited for, where it has one. GCC names the word of a critical
 * construct after it. */
static void json_waits_for(FILE *out, struct target *target, const struct thread_facts *t)
{
    static const char critical[] = ".gomp_critical_user_";
    struct symbol symbol;
    const uint64_t id = t->wait_id.answer == ANSWER_OK ? t->wait_id.value : 0;
    char name[256] = "-";
    if (id && (t->state.value < 0x60 || t->state.value > 0x63))
        snprintf(name, sizeof name, "%s %" PRIu64, t->state.value < 0x50 ? "region" : "task", id);
    else if (id && !images_symbol_at(target, id, &symbol))
        snprintf(name, sizeof name, "0x%" PRIx64, id);
    else if (id && !strncmp(symbol.name, critical, sizeof critical - 1))
        snprintf(name, sizeof name, "\"%s\"", symbol.name + sizeof critical - 1);
    else if (id)
        snprintf(name, sizeof name, "%s", symbol.name);
    json_string(out, name);
}

static struct fact region_id(const struct snapshot *snap, int index, enum answer answer)
{
    if (index == NO_INDEX)
        return (struct fact){answer ? answer : ANSWER_ERROR, 0};
    return snap->regions[index].id;
}

static struct fact task_id(const struct snapshot *snap, int index, enum answer answer)
{
    if (index == NO_INDEX)
        return (struct fact){answer ? answer : ANSWER_ERROR, 0};
    return snap->tasks[index].id;
}

/* Symbol names come from files: quote what JSON cannot hold. */
void json_string(FILE *out, const char *string)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)string; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < 0x20 || *c >= 0x7f)
            fprintf(out, "\\u%04x", *c);
        else
            fputc(*c, out);
    }
    fputc('"', out);
}

static void json_fact(FILE *out, const char *name, struct fact fact)
{
    if (fact.answer != ANSWER_OK)
        fprintf(out, ",\"%s\":\"%s\"", name, answer_name(fact.answer));
    else
        fprintf(out, ",\"%s\":%" PRIu64, name, fact.value);
}

void json_image(FILE *out, struct target *target, uint64_t address)
{
    const struct image *image = image_at(target, address);
    if (!image)
        return;
    fprintf(out, ",\"offset\":%" PRIu64 ",\"image\":", address - image->bias);
    json_string(out, image->path);
}

static void json_function(FILE *out, const struct snapshot *snap, struct fact address)
{
    json_fact(out, "function", address);
    if (address.answer == ANSWER_OK)
        json_image(out, snap->session->target, address.value);
}

static void json_thread(FILE *out, const struct snapshot *snap,
                        const struct thread_facts *t)
{
    fprintf(out, "{\"openmp\":%s", t->handle ? "true" : "false");
    json_fact(out, "lwp", t->lwp);
    json_fact(out, "pthread", t->pthread);
    if (t->handle) {
        const char *state = t->state.answer ? answer_name(t->state.answer)
                                            : state_name(t->state.value);
        fprintf(out, ",\"state\":\"%s\",\"state_name\":", state ? state : "?");
        json_string(out, t->state_text ? t->state_text : "");
        fprintf(out, ",\"waits_for\":");
        json_waits_for(out, snap->session->target, t);
        json_fact(out, "wait_id", t->wait_id);
        json_fact(out, "num", t->num);
        json_fact(out, "region", region_id(snap, t->region, t->region_answer));
        json_fact(out, "task", task_id(snap, t->task, t->task_answer));
        fprintf(out, ",\"region_index\":%d,\"task_index\":%d", t->region, t->task);
        fprintf(out, ",\"handle\":");
        json_string(out, t->text ? t->text : "");
    }
    fprintf(out, "}");
}

static void json_region(FILE *out, const struct snapshot *snap,
                        const struct region_facts *r)
{
    fprintf(out, "{\"handle\":");
    json_string(out, r->text ? r->text : "");
    json_fact(out, "id", r->id);
    json_fact(out, "size", r->size);
    json_fact(out, "master", r->master);
    json_fact(out, "parent", region_id(snap, r->parent, r->parent_answer));
    json_function(out, snap, r->function);
    fprintf(out, ",\"members\":[");
    for (size_t i = 0; i < r->member_count; i++)
        fprintf(out, "%s%" PRIu64, i ? "," : "", r->members[i]);
    fprintf(out, "],\"tasks\":[");
    for (size_t i = 0; i < r->task_count; i++)
        fprintf(out, "%s%" PRIu64, i ? "," : "",
                task_id(snap, r->tasks[i], ANSWER_ERROR).value);
    fprintf(out, "]}");
}

static void json_task(FILE *out, const struct snapshot *snap, const struct task_facts *t)
{
    fprintf(out, "{\"handle\":");
    json_string(out, t->text ? t->text : "");
    json_fact(out, "id", t->id);
    json_fact(out, "parent", task_id(snap, t->parent, t->parent_answer));
    json_fact(out, "region", region_id(snap, t->region, t->region_answer));
    json_fact(out, "level", t->level);
    json_fact(out, "active_level", t->active_level);
    json_fact(out, "implicit", t->implicit);
    json_fact(out, "exit_frame", t->exit_frame);
    json_fact(out, "enter_frame", t->enter_frame);
    json_function(out, snap, t->function);
    fprintf(out, "}");
}

void print_json(FILE *out, const struct snapshot *snap, const struct icv_list *icvs,
                const struct extension *extension)
{
    const struct session *s = snap->session;
    fprintf(out, "{\"kind\":\"%s\",\"pid\":%d,\"word_size\":%u,\"abi\":%d,\"thread_db\":%s"
            ",\"library\":",
            s->target->ops->kind, (int)s->target->pid, s->target->word_size, s->dialect->abi,
            threads_known(s->target) ? "true" : "false");
    json_string(out, s->library);
    fprintf(out, ",\"threads_answer\":\"%s\",\n\"threads\":[",
            answer_name(snap->threads_answer));
    for (size_t i = 0; i < snap->thread_count; i++) {
        fprintf(out, "%s", i ? ",\n" : "\n");
        json_thread(out, snap, &snap->threads[i]);
    }
    fprintf(out, "],\n\"regions\":[");
    for (size_t i = 0; i < snap->region_count; i++) {
        fprintf(out, "%s", i ? ",\n" : "\n");
        json_region(out, snap, &snap->regions[i]);
    }
    fprintf(out, "],\n\"tasks\":[");
    for (size_t i = 0; i < snap->task_count; i++) {
        fprintf(out, "%s", i ? ",\n" : "\n");
        json_task(out, snap, &snap->tasks[i]);
    }
    fprintf(out, "]");
    if (icvs)
        json_icvs(out, icvs);
    if (extension)
        json_extension(out, s->target, extension);
    fprintf(out,
            ",\n\"counts\":{\"callback_reads\":%" PRIu64 ",\"target_accesses\":%" PRIu64
            ",\"symbols\":%" PRIu64 ",\"opening_symbols\":%" PRIu64 "}}\n",
            s->counts.reads, page_cache_accesses(s->target->cache), s->counts.symbols,
            s->opening_symbols);
}
