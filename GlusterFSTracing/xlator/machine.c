/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is recorded of a host; see machine.h. */
#include "config.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <PT.h>
#include <RUT.h>
#include <hdError.h>

#include "GlusterFSTracing/xlator/warn.h"
#include "GlusterFSTracing/xlator/machine.h"
#include "common/clock.h"
#include "common/format/projectname.h"
#include "common/ownfile.h"
#include "common/thread.h"
#include "recording/reason.h"

/* How long the end of a host's files is waited for, so that they are complete
 * when who asked for that has the answer. */
#define END_NS 200000000

/* A thread opens the files, waits to be told that it is over, and completes
 * them. Of it and machineEnd() the last one frees all. */
struct machine {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool isOver;   /* What is said to the thread, */
	bool isAsking; /* and by it: a meter is asked, */
	bool isDone;   /* all is completed. */
	bool isLeft;   /* It is nobody's but the thread's. */
	bool isMasked; /* What it makes others cannot write to. */
	hdTopology *topology;
	char *host, *path, *meter;
	int utilizationMs;
	UtilTrace *utilization;
	PowerTrace *power;
};

/* Files of hosts are opened by one thread of this process after the other. */
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

static atomic_int ending;

/* Whether another process was first; if both are at it in this moment, the one
 * that comes second cannot make the file. */
static bool machineIsClaimed(const char *path)
{
	return access(path, F_OK) == 0;
}

/* Returns as rut_createTrace(). */
static int createUtilization(struct machine *machine)
{
	const char *labels[] = { machine->host };
	hdTopoNode *node = hdT_createTopoNode(machine->topology, labels, 1);
	rutSources sources;
	int ret;

	if (!node)
		return RUT_EMEMORY;
	RUTSRC_UNSET_ALL(sources);
	RUTSRC_SET_CPU(sources);
	RUTSRC_SET_MEM(sources);
	RUTSRC_SET_NET(sources);
	RUTSRC_SET_HDD(sources);
	ret = rut_createTrace(node, 1, sources, machine->utilizationMs,
			      &machine->utilization);
	hdT_destroyTopoNode(node);
	return ret;
}

static const char *reason(int ret)
{
	switch (ret) {
	case RUT_EHDLIB:
		return hdRecordReason(errno);
	case RUT_ETHREAD:
		return "cannot create a thread";
	case RUT_ESOURCE:
		return "no readable source";
	default:
		return "out of memory";
	}
}

/* Whether another process records this host. That this one should and cannot is
 * said. */
static bool machineStartUtilization(struct machine *machine)
{
	int ret;

	if (machineIsClaimed(machine->path))
		return true;
	ret = createUtilization(machine);
	if (ret == RUT_SUCCESS) {
		if (!machine->isMasked)
			hdOwnFileSetMode(machine->path, 0644);
		rut_startTrace(machine->utilization);
		return false;
	}
	/* Another one was first in this moment. */
	if (ret == RUT_EHDLIB && errno == HD_ERR_CREATE_FILE &&
	    machineIsClaimed(machine->path))
		return true;
	hdgWarn("the utilization of %s is not recorded: %s", machine->host,
		reason(ret));
	return false;
}

static void machineFree(struct machine *machine)
{
	pthread_cond_destroy(&machine->changed);
	pthread_mutex_destroy(&machine->lock);
	if (machine->topology)
		hdT_destroyTopology(machine->topology);
	free(machine->host);
	free(machine->path);
	free(machine->meter);
	free(machine);
}

/* Say that a meter is asked, or is not any more: whether it is not over. */
static bool machineAsks(struct machine *machine, bool isAsking)
{
	bool isOver;

	pthread_mutex_lock(&machine->lock);
	isOver = machine->isOver;
	machine->isAsking = isAsking && !isOver;
	pthread_cond_signal(&machine->changed);
	pthread_mutex_unlock(&machine->lock);
	return !isOver;
}

/* Whether files get the rights that they should have, whatever their names. */
static bool machineMayMakeFiles(const struct machine *machine)
{
	if (!machine->isMasked)
		hdgWarn("the power of %s is not recorded, because any user "
			"could "
			"write to its file",
			machine->host);
	return machine->isMasked;
}

