/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where states go; see output.h. */
#include "config.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <hdMPI.h>
#include <hdTopology.h>
#include <hdTrace.h>
#include "OpenMPTracingLibrary/src/omplog.h"
#include "OpenMPTracingLibrary/src/options.h"
#include "OpenMPTracingLibrary/src/output.h"
#include "common/clock.h"
#include "common/format/level.h"
#include "common/format/projectname.h"
#include "common/tscclock.h"
#include "recording/cputime.h"

/* Entries of CPU time are so far apart at least. */
#define CPU_INTERVAL_MS 10

/* One of our own. */
struct lane {
	hdTrace *trace;
	struct hdCpuTime cpu;
	hdTopoNode *node; /* Until it is known whether there is CPU time. */
};

static struct {
	/* Of libhdMPI, or NULL: there are traces of our own. */
	const struct hdMPI_recorder *recorder;
	pthread_mutex_t lock;
	hdTopology *topology;
	bool hasFailed;
} output = { .lock = PTHREAD_MUTEX_INITIALIZER };

void ompOutputInit(void)
{
	const struct hdMPI_recorder *(*get)(void);

	/* The way of POSIX from an object to a function. */
	*(void **)&get = dlsym(RTLD_DEFAULT, "hdMPI_getRecorder");
	output.recorder = get ? get() : NULL;
	/* Its files have times of ours, too. */
	hdTscClockFollow();
}

bool ompOutputIsOfThread(void)
{
	return output.recorder != NULL;
}

/* Once a process: what fails here fails for all threads. */
static hdTopology *outputTopology(void)
{
	const char *levels[] = { HD_LEVEL_HOST, HD_LEVEL_RANK,
				 HD_LEVEL_THREAD };
	char project[HD_PROJECT_PATH_MAX];

	if (output.topology || output.hasFailed)
		return output.topology;
	if (ompOptionsProject(project, sizeof(project)))
		output.topology = hdT_createTopology(project, levels, 3);
	output.hasFailed = !output.topology;
	if (output.hasFailed)
		ompMessage(
			HD_LOG_ERROR,
			"nothing is recorded: the project cannot be created");
	return output.topology;
}

static struct lane *outputLane(unsigned int number)
{
	char host[HD_PROJECT_PATH_MAX], thread[16];
	const char *path[] = { host, "0", thread };
	struct lane *lane = calloc(1, sizeof(*lane));

	if (!lane)
		return NULL;
	ompOptionsHost(host, sizeof(host));
	snprintf(thread, sizeof(thread), "%u", number);
	lane->node = hdT_createTopoNode(output.topology, path, 3);
	lane->trace = lane->node ? hdT_createTrace(lane->node) : NULL;
	if (lane->trace && hdT_setTimeBase(lane->trace, hdClockBase()) == 0)
		return lane;
	/* libhdTrace says why. */
	output.hasFailed = true;
	if (lane->node)
		hdT_destroyTopoNode(lane->node);
	free(lane);
	return NULL;
}

void *ompOutputOpen(unsigned int number)
{
	struct lane *lane = NULL;

	if (output.recorder)
		return output.recorder->thread();
	pthread_mutex_lock(&output.lock);
	if (!output.hasFailed && outputTopology())
		lane = outputLane(number);
	pthread_mutex_unlock(&output.lock);
	return lane;
}

void ompOutputClose(void *self)
{
	struct lane *lane = self;

	if (output.recorder)
		return;
	hdT_finalize(lane->trace);
	hdCpuTimeClose(&lane->cpu);
	if (lane->node)
		hdT_destroyTopoNode(lane->node);
	free(lane);
}

void ompOutputEnd(void)
{
	if (output.topology)
		hdT_destroyTopology(output.topology);
	output.topology = NULL;
	output.hasFailed = true;
}

static hdTrace *laneOf(void *self)
{
	return ((struct lane *)self)->trace;
}

/* A time of files; of the wall clock for libhdMPI, which converts it back. */
static struct timespec outputTime(int64_t when)
{
	return hdClockToTimespec(when + (output.recorder ? hdClockStep() : 0));
}

bool ompOutputBegin(void *self, const char *name, int64_t when)
{
	struct timespec time;

	if (when >= 0)
		time = outputTime(when);
	if (output.recorder)
		return output.recorder->start(self, name,
					      when < 0 ? NULL : &time) >= 0;
	return (when < 0 ? hdT_logStateStart(laneOf(self), name)
			 : hdT_logStateStartAt(laneOf(self), name, &time)) == 0;
}

void ompOutputFinish(void *self, int64_t when)
{
	struct timespec time;

	if (when >= 0)
		time = outputTime(when);
	if (output.recorder)
		output.recorder->end(self, when < 0 ? NULL : &time);
	else if (when < 0)
		hdT_logStateEnd(laneOf(self));
	else
		hdT_logStateEndAt(laneOf(self), &time);
}

void ompOutputAttributes(void *self, const char *keys, const int64_t *values)
{
	if (output.recorder)
		output.recorder->attributes(self, keys, values);
	else
		hdT_logAttributesInt64(laneOf(self), keys, values);
}

void ompOutputText(void *self, const char *key, const char *value)
{
	if (output.recorder)
		output.recorder->text(self, key, value);
	else
		hdT_logAttributeString(laneOf(self), key, value);
}

void ompOutputCpu(void *self, int64_t now, int64_t used)
{
	struct lane *lane = self;

	if (output.recorder) {
		output.recorder->cpu(self, now, used);
	} else if (hdCpuTimeIsDue(&lane->cpu, now)) {
		hdCpuTimeWrite(&lane->cpu, now, used);
	} else if (lane->node) {
		hdCpuTimeOpen(&lane->cpu, lane->node, 3, CPU_INTERVAL_MS, now,
			      used);
		hdT_destroyTopoNode(lane->node);
		lane->node = NULL;
	}
}
