/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program that links our libraries, to be made set-uid by set-uid.sh. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#include <PT.h>
#include <RUT.h>
#include <hdTrace.h>
#include <pmlib.h>

static const char *const levels[] = { "Host" };
static const char *const path[] = { "node01" };

/* Whether the kernel has made the program a privileged one. */
static int probe(void)
{
	return getauxval(AT_SECURE) ? 0 : 1;
}

/* Do something at a node of a project. */
static int useNode(const char *project, int (*use)(hdTopoNode *node))
{
	hdTopology *topology =
		hdT_createTopology(project, (const char **)levels, 1);
	hdTopoNode *node = hdT_createTopoNode(topology, (const char **)path, 1);
	int result = use(node);

	hdT_destroyTopoNode(node);
	hdT_destroyTopology(topology);
	return result;
}

static int writeTraceAt(hdTopoNode *node)
{
	hdTrace *trace = hdT_createTrace(node);

	if (!trace)
		return errno == HD_ERR_CREATE_FILE ? 3 : 4;
	return hdT_finalize(trace) == 0 ? 0 : 5;
}

static int writeTrace(void)
{
	return useNode("P", writeTraceAt);
}

/* Its result shows whether RUT_BACKEND was looked at. */
static int useRutAt(hdTopoNode *node)
{
	rutSources sources;
	UtilTrace *trace;

	RUTSRC_UNSET_ALL(sources);
	RUTSRC_SET_MEM(sources);
	if (rut_createTrace(node, 1, sources, 1000, &trace) != 0)
		return 3;
	return rut_finalizeTrace(trace) == 0 ? 0 : 4;
}

static int useRut(void)
{
	return useNode("R", useRutAt);
}

/* It says that there is no such file, unless PT_VERBOSITY silences it. */
static int usePt(void)
{
	PowerTrace *trace;

	return pt_createTrace("missing.cfg", NULL, &trace) == PT_ECONFNOTFOUND
		       ? 0
		       : 3;
}

/* Why nobody answers shows whether PM_SERVERS leads to another place. */
static int usePm(void)
{
	server_t server;
	char **list;
	int count;

	if (pm_set_server("127.0.0.1", 1, &server) != 0)
		return 3;
	if (pm_get_devices(server, &list, &count) == 0)
		return 4;
	return errno == ECONNREFUSED ? 0 : 5;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} uses[] = {
		{ "probe", probe }, { "writing", writeTrace },
		{ "rut", useRut },  { "pt", usePt },
		{ "pm", usePm },
	};

	for (size_t i = 0; argc == 2 && i < sizeof(uses) / sizeof(*uses); i++)
		if (strcmp(argv[1], uses[i].name) == 0)
			return uses[i].run();
	return 2;
}
