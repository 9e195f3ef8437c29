/* SPDX-License-Identifier: MIT
 *
 * Locks of binaries that were linked before OpenMP 3.0: the symbols carry the version
 * OMP_1.0 and a nest lock has eight bytes, half of today's. What stands behind it in the
 * program must not be written to. Only the versions of x86-64 are tried.
 */
#include <omp.h>
#include <stdint.h>
#include <string.h>
#include "check.h"

#if defined(__x86_64__) && defined(__LP64__)
struct old_lock {
    int32_t word[1];
};
struct old_nest_lock {
    int32_t word[2];
};

#define OLD(type, name, old, lock)                                                     \
    type old(struct lock *);                                                           \
    __asm__(".symver " #old ", " #name "@OMP_1.0")
OLD(void, omp_init_lock, old_init_lock, old_lock);
OLD(void, omp_destroy_lock, old_destroy_lock, old_lock);
OLD(void, omp_set_lock, old_set_lock, old_lock);
OLD(void, omp_unset_lock, old_unset_lock, old_lock);
OLD(int, omp_test_lock, old_test_lock, old_lock);
OLD(void, omp_init_nest_lock, old_init_nest_lock, old_nest_lock);
OLD(void, omp_destroy_nest_lock, old_destroy_nest_lock, old_nest_lock);
OLD(void, omp_set_nest_lock, old_set_nest_lock, old_nest_lock);
OLD(void, omp_unset_nest_lock, old_unset_nest_lock, old_nest_lock);
OLD(int, omp_test_nest_lock, old_test_nest_lock, old_nest_lock);

static struct {
    unsigned char before[32];
    struct old_lock lock;
    unsigned char between[32];
    struct old_nest_lock nest;
    unsigned char after[32];
} data;

static void expect_untouched(void)
{
    for (int i = 0; i < 32; i++)
        CHECK(data.before[i] == 0xa5 && data.between[i] == 0xa5 && data.after[i] == 0xa5);
}

static void use_locks(void)
{
    long plain = 0, nested = 0;
    memset(&data, 0xa5, sizeof(data));
    old_init_lock(&data.lock);
    old_init_nest_lock(&data.nest);
#pragma omp parallel num_threads(3)
    for (int i = 0; i < 200; i++) {
        old_set_lock(&data.lock);
        CHECK(!old_test_lock(&data.lock));
        plain++;
        old_unset_lock(&data.lock);
        old_set_nest_lock(&data.nest);
        CHECK(old_test_nest_lock(&data.nest) == 2);
        nested++;
        old_unset_nest_lock(&data.nest);
        old_unset_nest_lock(&data.nest);
    }
    CHECK(plain == 600 && nested == 600);
    expect_untouched();
    old_destroy_lock(&data.lock);
    old_destroy_nest_lock(&data.nest);
    expect_untouched();
}
#else
static void use_locks(void)
{
}
#endif

int main(void)
{
    use_locks();
    return check_result("oldabi_locks");
}
