/* SPDX-License-Identifier: MIT
 *
 * Interposes a function of the C library, under each symbol version that a program on
 * this machine may refer to.
 */
#ifndef OMPD_HOOKS_LIBC_H
#define OMPD_HOOKS_LIBC_H

#if defined(__x86_64__) && defined(__LP64__)
#define LIBC_FIRST_VERSION "GLIBC_2.2.5"
#elif defined(__i386__)
#define LIBC_FIRST_VERSION "GLIBC_2.0"
#elif defined(__aarch64__) || (defined(__powerpc64__) && defined(__LITTLE_ENDIAN__))
#define LIBC_FIRST_VERSION "GLIBC_2.17"
#elif defined(__riscv)
#define LIBC_FIRST_VERSION "GLIBC_2.27"
#elif defined(__arm__)
#define LIBC_FIRST_VERSION "GLIBC_2.4"
#elif defined(__s390x__)
#define LIBC_FIRST_VERSION "GLIBC_2.2"
#endif

/* Of __register_atfork(). */
#if defined(__x86_64__) || defined(__i386__) || defined(__s390x__)
#define LIBC_ATFORK_VERSION "GLIBC_2.3.2"
#else
#define LIBC_ATFORK_VERSION LIBC_FIRST_VERSION
#endif

/* `old` is an alias of `ours`. The interposed functions got a second version in 2.34,
 * with the behaviour of the first. */
#define INTERPOSE(ours, symbol) __asm__(".symver " #ours "," #symbol "@@GLIBC_2.34")
#define INTERPOSE_FIRST(old, symbol) __asm__(".symver " #old "," #symbol "@" LIBC_FIRST_VERSION)

#endif
