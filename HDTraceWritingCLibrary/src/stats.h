/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What gauges need of statistics groups.
 */
#ifndef HD_SRC_STATS_H
#define HD_SRC_STATS_H

#include <hdStats.h>
#include "HDTraceWritingCLibrary/src/outfile.h"

/** Get the file of a group. */
struct hdOutfile *hdStatsFile(const hdStatsGroup *group);

/** hdS_writeEntryAt() with nanoseconds since the epoch, or, if they are
 * negative, the time that is set or now. */
int hdStatsWriteAt(hdStatsGroup *group, const void *entry, size_t length,
		   int64_t now);

#endif
