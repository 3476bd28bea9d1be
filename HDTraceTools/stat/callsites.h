/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace stat --regions --by-site: states by where they were called.
 */
#ifndef HD_STAT_CALLSITES_H
#define HD_STAT_CALLSITES_H

#include "HDTraceTools/command/select.h"
#include "HDTraceTools/command/core/tool.h"
#include "HDTraceTools/model/attribution.h"

/**
 * Print the own time and energy of states by their call sites.
 *
 * @param pattern For the names of states.
 * @param rule How power is divided.
 *
 * @retval 0 Success, as far as messages say.
 * @retval -1 Error; it was said.
 */
int callSitesPrint(struct tool *tool, const hdIProject *project,
		   const struct selection *selection, const char *pattern,
		   enum attributionRule rule);

#endif
