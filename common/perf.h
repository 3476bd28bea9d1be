/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Counters of perf_event_open(2): of the processor, and of the kernel.
 *
 * Where there are more events than the processor has counters the kernel lets
 * them take turns, and says for how long each has counted; what it would have
 * counted all the time is estimated from that.
 *
 * Counters of a CPU or a PMU are opened and read here; those of a thread, which
 * are read many times a second, are a struct hdPerfSet (perfset.h).
 */
#ifndef HD_PERF_H
#define HD_PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_event_attr;
struct perf_event_mmap_page;

/** What a counter shows. */
struct hdPerfReading {
	uint64_t value;
	uint64_t enabledNs; /**< For how long it was to count ... */
	uint64_t runningNs; /**< ... and for how long it did. */
};

/** What we ask of the kernel; tests have one of their own. Functions return 0
 *  or more, or a negative errno. */
struct hdPerfKernel {
	/** As perf_event_open(2), without flags. */
	int (*open)(const struct perf_event_attr *attr, int pid, int cpu,
		    int leader);
	/** Read so many numbers: 0; fewer are -EPROTO, none -ENODEV, as the
	 *  event is in error, its CPU has gone, say. */
	int (*read)(int counter, uint64_t *numbers, size_t count);
	/** The kernel's number of the event, which no other file has. */
	int (*identify)(int counter, uint64_t *id);
	/** The page by which it is read without a call; NULL: none. */
	const volatile struct perf_event_mmap_page *(*map)(int counter);
	void (*unmap)(const volatile struct perf_event_mmap_page *page);
	void (*close)(int counter);
	/** The processor's counter of this number. */
	uint64_t (*readCounter)(uint32_t number);
	/** The processor's time stamp. */
	uint64_t (*readStamp)(void);
};

/** What tests set: the kernel; NULL is the real one. */
extern const struct hdPerfKernel *hdPerfFake;

/** The kernel that is asked. */
const struct hdPerfKernel *hdPerfKernel(void);

/**
 * Open a counter, which counts from now on.
 *
 * @param type PERF_TYPE_HARDWARE and so on; of a PMU what its file says.
 * @param event Of that type, as PERF_COUNT_HW_INSTRUCTIONS.
 * @param pid Thread; 0: the calling one; -1: all.
 * @param cpu CPU; -1: all, of a thread.
 *
 * @return The counter, or a negative errno; see hdPerfReason().
 */
int hdPerfOpen(uint32_t type, uint64_t event, int pid, int cpu);

/** What a counter is known by later on, as descriptors may become others'. */
uint64_t hdPerfId(int counter);

/** Whether a descriptor still is the counter of this number: the program may
 *  have closed it, and have another file there. */
bool hdPerfIs(int counter, uint64_t id);

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
