/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Measurements of probes as states of their threads.
 */
#ifndef HD_PROBE_STATES_H
#define HD_PROBE_STATES_H

#include <hdTopology.h>

/**
 * Record states of some probes, from now on.
 *
 * @param topology Used until hdProbeStatesStop().
 * @param node Of the process; likewise. There is a level below.
 * @param names With commas between them, or "all".
 *
 * @return 0, or an errno.
 */
int hdProbeStatesStart(hdTopology *topology, const hdTopoNode *node,
		       const char *names);

/** Whether states go elsewhere, so that the topology needs no level for
 *  threads. */
int hdProbeStatesAreElsewhere(void);

/** Record no more, and close all traces; 0, or an errno. */
int hdProbeStatesStop(void);

/** In a child of fork(): record nothing. */
void hdProbeStatesForget(void);

#endif
