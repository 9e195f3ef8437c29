/* SPDX-License-Identifier: MIT
 *
 * layout-gen: prints the table of gomp-layouts/ or kmp-layouts/ that fits a runtime built
 * with -g.
 *
 * It looks up in the file's DWARF what gomp-fields.def or kmp-fields.def lists. The first complete
 * definition of a structure counts; all that one library holds are the same.
 */
#include "config.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_LIBDWARF_LIBDWARF_H
#include <libdwarf/dwarf.h>
#include <libdwarf/libdwarf.h>
#else
#include <dwarf.h>
#include <libdwarf.h>
#endif

enum { TYPE_DEPTH_MAX = 16, PATH_MAX_BYTES = 64 };

static Dwarf_Debug dwarf;

/* Without a handler libdwarf ends the program when a call without an error argument
 * fails. */
static void ignore_error(Dwarf_Error error, Dwarf_Ptr argument)
{
    (void)argument;
    dwarf_dealloc_error(dwarf, error);
}

/* The two calls took more arguments until libdwarf 0.3. */
static int open_dwarf(int fd)
{
#ifdef LIBDWARF_INIT_TAKES_ACCESS
    return dwarf_init_b(fd, DW_DLC_READ, DW_GROUPNUMBER_ANY, ignore_error, NULL, &dwarf, NULL);
#else
    return dwarf_init_b(fd, DW_GROUPNUMBER_ANY, ignore_error, NULL, &dwarf, NULL);
#endif
}

static void close_dwarf(void)
{
#ifdef LIBDWARF_INIT_TAKES_ACCESS
    dwarf_finish(dwarf, NULL);
#else
    dwarf_finish(dwarf);
#endif
}

struct wanted {
    const char *name;
    const char *field; /* NULL: the structure itself */
    const char *path;
    bool may_lack;
    bool is_bit; /* the offset is that of a bit */
    bool found;
    unsigned long offset, size;
};

static struct wanted gomp_wanted[] = {
#define GOMP_STRUCT(s) {.name = #s},
#define GOMP_FIELD(s, f, p) {.name = #s, .field = #f, .path = p},
#define GOMP_FIELD_SOME(s, f, p) {.name = #s, .field = #f, .path = p, .may_lack = true},
#include "libompd/runtime/gomp-fields.def"
};

static struct wanted kmp_wanted[] = {
#define KMP_STRUCT(s) {.name = #s},
#define KMP_FIELD(s, f, p) {.name = #s, .field = #f, .path = p},
#define KMP_FIELD_SOME(s, f, p) {.name = #s, .field = #f, .path = p, .may_lack = true},
#define KMP_BIT(s, f, p) {.name = #s, .field = #f, .path = p, .is_bit = true},
#include "libompd/runtime/kmp-fields.def"
};

static const struct {
    const char *name, *prefix;
    struct wanted *wanted;
    int count;
} runtimes[] = {
    {"gomp", "GOMP", gomp_wanted, sizeof gomp_wanted / sizeof *gomp_wanted},
    {"kmp", "KMP", kmp_wanted, sizeof kmp_wanted / sizeof *kmp_wanted},
};
static const char *prefix;
static struct wanted *wanted;
static int wanted_count;

static bool choose_runtime(const char *name)
{
    for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++) {
        if (strcmp(name, runtimes[i].name) != 0)
            continue;
        prefix = runtimes[i].prefix;
        wanted = runtimes[i].wanted;
        wanted_count = runtimes[i].count;
        return true;
    }
    return false;
}

static bool number_of(Dwarf_Die die, Dwarf_Half attribute, unsigned long *out)
{
    Dwarf_Attribute attr;
    Dwarf_Unsigned value;
    if (dwarf_attr(die, attribute, &attr, NULL) != DW_DLV_OK)
        return false;
    bool ok = dwarf_formudata(attr, &value, NULL) == DW_DLV_OK;
    Dwarf_Signed negative;
    if (!ok && dwarf_formsdata(attr, &negative, NULL) == DW_DLV_OK && negative >= 0) {
        value = (Dwarf_Unsigned)negative;
        ok = true;
    }
    if (ok)
        *out = (unsigned long)value;
    return ok;
}

