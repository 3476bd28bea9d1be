/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace plot --scaling: efficiencies of runs over their ranks.
 */
#ifndef HD_PLOTSCALING_H
#define HD_PLOTSCALING_H

#include "HDTraceTools/findings/findings.h"
#include "HDTraceTools/plot/core/canvas.h"

/** How they are drawn; in points. */
struct plotScalingLook {
	const char *title;
	double width, height;
	double fontSize;
};

/** Read runs: array of struct findingsScale, fewest ranks first. NULL after an
 *  error, which was said. */
GArray *plotReadScaling(struct tool *tool, char **paths, size_t count);

/** The height of the picture where it is not given, in points. */
double plotScalingHeight(void);

/** Draw them. */
void plotDrawScaling(const struct plotScalingLook *look, const GArray *runs,
		     struct canvas *canvas);

#endif
