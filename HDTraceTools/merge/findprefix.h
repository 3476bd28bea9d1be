/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Finds the name of a project in the names of its files.
 */
#ifndef HD_FINDPREFIX_H
#define HD_FINDPREFIX_H

#include <glib.h>

#include "HDTraceTools/merge/merge.h"

int mergeChoosePrefix(struct merge *merge, GHashTable *proven, char **levels);

#endif
