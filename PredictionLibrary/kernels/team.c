/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads of a call, which last as long as it does; see team.h. */
#include "config.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#include "PredictionLibrary/kernels/team.h"
#include "common/thread.h"

/* A further thread. */
struct teamMember {
	pthread_t thread;
	bool isRunning;
	int cpu; /* Or -1. */
	uint32_t number, count;
	hdTeamPart *part;
	void *context;
};

/* Where that is forbidden the kernel says where it runs. */
static void teamPin(int cpu)
{
	cpu_set_t one;

	if (cpu < 0 || cpu >= CPU_SETSIZE)
		return;
	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static int teamCpu(const hdKernelCall *call, uint32_t number)
{
	return number < call->cpuCount ? call->cpus[number] : -1;
}

static void *teamMemberRun(void *context)
{
	struct teamMember *member = context;

	teamPin(member->cpu);
	member->part(member->context, member->number, member->count);
	return NULL;
}

void hdTeamRun(const hdKernelCall *call, uint32_t most, hdTeamPart *part,
	       void *context)
{
	uint32_t count = call->peCount < most ? call->peCount : most;
	struct teamMember *members =
		count > 1 ? calloc(count, sizeof(*members)) : NULL;
	bool isPinned = false;
	cpu_set_t all;

	if (!members) {
		part(context, 0, 1);
		return;
	}
	for (uint32_t i = 1; i < count; i++) {
		members[i] = (struct teamMember){ .cpu = teamCpu(call, i),
						  .number = i,
						  .count = count,
						  .part = part,
						  .context = context };
		members[i].isRunning =
			hdThreadStart(&members[i].thread, teamMemberRun,
				      &members[i]) == 0;
	}
	if (call->cpuCount)
		isPinned = sched_getaffinity(0, sizeof(all), &all) == 0;
	if (isPinned)
		teamPin(teamCpu(call, 0));
	part(context, 0, count);
	/* What got no thread is done here, too. */
	for (uint32_t i = 1; i < count; i++) {
		if (members[i].isRunning)
			pthread_join(members[i].thread, NULL);
		else
			part(context, i, count);
	}
	if (isPinned)
		sched_setaffinity(0, sizeof(all), &all);
	free(members);
}
