/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Output of hdtrace loads.
 */
#ifndef HD_LOADS_LOADS_H
#define HD_LOADS_LOADS_H

#include "HDTraceTools/loads/levels.h"

/** Print levels and ratios in the format of the tool. */
void loadsPrint(const struct tool *tool, const hdIProject *project,
		const struct levels *levels);

/** Draw power over load into a file; NULL, or an error to be freed. */
char *loadsDraw(const struct levels *levels, const char *path);

#endif