static bool type_of(Dwarf_Die die, Dwarf_Die *out)
{
    Dwarf_Attribute attr;
    Dwarf_Off at;
    return dwarf_attr(die, DW_AT_type, &attr, NULL) == DW_DLV_OK &&
           dwarf_global_formref(attr, &at, NULL) == DW_DLV_OK &&
           dwarf_offdie_b(dwarf, at, true, out, NULL) == DW_DLV_OK;
}

static Dwarf_Half tag_of(Dwarf_Die die)
{
    Dwarf_Half tag = 0;
    dwarf_tag(die, &tag, NULL);
    return tag;
}

static bool is_named(Dwarf_Die die, const char *name, size_t length)
{
    char *text;
    return dwarf_diename(die, &text, NULL) == DW_DLV_OK && strlen(text) == length &&
           memcmp(text, name, length) == 0;
}

/* Through typedefs and qualifiers. */
static bool plain_type(Dwarf_Die die, Dwarf_Die *out)
{
    for (int depth = 0; depth < TYPE_DEPTH_MAX; depth++) {
        switch (tag_of(die)) {
        case DW_TAG_typedef:
        case DW_TAG_const_type:
        case DW_TAG_volatile_type:
            if (!type_of(die, &die))
                return false;
            break;
        default:
            *out = die;
            return true;
        }
    }
    return false;
}

/* False: the type has none, as an array without bounds. */
static bool size_of(Dwarf_Die type, unsigned long *out)
{
    if (!plain_type(type, &type))
        return false;
    if (number_of(type, DW_AT_byte_size, out))
        return true;
    Dwarf_Half address;
    if (tag_of(type) == DW_TAG_pointer_type &&
        dwarf_get_die_address_size(type, &address, NULL) == DW_DLV_OK) {
        *out = address;
        return true;
    }
    Dwarf_Die element, range;
    unsigned long last;
    if (tag_of(type) != DW_TAG_array_type || !type_of(type, &element) ||
        dwarf_child(type, &range, NULL) != DW_DLV_OK || !size_of(element, out))
        return false;
    if (number_of(range, DW_AT_upper_bound, &last))
        *out *= last + 1;
    else if (number_of(range, DW_AT_count, &last))
        *out *= last;
    else
        return false;
    return true;
}

/* DWARF 3 counts bits from the highest one of the member's storage. */
static unsigned long storage_bit(Dwarf_Die member, unsigned long storage, unsigned long from_top)
{
    unsigned long bytes = 0, bits = 1;
    number_of(member, DW_AT_byte_size, &bytes);
    number_of(member, DW_AT_bit_size, &bits);
    return storage + 8 * bytes - from_top - bits;
}

/* A member by its path, also in unnamed unions. */
static bool find_member(Dwarf_Die structure, const char *path, unsigned long base, int depth,
                        struct wanted *out)
{
    size_t length = strcspn(path, ".");
    Dwarf_Die member, type;
    if (depth > TYPE_DEPTH_MAX || dwarf_child(structure, &member, NULL) != DW_DLV_OK)
        return false;
    do {
        char *unused;
        unsigned long offset = 0;
        if (tag_of(member) != DW_TAG_member || !type_of(member, &type))
            continue;
        number_of(member, DW_AT_data_member_location, &offset);
        unsigned long bit = 8 * offset;
        if (!number_of(member, DW_AT_data_bit_offset, &bit) &&
            number_of(member, DW_AT_bit_offset, &bit))
            bit = storage_bit(member, 8 * offset, bit);
        bool unnamed = dwarf_diename(member, &unused, NULL) != DW_DLV_OK;
        if (!unnamed && !is_named(member, path, length))
            continue;
        if (unnamed || path[length]) {
            const char *rest = unnamed ? path : path + length + 1;
            if (plain_type(type, &type) && find_member(type, rest, base + offset, depth + 1, out))
                return true;
            continue;
        }
        out->found = true;
        out->offset = out->is_bit ? 8 * base + bit : base + offset;
        if (!size_of(type, &out->size))
            out->size = 0;
        return true;
    } while (dwarf_siblingof_b(dwarf, member, true, &member, NULL) == DW_DLV_OK);
    return false;
}

