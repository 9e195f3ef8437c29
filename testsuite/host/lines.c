/* SPDX-License-Identifier: MIT
 *
 * Builds two sorted tables per image the first time an address of it is asked for: rows of
 * the line tables, and functions with their ranges.
 */
#include "libdwarf-compat.h"

#include <stdlib.h>
#include <string.h>

#include "elf-image.h"
#include "lines.h"
#include "target.h"

enum {
    MAX_ROWS = 1 << 24,
    MAX_DIE_DEPTH = 32, /* functions stand in namespaces and classes, not deeper */
};

struct row {
    uint64_t address;
    const char *file; /* NULL: no code from here on */
    unsigned line;
};

struct function {
    uint64_t low, high;
    const char *name;
};

struct lines {
    struct row *rows;
    size_t row_count, row_room;
    struct function *functions;
    size_t function_count, function_room;
    char **strings;
    size_t string_count, string_room;
};

void lines_destroy(struct lines *lines)
{
    if (!lines)
        return;
    for (size_t i = 0; i < lines->string_count; i++)
        free(lines->strings[i]);
    free(lines->strings);
    free(lines->rows);
    free(lines->functions);
    free(lines);
}

static void *room_for_one(void **list, size_t count, size_t *room, size_t size)
{
    if (count == *room) {
        size_t more = *room ? 2 * *room : 256;
        void *grown = more > MAX_ROWS ? NULL : realloc(*list, more * size);
        if (!grown)
            return NULL;
        *list = grown;
        *room = more;
    }
    return (char *)*list + count * size;
}

static const char *keep_string(struct lines *lines, const char *string)
{
    /* Rows of one file follow each other. */
    if (lines->string_count && !strcmp(lines->strings[lines->string_count - 1], string))
        return lines->strings[lines->string_count - 1];
    char **slot = room_for_one((void **)&lines->strings, lines->string_count, &lines->string_room,
                               sizeof *slot);
    if (!slot || !(*slot = strdup(string)))
        return NULL;
    lines->string_count++;
    return *slot;
}

static void add_unit_rows(struct lines *lines, Dwarf_Debug dwarf, Dwarf_Die unit)
{
    Dwarf_Unsigned version;
    Dwarf_Small tables;
    Dwarf_Line_Context context;
    if (dwarf_srclines_b(unit, &version, &tables, &context, NULL) != DW_DLV_OK)
        return;
    Dwarf_Line *line;
    Dwarf_Signed count = 0;
    if (dwarf_srclines_from_linecontext(context, &line, &count, NULL) != DW_DLV_OK)
        count = 0;
    for (Dwarf_Signed i = 0; i < count; i++) {
        Dwarf_Addr address;
        Dwarf_Unsigned number;
        Dwarf_Bool end;
        char *path = NULL;
        if (dwarf_lineaddr(line[i], &address, NULL) != DW_DLV_OK ||
            dwarf_lineno(line[i], &number, NULL) != DW_DLV_OK ||
            dwarf_lineendsequence(line[i], &end, NULL) != DW_DLV_OK)
            continue;
        const char *file = NULL;
        if (!end && dwarf_linesrc(line[i], &path, NULL) == DW_DLV_OK) {
            const char *slash = strrchr(path, '/');
            file = keep_string(lines, slash ? slash + 1 : path);
            dwarf_dealloc(dwarf, path, DW_DLA_STRING);
        }
        struct row *row =
            room_for_one((void **)&lines->rows, lines->row_count, &lines->row_room, sizeof *row);
        if (!row)
            break;
        *row = (struct row){address, file, (unsigned)number};
        lines->row_count++;
    }
    dwarf_srclines_dealloc_b(context);
}

