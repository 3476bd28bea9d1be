/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Runs a command as a process of an MPI program; in the first process of each
 * node libRUT traces meanwhile.
 *
 *     mpirun traced PROJECT INTERVAL COMMAND [ARGUMENT...]
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <RUT.h>

/* Open MPI, MPICH and Slurm say which process of the node this is. */
static int isFirst(void)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_LOCAL_RANK",
					     "MPI_LOCALRANKID",
					     "SLURM_LOCALID" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *rank = getenv(names[i]);

		if (rank)
			return strcmp(rank, "0") == 0;
	}
	return 1;
}

static UtilTrace *startTrace(const char *project, int interval)
{
	const char *levels[] = { "Host" }, *path[] = { NULL };
	UtilTrace *trace = NULL;
	hdTopology *topology;
	hdTopoNode *node;
	rutSources sources;
	char host[256];

	gethostname(host, sizeof(host));
	host[sizeof(host) - 1] = '\0';
	path[0] = host;
	topology = hdT_createTopology(project, levels, 1);
	node = hdT_createTopoNode(topology, path, 1);
	RUTSRC_UNSET_ALL(sources);
	RUTSRC_SET_ALL(sources);
	if (rut_createTrace(node, 1, sources, interval, &trace) != RUT_SUCCESS)
		trace = NULL;
	else
		rut_startTrace(trace);
	hdT_destroyTopoNode(node);
	hdT_destroyTopology(topology);
	return trace;
}

int main(int argc, char **argv)
{
	UtilTrace *trace = NULL;
	int status = 0;
	pid_t child;

	if (argc < 4) {
		fprintf(stderr, "traced: wrong arguments\n");
		return 2;
	}
	child = fork();
	if (child == 0) {
		execvp(argv[3], argv + 3);
		perror(argv[3]);
		_exit(127);
	}
	if (child < 0)
		return 2;
	/* Threads after the fork. */
	if (isFirst())
		trace = startTrace(argv[1], atoi(argv[2]));
	waitpid(child, &status, 0);
	if (isFirst() && (!trace || rut_finalizeTrace(trace) != RUT_SUCCESS)) {
		fprintf(stderr, "traced: cannot trace\n");
		return 2;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}
