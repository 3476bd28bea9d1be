/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The rules of the format that the tools check beside the reading library.
 */
#ifndef HD_RULES_H
#define HD_RULES_H

#include <stddef.h>

#include <hdReading.h>

/** Get the rules of the tools; they never change. */
const hdIRule *rulesGet(size_t *count);

/** Find a rule of the tools or of the library; it must exist. */
const hdIRule *rulesFind(const char *id);

#endif