static void add_function(struct lines *lines, Dwarf_Debug dwarf, Dwarf_Die die)
{
    Dwarf_Addr low, high;
    Dwarf_Half form;
    enum Dwarf_Form_Class class;
    char *name = NULL;
    if (dwarf_lowpc(die, &low, NULL) != DW_DLV_OK ||
        dwarf_highpc_b(die, &high, &form, &class, NULL) != DW_DLV_OK ||
        dwarf_diename(die, &name, NULL) != DW_DLV_OK)
        return;
    if (class == DW_FORM_CLASS_CONSTANT)
        high += low;
    struct function *function = room_for_one((void **)&lines->functions, lines->function_count,
                                             &lines->function_room, sizeof *function);
    const char *kept = keep_string(lines, name);
    if (function && kept) {
        *function = (struct function){low, high, kept};
        lines->function_count++;
    }
    dwarf_dealloc(dwarf, name, DW_DLA_STRING);
}

/* Consumes `die`. */
static void add_functions(struct lines *lines, Dwarf_Debug dwarf, Dwarf_Die die, int depth)
{
    while (die) {
        Dwarf_Half tag = 0;
        dwarf_tag(die, &tag, NULL);
        if (tag == DW_TAG_subprogram)
            add_function(lines, dwarf, die);
        Dwarf_Die child;
        if (depth < MAX_DIE_DEPTH && dwarf_child(die, &child, NULL) == DW_DLV_OK)
            add_functions(lines, dwarf, child, depth + 1);
        Dwarf_Die next = NULL;
        if (dwarf_siblingof_b(dwarf, die, 1, &next, NULL) != DW_DLV_OK)
            next = NULL;
        dwarf_dealloc_die(die);
        die = next;
    }
}

static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x->file != NULL) - (y->file != NULL); /* an end before the next beginning */
}

static struct lines *lines_create(const struct image *image)
{
    struct lines *lines = calloc(1, sizeof *lines);
    Dwarf_Debug dwarf;
    if (!lines || compat_dwarf_init(image->fd, &dwarf) != DW_DLV_OK)
        return lines;
    Dwarf_Unsigned length, type_offset, next;
    Dwarf_Off abbreviations;
    Dwarf_Half version, address_size, length_size, extension, kind;
    Dwarf_Sig8 signature;
    while (dwarf_next_cu_header_d(dwarf, 1, &length, &version, &abbreviations, &address_size,
                                  &length_size, &extension, &signature, &type_offset, &next, &kind,
                                  NULL) == DW_DLV_OK) {
        Dwarf_Die unit;
        if (dwarf_siblingof_b(dwarf, NULL, 1, &unit, NULL) != DW_DLV_OK)
            continue;
        add_unit_rows(lines, dwarf, unit);
        add_functions(lines, dwarf, unit, 0);
    }
    compat_dwarf_finish(dwarf);
    if (lines->row_count)
        qsort(lines->rows, lines->row_count, sizeof *lines->rows, compare_rows);
    return lines;
}

static const struct row *find_row(const struct lines *lines, uint64_t address)
{
    size_t low = 0, high = lines->row_count;
    while (low < high) { /* the first row behind the address */
        size_t middle = low + (high - low) / 2;
        if (lines->rows[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low && lines->rows[low - 1].file ? &lines->rows[low - 1] : NULL;
}

static const char *find_function(const struct lines *lines, uint64_t address)
{
    const struct function *best = NULL;
    for (size_t i = 0; i < lines->function_count; i++) {
        const struct function *f = &lines->functions[i];
        if (address >= f->low && address < f->high && (!best || f->low > best->low))
            best = f;
    }
    return best ? best->name : NULL;
}

bool lines_find(struct target *target, uint64_t address, struct place *place)
{
    struct image *image = image_at(target, address);
    *place = (struct place){0};
    if (!image)
        return false;
    if (!image->lines)
        image->lines = lines_create(image);
    if (image->lines) {
        uint64_t at = address - image->bias;
        const struct row *row = find_row(image->lines, at);
        if (row) {
            place->file = row->file;
            place->line = row->line;
        }
        place->function = find_function(image->lines, at);
    }
    struct symbol symbol;
    if (!place->function && images_symbol_at(target, address, &symbol))
        place->function = symbol.name;
    return place->function || place->file;
}
