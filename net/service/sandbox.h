/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What a daemon gives up once it has begun: capabilities, system calls, and
 * places that it could write to. What the kernel does not have, or does not
 * allow, is left out.
 *
 * These functions are called before there are other threads.
 */
#ifndef HD_SANDBOX_H
#define HD_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A bit of hdSandboxKeep(). */
#define HD_SANDBOX_CAPABILITY(number) (UINT64_C(1) << (number))

/**
 * Have at most these capabilities. A program that root executes has all of
 * them again.
 *
 * @return 0 or a negative errno value.
 */
int hdSandboxKeep(uint64_t capabilities);

/**
 * Forbid system calls that change the machine or look into other processes:
 * they fail with EPERM, also in programs that are executed.
 *
 * @return 0 or a negative errno value; -ENOSYS: not for this architecture.
 */
int hdSandboxFilter(void);

/**
 * Forbid to create, change and remove files elsewhere, also in programs that
 * are executed; they fail with EACCES. Files that are open stay open.
 *
 * @param paths Directories and files below which all is allowed; those that
 *        there are not are left out.
 *
 * @return 0 or a negative errno value; -ENOSYS or -EOPNOTSUPP: the kernel does
 *         not have Landlock.
 */
int hdSandboxWrite(const char *const *paths, size_t count);

#endif
