/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace plot: what its options say.
 */
#ifndef HD_PLOTOPTIONS_H
#define HD_PLOTOPTIONS_H

#include "HDTraceTools/command/phaseoptions.h"
#include "HDTraceTools/plot/plot.h"

/** Dots per inch if nothing is said. */
#define PLOT_DPI 200

enum plotType { PLOT_NONE, PLOT_SVG, PLOT_PNG, PLOT_PDF };

/** Options that are texts. */
struct plotOptions {
	char *align;
	gboolean isAsRecorded;
	char *type;
	char *panels;
	char *states;
	struct phaseOptions phases;
	char *time;
	char *size;
	char *fontSize;
	gboolean hasZero;
	gboolean isForced;
	gboolean isScaling;
	int dpi;
	int depth;
};

/** A running command. */
struct plotJob {
	struct plot plot;
	struct plotOptions options;
	enum plotType type;
	bool hasCurves; /**< Curves are wanted. */
	GArray *runs;   /**< Of --scaling: struct findingsScale; or NULL. */
};

/** Take the options that are texts; -1, or the exit status of a mistake. */
int plotParseOptions(struct plotJob *job);

#endif
