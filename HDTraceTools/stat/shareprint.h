/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Tables of hdtrace stat --shares as text, CSV and JSON.
 */
#ifndef HD_STAT_SHAREPRINT_H
#define HD_STAT_SHAREPRINT_H

#include "HDTraceTools/stat/shares.h"

/** Print tables: an array of struct shareTable *. */
void sharePrint(const struct tool *tool, const hdIProject *project,
		const GPtrArray *tables);

#endif
