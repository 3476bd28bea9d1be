/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What a source of values must do to be traced.
 *
 * The tracing core knows sources only through struct rutSource. A source opens
 * its files once, says which values it has, and then puts these into the cells
 * of the entry, again and again, without allocating.
 */
#ifndef RUT_SOURCE_H
#define RUT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hdStats.h>

#include <RUT.h>
#include "common/counter.h"
#include "recording/cell.h"
#include "common/kind.h"

/** Why a source reads its counters. */
enum rutWhy {
	/** An interval begins: differences are to this. */
	RUT_WHY_BEGIN,
	/** The counters may wrap before the interval is over: see where they
	 *  are. */
	RUT_WHY_FOLLOW,
	/** The interval ends: give its values. */
	RUT_WHY_SAMPLE,
};

/** What the values of an entry are. */
struct rutColumns {
	struct rutColumn *list;
	size_t count;
	size_t size;
};

/** One value of the entries. */
struct rutColumn {
	char *name;
	hdStatsValueType type; /**< INT64, FLOAT, or DOUBLE. */
	const char *unit;
	const char *grouping;
	/** Attributes, or NULL. Not copied. */
	const char *source;
	const char *resolution;
	/** HD_KIND_DELTA only of INT64, HD_KIND_COUNTER of none. */
	enum hdKind kind;
};

/** Counters of which CPU utilization can be made. */
enum rutCpuSource {
	RUT_CPU_BEST, /**< The finest that works. */
	RUT_CPU_CPUIDLE,
	RUT_CPU_CPUACCT,
	RUT_CPU_SCHEDSTAT,
	RUT_CPU_STAT,
};

/** What the core tells sources. */
struct rutSetup {
	/** In front of /proc and /sys; "" but for tests. */
	const char *root;
	/** Mount point whose device is traced, or NULL. */
	const char *mountPoint;
	/** For tests and `rut --list`. */
	enum rutCpuSource cpuSource;
	rutSources sources;
	int64_t intervalNs;
	/** How long one is waited for that may hang: when it is read (0: for
	 *  ever) and when it is opened or closed. */
	int64_t patienceNs;
	int64_t openPatienceNs;
	/** How old values may be that hardly change. */
	int64_t restNs;
	/** The trace has a thread of its own in any case; for benchmarks. */
	bool isAlone;
	/** Cost of the tracer so far; may be NULL. */
	void (*getCost)(void *context, int64_t *cpuNs, uint64_t *late);
	void *context;
};

/** A kind of values. */
struct rutSource {
	const char *name;
	/** If what it asks may take for ever: which threads are left behind
	 * that still wait, for rutWorkerHanging(); 0 in the beginning. Such a
	 *  source has gauges only. Where setup has patienceNs it is read by a
	 * thread of its own.
	 */
	_Atomic(uint64_t) *hanging;
	/** Its values are not asked for more often than setup's restNs says. */
	bool hardlyChanges;

	/** Tell whether any source that is set belongs to this kind. */
	bool (*isWanted)(const rutSources *sources);

	/**
	 * Open files and add columns for the sources that are set.
	 *
	 * Columns that were added before it failed are removed by the core.
	 *
	 * @retval -ENOENT This node has no such thing.
	 * @retval -ENODEV The user asked for something that is not there, and
	 *         has been told.
	 */
	int (*open)(const struct rutSetup *setup, struct rutColumns *columns,
		    void **state);

	/**
	 * Read the counters.
	 *
	 * @param[out] cells The values, in the order of the columns; touched
	 *             only for RUT_WHY_SAMPLE. NaN, and HD_CELL_MISSING of
	 *             INT64, is what is not known.
	 */
	void (*read)(void *state, enum rutWhy why, union hdCell *cells);

	/** Undo open(). */
	void (*close)(void *state);
};

/** The sources of the kernel's files, one line each, in the order of their
 *  values: those of the thesis first, in its order. */
#define RUT_LINUX_SOURCES(X) \
	X(Cpu)               \
	X(Memory)            \
	X(Network)           \
	X(Disk)              \
	X(Switches)          \
	X(Frequency)         \
	X(Idle)              \
	X(Devices)           \
	X(Packets)           \
	X(Pressure)          \
	X(Counters)          \
	X(States)            \
	X(Load)              \
	X(Swap)              \
	X(Storage)           \
	X(Gpu)               \
	X(Tracer)

#define RUT_DECLARE_SOURCE(name) \
	extern const struct rutSource rut##name##Source;
RUT_LINUX_SOURCES(RUT_DECLARE_SOURCE)

/** The same as a list that ends with NULL. */
extern const struct rutSource *const rutLinuxSources[];

/** Tell whether sources of the thesis belong to a kind; for both backends. */
static inline bool rutWantsCpu(const rutSources *sources)
{
	return sources->CPU_UTIL || sources->CPU_UTIL_X;
}

/** As rutWantsCpu(). */
static inline bool rutWantsMemory(const rutSources *sources)
{
	return sources->MEM_USED || sources->MEM_FREE || sources->MEM_SHARED ||
	       sources->MEM_BUFFER || sources->MEM_CACHED;
}

/** As rutWantsCpu(). */
static inline bool rutWantsNetwork(const rutSources *sources)
{
	return sources->NET_IN_X || sources->NET_OUT_X || sources->NET_IN_EXT ||
	       sources->NET_OUT_EXT || sources->NET_IN || sources->NET_OUT;
}

/** As rutWantsCpu(). */
static inline bool rutWantsDisk(const rutSources *sources)
{
	return sources->HDD_READ || sources->HDD_WRITE;
}

/** Memory, in bytes. */
struct rutMemory {
	int64_t used;
	int64_t free;
	int64_t shared;
	int64_t buffer;
	int64_t cached;
};

/** Add the columns of memory. */
int rutMemoryAddColumns(const rutSources *sources, struct rutColumns *columns);

/** Put memory into its cells. */
void rutMemoryPut(const rutSources *sources, const struct rutMemory *memory,
		  union hdCell *cells);

/**
 * Add a column.
 *
 * @param column Its description, but for the name.
 * @param format printf format of its name.
 *
 * @retval -ENOMEM Out of memory.
 */
int rutColumnsAdd(struct rutColumns *columns, const struct rutColumn *column,
		  const char *format, ...)
	__attribute__((__format__(__printf__, 3, 4)));

/** Remove the last columns until @p count are left. */
void rutColumnsTruncate(struct rutColumns *columns, size_t count);

/** More than anything is in an interval (a petabyte; 13 days in ns), and little
 *  enough that sums of it do not overflow. */
#define RUT_AMOUNT_MAX (INT64_MAX >> 13)

/** Get what was added since the last time, in units of the counter that are
 *  worth so much; RUT_AMOUNT_MAX at most, HD_CELL_MISSING if that is not known.
 */
static inline int64_t rutCounterTake(struct hdCounter *counter, int64_t unit)
{
	uint64_t amount;

	if (!hdCounterTake(counter, &amount))
		return HD_CELL_MISSING;
	return amount < (uint64_t)(RUT_AMOUNT_MAX / unit)
		       ? (int64_t)amount * unit
		       : RUT_AMOUNT_MAX;
}

/** Begin to follow a counter with an interval, or follow it. */
static inline void rutCounterRead(struct hdCounter *counter,
				  const struct hdCounterLaw *law,
				  enum rutWhy why, uint64_t raw, int64_t nowNs)
{
	if (why == RUT_WHY_BEGIN)
		hdCounterBegin(counter, raw, nowNs);
	else
		hdCounterFollow(counter, law, raw, nowNs);
}

#endif
