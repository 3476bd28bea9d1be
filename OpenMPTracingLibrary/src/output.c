/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where states go; see output.h. */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include <hdMPI.h>
#include <hdTopology.h>
#include <hdTrace.h>
#include "OpenMPTracingLibrary/src/message.h"
#include "OpenMPTracingLibrary/src/options.h"
#include "OpenMPTracingLibrary/src/output.h"
#include "common/clock.h"
#include "common/format/level.h"
#include "common/format/projectname.h"

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

static hdTrace *outputTrace(unsigned int number)
{
	char host[HD_PROJECT_PATH_MAX], thread[16];
	const char *path[] = { host, "0", thread };
	hdTopoNode *node;
	hdTrace *trace;

	ompOptionsHost(host, sizeof(host));
	snprintf(thread, sizeof(thread), "%u", number);
	node = hdT_createTopoNode(output.topology, path, 3);
	trace = node ? hdT_createTrace(node) : NULL;
	if (!trace && !output.hasFailed) {
		output.hasFailed = true;
		ompMessage(HD_LOG_ERROR,
			   "threads are not recorded: the trace of thread %u "
			   "cannot be created: %s",
			   number, hdT_strerror(errno));
	}
	if (node)
		hdT_destroyTopoNode(node);
	return trace;
}

void *ompOutputOpen(unsigned int number)
{
	hdTrace *trace = NULL;

	if (output.recorder)
		return output.recorder->thread();
	pthread_mutex_lock(&output.lock);
	if (!output.hasFailed && outputTopology())
		trace = outputTrace(number);
	pthread_mutex_unlock(&output.lock);
	return trace;
}

void ompOutputClose(void *trace)
{
	if (!output.recorder)
		hdT_finalize(trace);
}

void ompOutputEnd(void)
{
	if (output.topology)
		hdT_destroyTopology(output.topology);
	output.topology = NULL;
	output.hasFailed = true;
}

bool ompOutputBegin(void *trace, const char *name, int64_t when)
{
	struct timespec time;

	if (when >= 0)
		time = hdClockToTimespec(when);
	if (output.recorder)
		return output.recorder->start(trace, name,
					      when < 0 ? NULL : &time) >= 0;
	return (when < 0 ? hdT_logStateStart(trace, name)
			 : hdT_logStateStartAt(trace, name, &time)) == 0;
}

void ompOutputFinish(void *trace, int64_t when)
{
	struct timespec time;

	if (when >= 0)
		time = hdClockToTimespec(when);
	if (output.recorder)
		output.recorder->end(trace, when < 0 ? NULL : &time);
	else if (when < 0)
		hdT_logStateEnd(trace);
	else
		hdT_logStateEndAt(trace, &time);
}

void ompOutputAttributes(void *trace, const char *keys, const int64_t *values)
{
	if (output.recorder)
		output.recorder->attributes(trace, keys, values);
	else
		hdT_logAttributesInt64(trace, keys, values);
}

void ompOutputText(void *trace, const char *key, const char *value)
{
	if (output.recorder)
		output.recorder->text(trace, key, value);
	else
		hdT_logAttributeString(trace, key, value);
}
