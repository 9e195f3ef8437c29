/* SPDX-License-Identifier: MIT
 *
 * Standing in front of a function of the C library: under each version that a program of
 * this machine may refer to.
 */
#ifndef OMPD_HOOKS_LIBC_H
#define OMPD_HOOKS_LIBC_H

#if defined(__x86_64__) && defined(__LP64__)
#define LIBC_FIRST_VERSION "GLIBC_2.2.5"
#elif defined(__i386__)
#define LIBC_FIRST_VERSION "GLIBC_2.0"
#elif defined(__aarch64__)
#define LIBC_FIRST_VERSION "GLIBC_2.17"
#endif

/* `old` is an alias of `ours`. Both functions of this kind became new versions in 2.34,
 * with the same behaviour. */
#define STANDS_FOR(ours, symbol) __asm__(".symver " #ours "," #symbol "@@GLIBC_2.34")
#define STANDS_FOR_FIRST(old, symbol)                                                    \
    __asm__(".symver " #old "," #symbol "@" LIBC_FIRST_VERSION)

#endif
