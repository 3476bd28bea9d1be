/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Load levels of components: phases one after the other, which a controller
 * keeps at their targets.
 *
 * Workers use the components; all have the same phases with absolute times.
 * libRUT measures the load of all processes, and a controller corrects what the
 * workers do. The mean of a level begins 2 s after its start, and levels of 3 s
 * or more are judged.
 */
#ifndef HD_LOAD_LEVELS_H
#define HD_LOAD_LEVELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hdTrace.h>
#include "LoadLevels/core/kind.h"

/** How long a level settles before its mean begins, and how long a level must
 *  be to be judged. */
#define HD_LEVEL_SETTLE_NS INT64_C(2000000000)
#define HD_LEVEL_JUDGED_NS INT64_C(3000000000)

/** Stolen time, as a fraction, above which a level is disturbed. */
#define HD_LEVEL_STEAL 0.01

/** Components that run at the same time. */
#define HD_LEVEL_KINDS_MAX 9

/** A phase of a load. */
struct hdLevelPhase {
	int64_t startNs; /**< Since the start of the load. */
	int64_t endNs;
	double target; /**< From 0 to 1. */
	bool isCalibration;
	bool isPause; /**< No level, but idle time between levels. */
};

/** Phases; all zero: there are none. */
struct hdLevelPhases {
	struct hdLevelPhase *list;
	size_t count;
};

/** Add a phase behind the others; 0 or -ENOMEM. */
int hdLevelPhasesAdd(struct hdLevelPhases *phases, int64_t lengthNs,
		     double target, bool isCalibration, bool isPause);

/** Free the phases. */
void hdLevelPhasesClear(struct hdLevelPhases *phases);

/** Result of a level of one component. Shares are fractions; NaN: unknown. */
struct hdLevelResult {
	const struct hdLoadKind *kind;
	const struct hdLevelPhase *phase;
	double reached;
	double own;
	double steal;
	double rate; /**< Operations per second. */
	int64_t operations;
	bool isJudged;
	bool isReached;
	const char *reason; /**< Why it is not reached; "" if unknown. */
	double quota;       /**< CPUs that this process may use. */
};

/** A load. */
struct hdLevelJob {
	const struct hdLoadKind *kinds[HD_LEVEL_KINDS_MAX];
	size_t kindCount;
	const int *cpus;
	size_t cpuCount;
	bool isOfNode; /**< Targets hold for the CPUs together, not for each. */
	struct hdLevelPhases phases;
	struct hdLoadSetup setup;
	double rate;         /**< Amount per second at 100 %; 0: calibrate. */
	int arrivals;        /**< enum hdLoadArrivalsKind. */
	uint64_t seed;       /**< Of the arrivals. */
	hdTrace *host;       /**< Gets states `Level`; may be NULL. */
	hdTrace *const *cpu; /**< Get states `Load` and `Idle`; may be NULL. */
	int edgesFd;         /**< Gets edges; 0: nowhere. */
	double maxTemperature; /**< In degrees Celsius; 0: no limit. */
	int64_t minFree;       /**< Memory and disk that stay free, in bytes. */
	const char *root;      /**< In front of /proc and /sys: "". */
	/** Called after each level, by the thread of hdLevelRun(). */
	void (*done)(void *context, const struct hdLevelResult *result);
	/** Called several times per second with the time that has passed. */
	void (*progress)(void *context, int64_t passedNs);
	void *context;
};

/** How a load ended. */
enum hdLevelEnd {
	HD_LEVEL_COMPLETE,
	HD_LEVEL_INTERRUPTED, /**< By a signal that cliPrepare() blocks. */
	HD_LEVEL_TOO_HOT,
	HD_LEVEL_NO_SPACE, /**< Less memory or disk is free than minFree. */
	HD_LEVEL_EDGE_LOST,
};

/**
 * Run a load.
 *
 * @param[out] end How it ended.
 * @param[out] failed Kind of a worker that failed, or NULL.
 *
 * @return 0, or the negative errno of a worker or of the measurement.
 */
int hdLevelRun(const struct hdLevelJob *job, enum hdLevelEnd *end,
	       const struct hdLoadKind **failed);

#endif