/* That of the process, which cannot be asked for without changing it. */
static unsigned int processMask(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	unsigned int mask = 0;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Umask: %o", &mask) == 1)
			break;
	if (file)
		fclose(file);
	return mask;
}

static void machineOpen(struct machine *machine)
{
	bool isOthers;

	if (machine->utilizationMs > 0) {
		pthread_mutex_lock(&opening);
		isOthers = machineStartUtilization(machine);
		pthread_mutex_unlock(&opening);
		if (isOthers)
			return;
	}
	if (!machine->meter || !machineMayMakeFiles(machine) ||
	    !machineAsks(machine, true))
		return;
	/* Where the device is at another host, libPT says so. */
	if (pt_createTrace(machine->meter, machine->topology,
			   &machine->power) == PT_SUCCESS)
		pt_startTracing(machine->power);
	machineAsks(machine, false);
}

static void machineClose(struct machine *machine)
{
	bool isLeft;

	if (machine->utilization)
		rut_finalizeTrace(machine->utilization);
	if (machine->power)
		pt_finalizeTrace(machine->power);
	pthread_mutex_lock(&machine->lock);
	machine->isDone = true;
	isLeft = machine->isLeft;
	pthread_cond_signal(&machine->changed);
	pthread_mutex_unlock(&machine->lock);
	if (!isLeft)
		return;
	machineFree(machine);
	atomic_fetch_sub(&ending, 1);
}

/* A thread: meters are asked by network, and may not answer; whoever serves
 * does not wait for that. As bricks have no umask it has one of its own. */
static void *machineRun(void *context)
{
	struct machine *machine = context;

	machine->isMasked = unshare(CLONE_FS) == 0;
	if (machine->isMasked)
		umask(0022);
	else
		machine->isMasked = (processMask() & 0022) == 0022;
	machineOpen(machine);
	pthread_mutex_lock(&machine->lock);
	while (!machine->isOver)
		pthread_cond_wait(&machine->changed, &machine->lock);
	pthread_mutex_unlock(&machine->lock);
	machineClose(machine);
	return NULL;
}

static struct machine *machineMake(const char *path, const char *host,
				   const struct machineWhat *what)
{
	struct machine *machine = calloc(1, sizeof(*machine));
	pthread_condattr_t attributes;

	if (!machine)
		return NULL;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&machine->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	pthread_mutex_init(&machine->lock, NULL);
	machine->host = strdup(host);
	machine->path = strdup(path);
	machine->meter = what->power ? strdup(what->power) : NULL;
	machine->utilizationMs = what->utilizationMs;
	return machine;
}

struct machine *machineStart(const char *project, hdTopology *topology,
			     const char *host, const struct machineWhat *what)
{
	char path[HD_PROJECT_PATH_MAX];
	struct machine *machine;

	if (what->utilizationMs == 0 && !what->power)
		return NULL;
	snprintf(path, sizeof(path), "%s_%s_Utilization.stat", project, host);
	if (machineIsClaimed(path))
		return NULL;
	machine = machineMake(path, host, what);
	if (!machine)
		return NULL;
	machine->topology = topology;
	if (!machine->host || !machine->path ||
	    hdThreadStart(NULL, machineRun, machine) < 0) {
		machine->topology = NULL;
		machineFree(machine);
		return NULL;
	}
	return machine;
}

void machineEnd(struct machine *machine)
{
	const struct timespec until =
		hdClockToTimespec(hdMonotonicNow() + END_NS);
	bool isDone;
	int error = 0;

	pthread_mutex_lock(&machine->lock);
	machine->isOver = true;
	pthread_cond_signal(&machine->changed);
	while (!machine->isDone && !machine->isAsking && !error)
		error = pthread_cond_timedwait(&machine->changed,
					       &machine->lock, &until);
	isDone = machine->isDone;
	machine->isLeft = !isDone;
	if (!isDone)
		atomic_fetch_add(&ending, 1);
	pthread_mutex_unlock(&machine->lock);
	if (isDone)
		machineFree(machine);
}

int machineCountEnding(void)
{
	return atomic_load(&ending);
}
