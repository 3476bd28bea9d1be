/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program whose recording fails, to be looked at by losses.sh. It prints the
 * results of the calls, and ends well whatever they are. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include <PT.h>
#include <RUT.h>
#include <hdStats.h>
#include <hdTrace.h>

static const char *const levels[] = { "Host", "Rank" };

/* Two traces of ranks that come one after the other. */
static void useTraces(hdTopology *topology, hdTopoNode *host)
{
	(void)host;
	for (int i = 0; i < 2; i++) {
		const char *path[] = { "n", i == 0 ? "0" : "1" };
		hdTopoNode *node = hdT_createTopoNode(topology, path, 2);
		hdTrace *trace = hdT_createTrace(node);

		printf("trace %d: %s\n", i, trace ? "is there" : "none");
		if (trace)
			hdT_finalize(trace);
		hdT_destroyTopoNode(node);
	}
}

static void useGroups(hdTopology *topology, hdTopoNode *host)
{
	(void)topology;
	for (int i = 0; i < 2; i++) {
		hdStatsGroup *group = hdS_createGroup("Things", host, 1);

		printf("group %d: %s\n", i, group ? "is there" : "none");
		if (group) {
			hdS_commitGroup(group);
			hdS_finalize(group);
		}
	}
}

static void useRut(hdTopology *topology, hdTopoNode *host)
{
	rutSources sources;
	UtilTrace *trace;

	(void)topology;
	RUTSRC_UNSET_ALL(sources);
	RUTSRC_SET_MEM(sources);
	for (int i = 0; i < 2; i++) {
		int ret = rut_createTrace(host, 1, sources, 1000, &trace);

		printf("rut %d: %d\n", i, ret);
		if (ret == RUT_SUCCESS)
			rut_finalizeTrace(trace);
	}
}

static void usePt(hdTopology *topology, hdTopoNode *host)
{
	PowerTrace *trace;

	(void)topology;
	(void)host;
	for (int i = 0; i < 2; i++) {
		int ret = pt_createTrace("pt.cfg", NULL, &trace);

		printf("pt %d: %d\n", i, ret);
		if (ret == PT_SUCCESS)
			pt_finalizeTrace(trace);
	}
}

/* More than a file may have. */
static void useFull(hdTopology *topology, hdTopoNode *host)
{
	const struct rlimit limit = { 65536, 65536 };
	hdTrace *trace = hdT_createTrace(host);

	(void)topology;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	for (int i = 0; trace && i < 10000; i++) {
		hdT_logStateStart(trace, "State");
		hdT_logStateEnd(trace);
	}
	printf("full: %d\n", trace ? hdT_finalize(trace) : 1);
}

/* States that lie deeper than readers take. */
static void useDeep(hdTopology *topology, hdTopoNode *host)
{
	hdTrace *trace = hdT_createTrace(host);

	(void)topology;
	for (int i = 0; i < 1000; i++)
		hdT_logStateStart(trace, "State");
	for (int i = 0; i < 1000; i++)
		hdT_logStateEnd(trace);
	printf("deep: %d\n", hdT_finalize(trace));
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*use)(hdTopology *topology, hdTopoNode *host);
	} uses[] = {
		{ "traces", useTraces }, { "groups", useGroups },
		{ "rut", useRut },       { "pt", usePt },
		{ "full", useFull },     { "deep", useDeep },
	};
	const char *path[] = { "n" };
	hdTopology *topology;
	hdTopoNode *host;

	if (argc != 3)
		return 2;
	topology = hdT_createTopology(argv[1], (const char **)levels, 2);
	host = hdT_createTopoNode(topology, path, 1);
	for (size_t i = 0; i < sizeof(uses) / sizeof(*uses); i++)
		if (strcmp(argv[2], uses[i].name) == 0)
			uses[i].use(topology, host);
	hdT_destroyTopoNode(host);
	hdT_destroyTopology(topology);
	return 0;
}
