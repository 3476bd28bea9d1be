/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What several works write; see bench-project.h. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/bench/bench-project.h"
#include "tests/bench/bench.h"

hdTopoNode *benchCreateNode(const char *name)
{
	const char *levels[] = { "Host" };
	const char *path[] = { "node" };
	char *prefix = benchPath(name);
	hdTopology *topology = hdT_createTopology(prefix, levels, 1);
	hdTopoNode *node =
		topology ? hdT_createTopoNode(topology, path, 1) : NULL;

	benchCheck(node, prefix);
	hdT_destroyTopology(topology);
	free(prefix);
	return node;
}

static void projectRemove(const char *name, const char *suffix)
{
	char file[64];

	snprintf(file, sizeof(file), "%s%s", name, suffix);
	benchRemove(file);
}

hdStatsGroup *benchCreateGroup(const char *name)
{
	hdTopoNode *node = benchCreateNode(name);
	hdStatsGroup *group = hdS_createGroup("Utilization", node, 1);

	benchCheck(group, "hdS_createGroup");
	for (int i = 0; i < BENCH_COLUMNS; i++) {
		char value[16];

		snprintf(value, sizeof(value), "VALUE%d", i);
		benchCheck(hdS_addValue(group, value, DOUBLE, "B", "Memory") ==
				   0,
			   "hdS_addValue");
	}
	benchCheck(hdS_commitGroup(group) == 0, "hdS_commitGroup");
	benchCheck(hdS_enableGroup(group) == 0, "hdS_enableGroup");
	hdT_destroyTopoNode(node);
	return group;
}

void benchFinalizeGroup(hdStatsGroup *group)
{
	hdLosses losses;

	benchCheck(hdS_getLosses(group, &losses) == 0 && losses.records == 0,
		   "hdS_getLosses");
	benchCheck(hdS_finalize(group) == 0, "hdS_finalize");
}

void benchFinishGroup(hdStatsGroup *group, const char *name)
{
	benchFinalizeGroup(group);
	projectRemove(name, "_node_Utilization.stat");
}

hdTrace *benchCreateTrace(const char *name)
{
	hdTopoNode *node = benchCreateNode(name);
	hdTrace *trace = hdT_createTrace(node);

	benchCheck(trace, "hdT_createTrace");
	hdT_destroyTopoNode(node);
	return trace;
}

void benchFinalizeTrace(hdTrace *trace)
{
	hdLosses losses;

	benchCheck(hdT_getLosses(trace, &losses) == 0 && losses.records == 0,
		   "hdT_getLosses");
	benchCheck(hdT_finalize(trace) == 0, "hdT_finalize");
}

void benchFinishTrace(hdTrace *trace, const char *name)
{
	benchFinalizeTrace(trace);
	projectRemove(name, "_node.trc");
}

void benchLogStates(hdTrace *trace, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		hdT_logStateStart(trace, "Compute");
		hdT_logStateEnd(trace);
	}
}

void benchLogIntegers(hdTrace *trace, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		hdT_logStateStart(trace, "Send");
		hdT_logAttributeInt64(trace, "size", (int64_t)i * 8);
		hdT_logAttributeInt64(trace, "count", (int64_t)i);
		hdT_logAttributeInt64(trace, "tid", 11);
		hdT_logAttributeInt64(trace, "toRank", (int64_t)i & 63);
		hdT_logAttributeInt64(trace, "toTag", 1313);
		hdT_logAttributeInt64(trace, "cid", 1);
		hdT_logStateEnd(trace);
	}
}
