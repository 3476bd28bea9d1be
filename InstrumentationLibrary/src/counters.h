/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Events of the processor between begins and ends of probes.
 *
 * That a probe counts them stands beside its sampling, as it does for who
 * observes (observe.h); so it costs nothing where it does not. A thread opens
 * its counters when it first needs them, and remembers what they showed at each
 * begin until the end, which has to be the same thread's.
 */
#ifndef HD_PROBE_COUNTERS_H
#define HD_PROBE_COUNTERS_H

#include "InstrumentationLibrary/src/core/memory.h"

/** Of how many measurements within each other a thread remembers the begin. */
#define HD_PROBE_MARKS 16

/** Take what the environment asks for. */
void hdProbeCountersChoose(void);

/** A probe has got its number and name. */
void hdProbeCountersNew(struct hdProbeEntry *entry);

/**
 * Begin to count for a probe, just before its time begins.
 *
 * @param own The calling thread's, or NULL.
 * @param index Its number.
 * @param isKernel Whether its body begins later.
 *
 * @return What hdProbeCountersBegun() needs; NULL: nothing is counted.
 */
struct hdProbeMark *hdProbeCountersBegin(struct hdProbeOwn *own,
					 unsigned int index, bool isKernel);

/** Say what the begin is found by, later: its time. */
void hdProbeCountersBegun(struct hdProbeMark *mark, uint64_t start);

/** The body of a kernel begins or ends; @p later is added to its begin. */
void hdProbeCountersBody(uint64_t start, bool isBegin);
void hdProbeCountersMove(uint64_t start, uint64_t later);

/**
 * End to count.
 *
 * @param[out] amounts By enum hdProbeEvent.
 *
 * @return Which events were counted: bits.
 */
unsigned int hdProbeCountersEnd(unsigned int index, uint64_t start,
				uint64_t *amounts);

/** The thread ends; or it was a parent's, and this is its child. */
void hdProbeCountersClose(struct hdProbeOwn *own, bool isOfParent);

#endif
