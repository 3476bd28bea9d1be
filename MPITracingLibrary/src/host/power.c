/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the leader of a host records beside MPI: power. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <PT.h>
#include "MPITracingLibrary/src/host/power.h"
#include "MPITracingLibrary/src/core/mpilog.h"
#include "MPITracingLibrary/src/core/options.h"
#include "common/environment.h"
#include "common/format/projectname.h"
#include "common/ini.h"

/* So many nodes are compared with hosts; their names may be so long. */
#define NODES_MAX 64
#define NODE_MAX 256

static PowerTrace *power;

void hdmpiPowerStart(hdTopology *topology, const struct hdmpiProcess *process)
{
	const char *file = hdEnvironmentText("HDTRACE_PT_CFG");

	if (!process->isLeader || !file)
		return;
	/* Where the device is at another host, libPT says so. */
	if (pt_createTrace(file, topology, &power) == PT_SUCCESS)
		pt_startTracing(power);
	else
		power = NULL;
}

void hdmpiPowerEnd(void)
{
	if (power)
		pt_finalizeTrace(power);
	power = NULL;
}

/* ---- Nodes that are no hosts -------------------------------------------- */

/* What is wrong with the file libPT says. */
static void powerIgnore(void *context, long line, const char *text)
{
	(void)context;
	(void)line;
	(void)text;
}

/* Whether a node of the configuration is this host; each host has its own "%h".
 */
static bool powerIsHere(const char *node, const struct hdmpiProcess *process)
{
	char *name = hdProjectExpandHost(node, hdEnvironmentText("PT_HOST"));
	bool isHere = name && strcmp(name, process->host) == 0;

	free(name);
	return isHere;
}

/* The hosts of the nodes in the configuration, as their first labels say. */
static int powerNodes(const char *file, char names[NODES_MAX][NODE_MAX])
{
	struct hdIni ini;
	int count = 0;

	if (hdIniRead(file, powerIgnore, NULL, &ini) < 0)
		return 0;
	for (size_t i = 0; i < ini.count && count < NODES_MAX; i++) {
		const struct hdIniKey *key =
			hdIniFind(&ini.sections[i], "node");

		if (!key || strcmp(ini.sections[i].name, "Trace") != 0)
			continue;
		snprintf(names[count], NODE_MAX, "%.*s",
			 (int)strcspn(key->value, "_"), key->value);
		count++;
	}
	hdIniClear(&ini);
	return count;
}

/* Tell all processes how many nodes there are, and their names. */
static int powerShare(MPI_Comm world, const struct hdmpiProcess *process,
		      char names[NODES_MAX][NODE_MAX])
{
	const char *file = hdEnvironmentText("HDTRACE_PT_CFG");
	int count = 0;

	if (process->rank == 0 && file)
		count = powerNodes(file, names);
	if (PMPI_Bcast(&count, 1, MPI_INT, 0, world) != MPI_SUCCESS ||
	    count == 0 ||
	    PMPI_Bcast(names, count * NODE_MAX, MPI_CHAR, 0, world) !=
		    MPI_SUCCESS)
		return 0;
	return count;
}

void hdmpiPowerCheck(MPI_Comm world, const struct hdmpiProcess *process)
{
	char names[NODES_MAX][NODE_MAX];
	int isHere[NODES_MAX], isAnywhere[NODES_MAX];
	int count = powerShare(world, process, names);

	for (int i = 0; i < count; i++)
		isHere[i] = powerIsHere(names[i], process);
	if (count == 0 || PMPI_Allreduce(isHere, isAnywhere, count, MPI_INT,
					 MPI_MAX, world) != MPI_SUCCESS)
		return;
	for (int i = 0; i < count && process->rank == 0; i++)
		if (!isAnywhere[i])
			hdLogLoss(&hdmpiLogger,
				  "%s: node=%s: not a host of this run, so its "
				  "energy belongs to no rank; use a name like "
				  "%s",
				  hdEnvironmentText("HDTRACE_PT_CFG"), names[i],
				  process->host);
}
