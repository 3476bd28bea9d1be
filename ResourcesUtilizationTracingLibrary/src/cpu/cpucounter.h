/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The kernel's counters of what CPUs do, from fine to coarse.
 *
 * CPU utilization is made of the finest counter that tells it of every CPU:
 * cpuidle, cpuacct, schedstat, else /proc/stat. Two more have been looked
 * at:  - cpu.stat of control groups, version 2. That of the root adds up the
 * ticks of all CPUs: at 250 Hz it advances in steps of 4 ms, and who happens
 * to run at a tick is charged for all of it, so that a load in step with the
 * ticks is counted too high or not at all. The idle time of /proc/stat is
 * measured. Those of other groups are exact, but count only their own tasks,
 * and so not what the node does.  - Software events of perf. cpu-clock and
 * task-clock of a CPU count the time that passes, idle or not: 1001.7 ms of
 * each CPU in a second in which none had anything to do. exclude_idle is for
 * sampling only. Records of context switches would do, at a cost for each
 * switch of the traced program.
 */
#ifndef RUT_CPUCOUNTER_H
#define RUT_CPUCOUNTER_H

#include "ResourcesUtilizationTracingLibrary/src/core/cpulist.h"
#include "ResourcesUtilizationTracingLibrary/src/core/kernelfile.h"
#include "ResourcesUtilizationTracingLibrary/src/core/source.h"

/** A step back by more ticks is a reset. */
#define RUT_TICKS_BACK 100

/** What is known of one CPU. Times are sums since the counter was opened. */
struct rutCpu {
	bool isOnline;
	bool isReset; /**< A counter began anew, or could not be read. */
	uint64_t rawFine;
	uint64_t seenFine;
	int64_t fineNs;
	uint64_t rawIdle; /**< Ticks. */
	uint64_t rawWait; /**< Ticks. */
	int64_t idleNs;   /**< Not busy, by /proc/stat. */
};

struct rutCpuCounter;

/** A kind of counter. */
struct rutCpuCounterKind {
	const char *name;
	const char *resolution;
	/** Whether the fine counter counts idle, not busy time. */
	bool isIdle;
	/** Whether it may lag, so that rutMergeTake() is needed. */
	bool isLagging;
	/** Whether it needs /proc/stat. */
	bool needsStat;
	int (*open)(struct rutCpuCounter *counter, const char *root);
	/** Set rawFine of the CPUs to nanoseconds. */
	int (*read)(struct rutCpuCounter *counter);
};

/** Counters in use. */
struct rutCpuCounter {
	const struct rutCpuCounterKind *kind;
	struct rutCpuList list;
	struct rutCpu *cpus; /**< As many as the list has. */
	int64_t tickNs;
	int64_t readNs; /**< When they were read. */
	bool isKnown;   /**< They could be. */
	int64_t onlineReadNs;
	size_t *places; /**< Of the columns of usage_percpu. */
	size_t placeCount;
	struct rutFile online;
	struct rutFile stat;
	struct rutFile file;   /**< Of cpuacct and schedstat. */
	struct rutFile *files; /**< Of cpuidle. */
	size_t *fileEnds;      /**< Of each CPU. */
	size_t fileCount;
};

/**
 * Open the counters, the finest that works or a certain one.
 *
 * @retval -ENOENT There is none.
 */
int rutCpuCounterOpen(struct rutCpuCounter *counter, const char *root,
		      enum rutCpuSource source);

/** Read the counters; what cannot be read stays as it is, and makes isKnown
 *  false. */
void rutCpuCounterRead(struct rutCpuCounter *counter);

/** Close what was opened. */
void rutCpuCounterClose(struct rutCpuCounter *counter);

/**
 * Add the ticks since a counter of /proc/stat was last seen.
 *
 * The kernel's idle, iowait and steal may step back a little; that is not taken
 * for a reset, and what follows does not count twice.
 *
 * @return false: it was reset, and how much it counted is not known.
 */
static inline bool rutTicksFollow(uint64_t *raw, uint64_t value, uint64_t *sum)
{
	bool isReset = value<*raw && * raw - value> RUT_TICKS_BACK;

	if (value >= *raw)
		*sum += value - *raw;
	if (value >= *raw || isReset)
		*raw = value;
	return !isReset;
}

/**
 * Read the lines of the CPUs in /proc/stat.
 *
 * CPUs that have no line are set offline.
 *
 * @return Whether there is any.
 */
bool rutCpuStatParse(struct hdScan *scan, const struct rutCpuList *list,
		     struct rutCpu *cpus, int64_t tickNs);

#endif
