/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the drivers for the states of this machine's CPUs have in common.
 *
 * A CPU is in one of some states at each time, and the kernel has a counter of
 * time for each. A driver says which states a CPU has and how their counters
 * are read (struct ptCpuKind); all else is done here: channels by name, how
 * CPUs divide their time, and CPUs that come and go.
 *
 * Channels are cpu0-STATE and so on, and all-STATE, the mean of all CPUs. "*",
 * "cpu0-*", "*-STATE" and "all-*" are several. A CPU that is off gives NaN.
 */
#ifndef PT_CPUSTATES_H
#define PT_CPUSTATES_H

#include "PowerTracingLibrary/src/machine/cpuset.h"
#include "PowerTracingLibrary/src/machine/residency.h"
#include "PowerTracingLibrary/src/core/driver.h"
#include "common/owned.h"

/** Longest name of a state, with the terminating zero. */
#define PT_CPU_LABEL_MAX 32
/** Most states of a CPU, what is in none of them included. */
#define PT_CPU_STATES_MAX 64

/** A CPU that is being read. */
struct ptCpu {
	unsigned int number;
	size_t count; /**< States. */
	char (*labels)[PT_CPU_LABEL_MAX];
	int *fds; /**< The driver's: one for each state, or the first only; -1
		       where none is open. */
	struct hdOwned *owned; /**< Of these. */
	struct ptResidency residency;
	bool isOpen;
	int64_t retryNs;      /**< When to look for it again. */
	int64_t elapsedNs;    /**< Length of the last interval, or 0. */
	int64_t restNs;       /**< Of it, what is in none of the states. */
	int64_t idleChangeNs; /**< Idle time when a counter moved last. */
	double clock;         /**< What readClock() says. */
};

/** How the states of CPUs are found and read. */
struct ptCpuKind {
	/** What time in none of the states is called: "C0"; or NULL. */
	const char *rest;
	/** Where they are, for messages. */
	const char *where;
	/** Whether the kernel counts time only when it has passed: what
	 *  /proc/stat says helps. */
	bool isLate;
	/** What there is nothing to say, for pt -l. */
	const char *nothing;
	const char *resolution;
	/**
	 * Get the names of a CPU's states, in the order of the counters.
	 *
	 * @param[out] labels To be freed.
	 * @return How many there are.
	 * @retval -ENOENT The CPU has none, or is not there.
	 */
	ssize_t (*list)(const struct ptSetup *setup, unsigned int cpu,
			char (**labels)[PT_CPU_LABEL_MAX]);
	/** Open what read() needs, as far as files may be open. */
	void (*open)(const struct ptSetup *setup, struct ptCpu *cpu);
	/** Read the counters of all states (residency.states[].nextNs). */
	int (*read)(const struct ptSetup *setup, struct ptCpu *cpu);
	/** Read the clock of a CPU, the channel cpuN, in Hz; NULL for none. */
	int (*readClock)(const struct ptSetup *setup, unsigned int cpu,
			 double *hertz);
};

/** The quantity of states is the first, that of the clock the second one. */
enum ptCpuQuantity { PT_CPU_SHARE, PT_CPU_CLOCK };

/** For ptDriver.resolve. */
int ptCpuResolve(const struct ptCpuKind *kind, const struct ptSetup *setup,
		 const char *channel, size_t index, unsigned int *number,
		 char label[PT_CHANNEL_MAX], char *why, size_t whySize);

/** For ptDriver.list. */
void ptCpuList(const struct ptCpuKind *kind, const struct ptSetup *setup,
	       ptDriverPrint *print, void *context);

/** For ptDriver.open. */
int ptCpuOpen(const struct ptCpuKind *kind, struct ptDevice *dev,
	      struct ptColumn *columns, size_t count);

/** Themselves ptDriver.start and so on. */
int ptCpuStart(struct ptDevice *dev);
int ptCpuRead(struct ptDevice *dev, union hdCell *cells,
	      struct ptReading *reading);
void ptCpuClose(struct ptDevice *dev);

/* ---- Between the files that implement this ----------------------------- */

/** Parts of a channel's number. */
enum {
	PT_CPU_REST = 0,  /**< The place of the rest; states follow. */
	PT_CPU_STATE = 1, /**< The place of the first state. */
	PT_CPU_CLOCK_PLACE = PT_CPU_STATES_MAX - 1,
	PT_CPU_ALL = PT_CPUS_MAX, /**< In place of a CPU: all of them. */
};

static inline unsigned int ptCpuChannel(unsigned int cpu, unsigned int place)
{
	return cpu * PT_CPU_STATES_MAX + place;
}

static inline unsigned int ptCpuOf(unsigned int channel)
{
	return channel / PT_CPU_STATES_MAX;
}

static inline unsigned int ptCpuPlaceOf(unsigned int channel)
{
	return channel % PT_CPU_STATES_MAX;
}

/** Find the CPUs that there may be. */
int ptCpuPresent(const char *root, struct ptCpuSet *set);

#endif