/* A structure or union by its name, or by that of a typedef of it. */
static void take_structure(Dwarf_Die named)
{
    unsigned long size;
    Dwarf_Die die;
    if (!plain_type(named, &die))
        return;
    Dwarf_Half tag = tag_of(die);
    if ((tag != DW_TAG_structure_type && tag != DW_TAG_union_type) ||
        !number_of(die, DW_AT_byte_size, &size))
        return;
    for (int i = 0; i < wanted_count; i++) {
        if (wanted[i].found || !is_named(named, wanted[i].name, strlen(wanted[i].name)))
            continue;
        if (wanted[i].field) {
            find_member(die, wanted[i].path, 0, 0, &wanted[i]);
        } else {
            wanted[i].found = true;
            wanted[i].size = size;
        }
    }
}

static void take_units(void)
{
    Dwarf_Unsigned length, abbrev, type_offset, next;
    Dwarf_Half version, address, offset, extension, kind;
    Dwarf_Sig8 signature;
    while (dwarf_next_cu_header_d(dwarf, true, &length, &version, &abbrev, &address, &offset,
                                  &extension, &signature, &type_offset, &next, &kind,
                                  NULL) == DW_DLV_OK) {
        Dwarf_Die unit, die;
        if (dwarf_siblingof_b(dwarf, NULL, true, &unit, NULL) != DW_DLV_OK ||
            dwarf_child(unit, &die, NULL) != DW_DLV_OK)
            continue;
        do
            take_structure(die);
        while (dwarf_siblingof_b(dwarf, die, true, &die, NULL) == DW_DLV_OK);
    }
}

static int print_table(const char *file)
{
    int missing = 0;
    bool structure_found = false;
    for (int i = 0; i < wanted_count; i++) {
        const struct wanted *w = &wanted[i];
        if (!w->field)
            structure_found = w->found;
        if (!structure_found && w->field)
            continue;
        if (!w->found && !w->may_lack) {
            fprintf(stderr, "layout-gen: %s describes no %s%s%s\n", file, w->name,
                    w->field ? "." : "", w->field ? w->path : "");
            missing++;
        } else if (!w->field) {
            printf("%s_SIZE(%s, %lu)\n", prefix, w->name, w->size);
        } else if (w->found && w->is_bit) {
            printf("%s_BIT_AT(%s, %s, %lu)\n", prefix, w->name, w->field, w->offset);
        } else if (w->found) {
            printf("%s_PLACE(%s, %s, %lu, %lu)\n", prefix, w->name, w->field, w->offset, w->size);
        } else {
            printf("%s_LACKS(%s, %s)\n", prefix, w->name, w->field);
        }
    }
    return missing ? 1 : fflush(stdout) != 0;
}

int main(int argc, char **argv)
{
    if (argc != 3 || !choose_runtime(argv[1])) {
        fprintf(stderr, "Usage: layout-gen gomp|kmp FILE\n"
                        "Prints where FILE, a libgomp or libomp built with -g, has the "
                        "fields that libompd reads.\n");
        return 2;
    }
    const char *file = argv[2];
    int fd = open(file, O_RDONLY);
    if (fd < 0) {
        perror(file);
        return 1;
    }
    if (open_dwarf(fd) != DW_DLV_OK) {
        fprintf(stderr, "layout-gen: %s has no debug information\n", file);
        return 1;
    }
    take_units();
    int status = print_table(file);
    close_dwarf();
    close(fd);
    return status;
}
