/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The colour of a state, by its name alone: the same in every view, project and
 * picture. statecolour.table has them; the viewer (draw/colours.js) does the
 * same.
 */
#ifndef HD_PLOT_STATECOLOUR_H
#define HD_PLOT_STATECOLOUR_H

#include <inttypes.h>

/** The colour of states of a name: 0xRRGGBB. */
uint32_t stateColour(const char *name);

#endif
