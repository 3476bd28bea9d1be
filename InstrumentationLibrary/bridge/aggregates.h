/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What probes count, as statistics groups: one a probe, created when it is seen
 * first.
 */
#ifndef HD_PROBE_AGGREGATES_H
#define HD_PROBE_AGGREGATES_H

#include <stdbool.h>
#include <stdint.h>

#include <hdProbe.h>
#include <hdTopology.h>

struct hdProbeAggregates;

/** Create it. @param nowNs Since 1970: intervals begin. NULL: errno is set. */
struct hdProbeAggregates *hdProbeAggregatesCreate(hdTopoNode *node,
						  int64_t nowNs);

/** Write an entry for each probe, of the time until now. @param isLast Whether
 *  instances that no timed one followed are estimated. 0, or an errno. */
int hdProbeAggregatesWrite(struct hdProbeAggregates *self, int64_t nowNs,
			   bool isLast);

/** Hand everything to the system; 0, or an errno. */
int hdProbeAggregatesFlush(struct hdProbeAggregates *self);

/** Close all files and free it; 0, or an errno. NULL does nothing. */
int hdProbeAggregatesDestroy(struct hdProbeAggregates *self);

#endif
