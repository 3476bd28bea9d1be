/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace usage: the behaviour of a program, learnt from its runs.
 *
 * A run is a node of a project. It has phases: those that hdpower run recorded,
 * regions that the program names, or intervals of constant utilization. Each
 * phase has its time, power and utilization at each clock at which it ran.
 */
#ifndef HD_USAGE_USAGE_H
#define HD_USAGE_USAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <glib.h>

#include "HDTraceTools/command/core/scan.h"
#include "HDTraceTools/model/phases.h"
#include "HDTraceTools/powermodel/powermodel.h"

/** Utilization by which phases are found and recognised. */
enum usageLoad {
	USAGE_CPU,
	USAGE_BANDWIDTH,
	USAGE_NETWORK,
	USAGE_READ,
	USAGE_WRITE,
	USAGE_LOADS,
};

/** Keys of the file: "cpu_percent" ... */
extern const char *const usageLoadKeys[USAGE_LOADS];

/** Origin of the phases. */
enum usageSource {
	USAGE_FROM_OPTIONS,
	USAGE_FROM_PROGRAM, /**< Told by hdPower_phase(). */
	USAGE_FROM_REGIONS,
	USAGE_FROM_UTILIZATION,
};

/** Words for origins. */
extern const char *const usageSourceNames[];

/** A clock limit over a time. */
struct usageClock {
	int64_t start;
	int64_t end;
	double mhz;
};

/** A phase in a run. */
struct usageSample {
	char *phase;
	double mhz;               /**< NaN: unknown. */
	double time;              /**< In s, of all its occurrences. */
	double power;             /**< Mean, in W. */
	double load[USAGE_LOADS]; /**< NaN: unknown. */
};

/** An occurrence of a phase. */
struct usageInterval {
	char *project, *node, *phase;
	int64_t start; /**< Since the start of the project. */
	int64_t end;
};

/** A phase at a clock, over all runs. */
struct usagePoint {
	double mhz;
	size_t runs;
	double time,
		timeSpread; /**< Mean, standard deviation (NaN: one run). */
	double power, powerSpread;
	double load[USAGE_LOADS];
};

/** A learnt phase. */
struct usagePhase {
	char *name;
	GArray *points;     /**< struct usagePoint, by increasing clock. */
	double sensitivity; /**< Part of the time that depends on the CPU clock,
				 at the highest one; NaN: one clock. */
	bool isEdited;      /**< The file keeps what a user wrote. */
};

/** All that is learnt. */
struct usage {
	struct tool *tool;
	GArray *samples;   /**< struct usageSample */
	GArray *intervals; /**< struct usageInterval */
	GPtrArray *phases; /**< struct usagePhase, in the order of the runs. */
	size_t runs;
	size_t refused; /**< Phases of runs that cannot be used. */
	enum usageSource source;
	double time;    /**< Of all runs, in s. */
	double covered; /**< Of it, in phases. */
	/** Mean utilization of found phases, from which later runs know them:
	 *  double[USAGE_LOADS] each. */
	GArray *found;
};

/**
 * Read the runs of a project.
 *
 * @param given Phases that options name; without any, they are looked for.
 *
 * @return 0, or the negative errno of a temporary file; other problems were
 *         said.
 */
int usageRead(struct usage *self, const struct scan *scan,
	      const struct phases *given);

/** Find phases in the utilization of a run: intervals of constant load. Equal
 *  ones have the same name, in this and other runs. @p phases is empty. */
void usageFind(struct usage *self, const struct modelRun *run,
	       struct phases *phases);

/** Make phases of all samples. */
void usageLearn(struct usage *self);

/** Free a phase. */
void usageFreePhase(void *phase);

/** Write the file; phases of @p before, the text of an earlier one or NULL,
 * that were edited stay as they are and are marked. */
void usageWrite(struct usage *self, const char *before, FILE *file);

/** Print what was learnt. */
void usagePrint(const struct usage *self, const char *path);

#endif
