/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The power of a node from a power service; see service.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "NodeStatus/slurm/service.h"

/** How long it may take to end: it waits for the last reading. */
#define END_TRIES 250
#define END_US 20000

static void runRecord(const struct hdslurmService *service, const char *pt,
		      const char *node, const char *address, int input)
{
	char project[PATH_MAX + 16], nodes[PATH_MAX], server[PATH_MAX];
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	snprintf(project, sizeof(project), "--project=%s", service->project);
	snprintf(nodes, sizeof(nodes), "--nodes=%s", node);
	snprintf(server, sizeof(server), "--server=%s", address ? address : "");
	dup2(input, 0);
	dup2(null, 1);
	dup2(null, 2);
	/* What it runs ends with its input, so with us. */
	if (address)
		execl(pt, "pt", "record", "--quiet", "--anyway", project, nodes,
		      server, "--", "cat", (char *)NULL);
	else
		execl(pt, "pt", "record", "--quiet", "--anyway", project, nodes,
		      "--", "cat", (char *)NULL);
	_exit(127);
}

bool hdslurmServiceStart(struct hdslurmService *service, const char *pt,
			 const char *project, const char *node,
			 const char *address)
{
	int ends[2];

	/* No file of it is one of the step's project. */
	if (snprintf(service->project, sizeof(service->project), "%s-%s-power",
		     project, node) >= (int)sizeof(service->project) ||
	    pipe2(ends, O_CLOEXEC) < 0)
		return false;
	service->child = fork();
	if (service->child == 0)
		runRecord(service, pt, node, address, ends[0]);
	close(ends[0]);
	service->input = ends[1];
	if (service->child > 0)
		return true;
	service->child = 0;
	close(ends[1]);
	return false;
}

static void slurmServiceWaitFor(pid_t child)
{
	for (int i = 0; i < END_TRIES; i++) {
		if (waitpid(child, NULL, WNOHANG) != 0)
			return;
		usleep(END_US);
	}
	kill(child, SIGKILL);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Give a group of the other project to the step's: GROUP is Energy, Energy-2,
 * ...
 */
static bool slurmServiceGiveGroup(const struct hdslurmService *service,
				  const char *project, const char *node,
				  int number)
{
	char from[2 * PATH_MAX], to[2 * PATH_MAX], group[32] = "Energy";
	bool isTaken;

	if (number > 1)
		snprintf(group, sizeof(group), "Energy-%d", number);
	snprintf(from, sizeof(from), "%s_%s_%s.stat", service->project, node,
		 group);
	snprintf(to, sizeof(to), "%s_%s_%s.stat", project, node, group);
	/* Nothing is replaced. */
	isTaken = link(from, to) == 0;
	unlink(from);
	return isTaken;
}

bool hdslurmServiceEnd(struct hdslurmService *service, const char *project,
		       const char *node)
{
	char file[PATH_MAX + 16];
	int count = 0;

	close(service->input);
	slurmServiceWaitFor(service->child);
	service->child = 0;
	while (slurmServiceGiveGroup(service, project, node, count + 1))
		count++;
	snprintf(file, sizeof(file), "%s.proj", service->project);
	unlink(file);
	return count > 0;
}
