/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Counters of perf_event_open(2): of the processor, and of the kernel.
 *
 * Where there are more events than the processor has counters the kernel lets
 * them take turns, and says for how long each has counted; what it would have
 * counted all the time is estimated from that.
 */
#ifndef HD_PERF_H
#define HD_PERF_H

#include <stdint.h>

/** What a counter shows. */
struct hdPerfReading {
	uint64_t value;
	uint64_t enabledNs; /**< For how long it was to count ... */
	uint64_t runningNs; /**< ... and for how long it did. */
};

/** What tests set: the kernel; NULL is the real one. */
struct hdPerfKernel {
	/** As perf_event_open(2) without group and flags: or -errno. */
	int (*open)(const void *attr, int pid, int cpu);
	/** Read three numbers: 0, or -errno. */
	int (*read)(int counter, uint64_t *numbers);
	void (*close)(int counter);
};
extern const struct hdPerfKernel *hdPerfFake;

/**
 * Open a counter, which counts from now on.
 *
 * @param type PERF_TYPE_HARDWARE and so on.
 * @param event Of that type, as PERF_COUNT_HW_INSTRUCTIONS.
 * @param pid Thread; 0: the calling one; -1: all.
 * @param cpu CPU; -1: all, of a thread.
 *
 * @return The counter, or a negative errno; see hdPerfReason().
 */
int hdPerfOpen(uint32_t type, uint64_t event, int pid, int cpu);

/** Read a counter; 0, or a negative errno. */
int hdPerfRead(int counter, struct hdPerfReading *reading);

/** Close a counter. */
void hdPerfClose(int counter);

/**
 * Get what was counted between two readings, estimated where the counter did
 * not count all the time.
 *
 * @param[in,out] before Becomes now, unless it did not count at all meanwhile:
 *        then 0 is returned, and the next time has it all.
 */
uint64_t hdPerfTake(struct hdPerfReading *before,
		    const struct hdPerfReading *now);

/** Why there is no counter, for people: of a positive errno. */
const char *hdPerfReason(int error);

#endif
