/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What nodes say over time, as an HDTrace project.
 *
 * A node is a Host, from when it has first answered on. Its group Utilization
 * has what libRUT records, by the same names; Energy has what the node's meters
 * have measured. Times are those of our clock.
 */
#ifndef HD_NODE_NODERECORDING_H
#define HD_NODE_NODERECORDING_H

#include "NodeStatus/command/hdnode.h"

/** A project that is being recorded. */
struct nodeRecording;

/**
 * Begin a project without nodes.
 *
 * @param project Its name, with directory.
 *
 * @return To be given to nodeRecordingEnd(); NULL after a message: it exists,
 *         or cannot be written.
 */
struct nodeRecording *nodeRecordingBegin(const struct cliCommand *command,
					 const char *project);

/** Record what is new since the last pull. What cannot be written is said once.
 */
void nodeRecordingTake(struct nodeRecording *recording,
		       hdNode_Collector *collector);

/**
 * Write what is left, and free all.
 *
 * @retval false Something could not be written; that was said.
 */
bool nodeRecordingEnd(struct nodeRecording *recording);

#endif
