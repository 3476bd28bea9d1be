/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which tasks a task has to wait for, until it begins.
 */
#ifndef HD_OMP_DEPENDS_H
#define HD_OMP_DEPENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Bytes of a list of tasks; where there are more it ends in "...". */
#define OMP_DEPENDS_TEXT_MAX 512

/** A task must wait for another one; any thread may say so. */
void ompDependsAdd(uint64_t task, uint64_t before);

/** Take what was said of a task: numbers, with blanks; false: nothing. */
bool ompDependsTake(uint64_t task, char *text, size_t size);

#endif
