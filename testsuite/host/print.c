/* SPDX-License-Identifier: MIT
 *
 * A snapshot as JSON.
 */
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "elf-image.h"
#include "lines.h"
#include "page-cache.h"
#include "print.h"
#include "threads.h"

const char *state_name(uint64_t state)
{
    switch (state) {
    case 0x00:
        return "work serial";
    case 0x01:
        return "work parallel";
    case 0x02:
        return "work reduction";
    case 0x10:
        return "idle";
    case 0x20:
        return "overhead";
    case 0x40:
        return "wait barrier";
    case 0x41:
        return "wait barrier implicit";
    case 0x42:
        return "wait barrier explicit";
    case 0x50:
        return "wait taskwait";
    case 0x51:
        return "wait taskgroup";
    case 0x60:
        return "wait lock";
    case 0x61:
        return "wait nest lock";
    case 0x62:
        return "wait critical";
    case 0x63:
        return "wait atomic";
    case 0x64:
        return "wait ordered";
    case 0x70:
        return "undefined";
    default:
        return NULL;
    }
}

struct text {
    char chars[256];
};

static struct text text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

static struct text text_of(const char *format, ...)
{
    struct text text;
    va_list args;
    va_start(args, format);
    vsnprintf(text.chars, sizeof text.chars, format, args);
    va_end(args);
    return text;
}

static struct text place_text(struct target *target, struct fact address)
{
    struct place place;
    if (address.answer != ANSWER_OK)
        return text_of("%s", answer_name(address.answer));
    if (!lines_find(target, address.value, &place))
        return text_of("0x%" PRIx64, address.value);
    if (!place.file)
        return text_of("%s", place.function);
    return text_of("%s at %s:%u", place.function ? place.function : "?", place.file, place.line);
}

/* The name of what is waited for, where it has one. GCC names the word of a critical
 * construct after it. */
static struct text data_text(struct target *target, uint64_t address)
{
    static const char critical[] = ".gomp_critical_user_";
    struct symbol symbol;
    if (!images_symbol_at(target, address, &symbol))
        return text_of("0x%" PRIx64, address);
    if (!strncmp(symbol.name, critical, sizeof critical - 1))
        return text_of("\"%s\"", symbol.name + sizeof critical - 1);
    return text_of("%s", symbol.name);
}

static struct text wait_text(struct target *target, const struct thread_facts *t)
{
    if (t->wait_id.answer != ANSWER_OK || t->wait_id.value == 0)
        return text_of("-");
    if (t->state.value < 0x60 || t->state.value > 0x63)
        return text_of("%s %" PRIu64, t->state.value < 0x50 ? "region" : "task", t->wait_id.value);
    return data_text(target, t->wait_id.value);
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

/* The call stands before its return address, which may be the next line's. */
static struct text call_text(struct target *target, uint64_t return_address)
{
    return return_address ? place_text(target, (struct fact){ANSWER_OK, return_address - 1})
                          : text_of("-");
}

void json_call_place(FILE *out, struct target *target, uint64_t return_address)
{
    json_string(out, call_text(target, return_address).chars);
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

static void json_place(FILE *out, const struct snapshot *snap, struct fact address)
{
    struct place place;
    json_fact(out, "function", address);
    if (address.answer != ANSWER_OK || !lines_find(snap->session->target, address.value, &place))
        return;
    if (place.function) {
        fprintf(out, ",\"function_name\":");
        json_string(out, place.function);
    }
    if (place.file) {
        fprintf(out, ",\"line\":%u,\"file\":", place.line);
        json_string(out, place.file);
    }
}

static void json_thread(FILE *out, const struct snapshot *snap, const struct thread_facts *t)
{
    fprintf(out, "{\"openmp\":%s", t->handle ? "true" : "false");
    json_fact(out, "lwp", t->lwp);
    json_fact(out, "pthread", t->pthread);
    if (t->handle) {
        const char *state =
            t->state.answer ? answer_name(t->state.answer) : state_name(t->state.value);
        fprintf(out, ",\"state\":\"%s\",\"state_name\":", state ? state : "?");
        json_string(out, t->state_text ? t->state_text : "");
        fprintf(out, ",\"waits_for\":");
        json_string(out, wait_text(snap->session->target, t).chars);
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

static void json_region(FILE *out, const struct snapshot *snap, const struct region_facts *r)
{
    fprintf(out, "{\"handle\":");
    json_string(out, r->text ? r->text : "");
    json_fact(out, "id", r->id);
    json_fact(out, "size", r->size);
    json_fact(out, "master", r->master);
    json_fact(out, "parent", region_id(snap, r->parent, r->parent_answer));
    json_place(out, snap, r->function);
    fprintf(out, ",\"members\":[");
    for (size_t i = 0; i < r->member_count; i++)
        fprintf(out, "%s%" PRIu64, i ? "," : "", r->members[i]);
    fprintf(out, "],\"tasks\":[");
    for (size_t i = 0; i < r->task_count; i++)
        fprintf(out, "%s%" PRIu64, i ? "," : "", task_id(snap, r->tasks[i], ANSWER_ERROR).value);
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
    json_place(out, snap, t->function);
    fprintf(out, "}");
}

void print_json(FILE *out, const struct snapshot *snap, const struct icv_list *icvs,
                const struct extension *extension)
{
    const struct session *s = snap->session;
    fprintf(out,
            "{\"kind\":\"%s\",\"pid\":%d,\"word_size\":%u,\"abi\":%d,\"thread_db\":%s"
            ",\"library\":",
            s->target->ops->kind, (int)s->target->pid, s->target->word_size, s->dialect->abi,
            threads_known(s->target) ? "true" : "false");
    json_string(out, s->library);
    fprintf(out, ",\"threads_answer\":\"%s\",\n\"threads\":[", answer_name(snap->threads_answer));
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
    if (extension) {
        json_extension(out, s->target, extension);
        json_devices(out, snap->session);
    }
    fprintf(out,
            ",\n\"counts\":{\"callback_reads\":%" PRIu64 ",\"target_accesses\":%" PRIu64
            ",\"symbols\":%" PRIu64 ",\"opening_symbols\":%" PRIu64 "}}\n",
            s->counts.reads, page_cache_accesses(s->target->cache), s->counts.symbols,
            s->opening_symbols);
}
