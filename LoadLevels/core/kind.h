/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Kinds of load: what one operation on a component of a node does.
 *
 * A worker opens a kind, and then calls operate() again and again, as often as
 * the requested load needs. Operations are short, so that a worker can stop
 * and keep its pace; only operations of disks may last longer.
 */
#ifndef HD_LOAD_KIND_H
#define HD_LOAD_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Which resources workers use. */
struct hdLoadSetup {
	const char *directory; /**< For files of disks. */
	int64_t fileBytes;     /**< Size of such a file. */
	const char *peer;      /**< Address that packets are sent to. */
	int64_t memoryBytes;   /**< Memory at 100 %; 0: half of what is free. */
};

/** How the load of a kind is measured. */
enum hdLoadScale {
	/** Fraction of time that CPUs are busy; 100 % is known. */
	HD_LOAD_BUSY,
	/** Amount per second; 100 % is the rate of calibrations. */
	HD_LOAD_RATE,
	/** Amount that is held; 100 % is told by open(). */
	HD_LOAD_HELD,
};

/** A kind of load. */
struct hdLoadKind {
	const char *name;
	const char *unit; /**< Of amounts: "operations", "bytes". */
	enum hdLoadScale scale;
	bool isPerCpu;    /**< A worker for each CPU; otherwise one in all. */
	double tolerance; /**< Largest error of a level, in points. */
	/** Value of libRUT that counts the amounts of all processes; or NULL.
	 */
	const char *counter;

	/**
	 * Prepare a worker.
	 *
	 * @param[out] state For the other functions.
	 *
	 * @return 0, or a negative errno; then there is no state.
	 */
	int (*open)(const struct hdLoadSetup *setup, void **state);

	/** Do one operation; the amount, or a negative errno. */
	int64_t (*operate)(void *state);

	/** Of HD_LOAD_HELD: hold a fraction of the maximum, and return the
	 *  amount held, or a negative errno. Otherwise NULL. */
	int64_t (*hold)(void *state, double fraction);

	/** Undo open(). */
	void (*close)(void *state);
};

extern const struct hdLoadKind hdLoadCpuInt;
extern const struct hdLoadKind hdLoadCpuFloat;
extern const struct hdLoadKind hdLoadCpuVector;
extern const struct hdLoadKind hdLoadMemoryBandwidth;
extern const struct hdLoadKind hdLoadMemory;
extern const struct hdLoadKind hdLoadNetwork;
extern const struct hdLoadKind hdLoadDiskRead;
extern const struct hdLoadKind hdLoadDiskWrite;
extern const struct hdLoadKind hdLoadDiskSync;

/** Find a kind by its name; NULL: there is none. */
const struct hdLoadKind *hdLoadKindFind(const char *name);

/** All names, separated by "|". */
#define HD_LOAD_KINDS                                                   \
	"cpu-int|cpu-float|cpu-vector|memory-bandwidth|memory|network|" \
	"disk-read|disk-write|disk-sync"

#endif
