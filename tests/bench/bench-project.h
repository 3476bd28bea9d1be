/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What several works write: one group or one trace.
 */
#ifndef BENCH_PROJECT_H
#define BENCH_PROJECT_H

#include <hdStats.h>
#include <hdTrace.h>

/** Create the node of files NAME_node. */
hdTopoNode *benchCreateNode(const char *name);

/** Create an enabled group of 15 doubles, in NAME_node_Utilization.stat. */
hdStatsGroup *benchCreateGroup(const char *name);

/** Finalize it; the file stays. */
void benchFinalizeGroup(hdStatsGroup *group);

/** Finalize it and remove its file. */
void benchFinishGroup(hdStatsGroup *group, const char *name);

/** Create a trace, in NAME_node.trc. */
hdTrace *benchCreateTrace(const char *name);

/** Finalize it; the file stays. */
void benchFinalizeTrace(hdTrace *trace);

/** Finalize it and remove its file. */
void benchFinishTrace(hdTrace *trace, const char *name);

/** Record states that hold nothing. */
void benchLogStates(hdTrace *trace, size_t count);

/** Record states with the attributes of an MPI Send. */
void benchLogIntegers(hdTrace *trace, size_t count);

#endif
