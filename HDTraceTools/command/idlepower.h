/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The power of an idle node, as an option: a number, or a power model.
 */
#ifndef HD_COMMAND_IDLEPOWER_H
#define HD_COMMAND_IDLEPOWER_H

#include "HDTraceTools/command/core/tool.h"

/**
 * Parse an option --idle-power.
 *
 * @param text A number of W, or a file of hdtrace power-model; NULL: nothing is
 *        done.
 *
 * @return -1, or the exit status.
 */
int idlePowerParse(struct tool *tool, const char *text, double *power);

#endif
