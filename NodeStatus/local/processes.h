/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The processes of a node: which of them belong to jobs of ours, and what CPU
 * they use.
 *
 * A process is ours if it is in a job of Slurm (its control group says so, or
 * it descends from slurmstepd), if it uses our libraries (it has probes, or has
 * a .trc, .stat or .rel file open), or if it descends from one that is ours;
 * and it stays ours. All other use of the CPUs is foreign: other programs,
 * daemons, the kernel. Of other users' processes only root sees the open files.
 *
 * CPU time is that of the process and of its children that have ended and were
 * waited for; so what short-lived ones use is not lost. What ends between two
 * looks without anybody of ours to wait for it counts as foreign from the last
 * look on.
 *
 * Used by one thread at a time.
 */
#ifndef HD_NODE_PROCESSES_H
#define HD_NODE_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct nodeProcesses;

/** Prepare. @param root As of hdNodeSetup. */
struct nodeProcesses *nodeProcessesCreate(const char *root);

/** Free it; takes NULL. */
void nodeProcessesFree(struct nodeProcesses *processes);

/**
 * Look at all processes.
 *
 * @param[out] seconds CPU time that those that are ours have used since the
 *             look before; 0 the first time.
 * @param[out] count How many are ours.
 *
 * @return Whether processes could be looked at.
 */
bool nodeProcessesLook(struct nodeProcesses *processes, double *seconds,
		       size_t *count);

/** Get those that have probes, as of the last look; free() the list. */
size_t nodeProcessesProbes(const struct nodeProcesses *processes, pid_t **list);

#endif
