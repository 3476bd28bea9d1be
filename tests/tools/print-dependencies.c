/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the edges of a project: KIND CERTAINTY FROM TIME TO START END, where
 * traces are numbers of the project and times are in ns. */
#include "config.h"

#include <stdio.h>

#include "HDTraceTools/model/causes/dependencies.h"
#include "HDTraceTools/model/diagnostics.h"

static const char *kindName(enum dependencyKind kind)
{
	switch (kind) {
	case DEPENDENCY_MESSAGE:
		return "message";
	case DEPENDENCY_RENDEZVOUS:
		return "rendezvous";
	case DEPENDENCY_COLLECTIVE:
		return "collective";
	case DEPENDENCY_BARRIER:
		return "barrier";
	case DEPENDENCY_COMPLETION:
		return "completion";
	case DEPENDENCY_FORK:
		return "fork";
	case DEPENDENCY_TEAM:
		return "team";
	case DEPENDENCY_RELATION:
		return "relation";
	case DEPENDENCY_RETURN:
		return "return";
	case DEPENDENCY_LINK:
		return "link";
	case DEPENDENCY_TASK:
		return "task";
	case DEPENDENCY_GRAPH:
		return "graph";
	case DEPENDENCY_SENT:
		return "sent";
	case DEPENDENCY_RECEIVED:
		return "received";
	}
	return "?";
}

static int readTrace(struct dependencies *dependencies,
		     const hdIProject *project, uint32_t number)
{
	const hdITraceFile *trace = project->traces[number];
	struct dependencyReader *ends =
		dependenciesEnter(dependencies, trace, number);
	hdITraceReader *reader =
		diagnosticsOpenTrace(project, trace, &diagnosticsDropped);
	const hdIRecord *record;
	int ret = 0;

	while (reader && ret == 0 && hdI_readTrace(reader, &record) == 1)
		ret = dependencyNote(ends, record, true);
	hdI_closeTrace(reader);
	return ret < 0 ? ret : dependenciesLeave(dependencies, ends);
}

int main(int argc, char **argv)
{
	static const char *const sure[] = { "certain", "unsure", "possible",
					    "impossible" };
	const struct dependencyFilter filter = {
		.kinds = DEPENDENCIES_BETWEEN | DEPENDENCY_COMPLETION |
			 DEPENDENCY_SENT | DEPENDENCY_RECEIVED,
	};
	hdIProject *project =
		argc == 2 ? hdI_openProject(argv[1], NULL, NULL) : NULL;
	struct dependencies *dependencies;
	struct dependencyCounts counts;
	struct dependency edge;
	int ret = 0;

	if (!project)
		return 2;
	dependencies = dependenciesNew(project, &filter);
	for (uint32_t i = 0; i < project->traceCount && ret == 0; i++)
		ret = readTrace(dependencies, project, i);
	while (ret == 0 && dependenciesNext(dependencies, &edge) == 1)
		printf("%s %s %u %" PRId64 " %u %" PRId64 " %" PRId64 "\n",
		       kindName(edge.kind), sure[edge.certainty], edge.from,
		       edge.fromTime, edge.to, edge.toStart, edge.toTime);
	counts = dependenciesCounts(dependencies);
	printf("# loose %" PRIu64 " unsure %" PRIu64 " collectives %" PRIu64
	       " backwards %" PRIu64 " clamped %" PRIu64 "\n",
	       counts.loose, counts.unsure, counts.collectives,
	       counts.backwards, counts.clamped);
	dependenciesFree(dependencies);
	hdI_closeProject(project);
	return ret < 0;
}
