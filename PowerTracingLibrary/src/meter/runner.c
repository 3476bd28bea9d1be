/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A meter and the thread that runs it; see runner.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <PT.h>
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/meter/loop.h"
#include "PowerTracingLibrary/src/meter/runner.h"
#include "common/sampler.h"

static void runnerStart(void *context)
{
	struct ptRunner *runner = context;

	ptMeterStart(&runner->meter);
}

static void runnerSample(void *context, uint64_t number, bool isLast)
{
	struct ptRunner *runner = context;

	(void)number;
	if (!isLast || runner->meter.isMeasuring)
		ptMeterRead(&runner->meter);
	if (isLast)
		ptMeterStop(&runner->meter);
}

static const struct hdSamplerCalls runnerCalls = {
	.begin = runnerStart,
	.sample = runnerSample,
};

int ptRunnerInit(struct ptRunner *runner, const struct ptConfig *config,
		 const char *root)
{
	int ret;

	*runner = (struct ptRunner){
		.wakeFd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
	};
	if (runner->wakeFd < 0) {
		ptMessage(HD_LOG_ERROR, "eventfd: %s", strerror(errno));
		return PT_ETHREAD;
	}
	hdOwnedSet(&runner->wake, runner->wakeFd);
	ret = ptMeterInit(&runner->meter, config, root, runner->wakeFd);
	if (ret < 0)
		close(runner->wakeFd);
	return ret;
}

int ptRunnerBegin(struct ptRunner *runner)
{
	const struct ptConfig *config = runner->meter.config;
	int ret;

	if (config->driver->timing == PT_TIMED_BY_HOST)
		ret = hdSamplerCreate(config->cycleNs, &runnerCalls, runner,
				      &runner->sampler);
	else
		ret = ptLoopCreate(&runner->meter, runner->wakeFd,
				   &runner->loop);
	if (ret == 0)
		return 0;
	if (ret == -ENOMEM)
		return PT_EMEMORY;
	ptMessage(HD_LOG_ERROR, "cannot create the tracing thread");
	return PT_ETHREAD;
}

int ptRunnerSet(struct ptRunner *runner, bool isStarted)
{
	if (runner->loop)
		return ptLoopSet(runner->loop, isStarted);
	return isStarted ? hdSamplerStart(runner->sampler)
			 : hdSamplerStop(runner->sampler);
}

void ptRunnerGetCounts(struct ptRunner *runner, struct ptCounts *counts)
{
	struct hdSamplerCounts sampled;

	ptMeterGetCounts(&runner->meter, counts);
	if (runner->sampler) {
		hdSamplerGetCounts(runner->sampler, &sampled);
		counts->late = sampled.late;
	}
}

bool ptRunnerEnd(struct ptRunner *runner, struct ptCounts *counts)
{
	bool isOpen;

	ptLoopDestroy(runner->loop);
	runner->loop = NULL;
	if (runner->sampler)
		hdSamplerStop(runner->sampler);
	if (counts)
		ptRunnerGetCounts(runner, counts);
	hdSamplerDestroy(runner->sampler);
	runner->sampler = NULL;
	isOpen = runner->meter.isOpen;
	ptMeterClose(&runner->meter);
	hdOwnedClose(&runner->wake, runner->wakeFd);
	return isOpen;
}

void ptRunnerForget(struct ptRunner *runner)
{
	/* The device is the parent's. */
	ptLoopForget(runner->loop);
	hdSamplerDestroy(runner->sampler);
	free(runner->meter.cells);
	hdOwnedClose(&runner->wake, runner->wakeFd);
}
