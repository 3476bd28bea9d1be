/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a level is reached; see judge.h. */
#include "config.h"

#include <math.h>

#include "LoadLevels/control/judge.h"
#include "LoadLevels/control/limits.h"
#include "LoadLevels/core/load.h"

/* Tolerance of rates of operations that arrive, in points, as of SPEC. */
#define JUDGE_ARRIVALS_TOLERANCE 2.0
#define JUDGE_ARRIVALS_TOLERANCE_FULL 2.5

void hdLevelJudgeShare(struct hdLevelResult *result)
{
	double tolerance = result->kind->tolerance / 100;
	double target = result->phase->target;
	double least = target - tolerance;
	double most = target >= 1 ? INFINITY : target + tolerance;

	result->isReached =
		!(result->reached < least) && !(result->reached > most);
}

void hdLevelJudgeRate(struct hdLevelResult *result, double maximum)
{
	double target = result->phase->target;
	double error = 100 * (result->rate / maximum - target);
	double below = target > 0.85 ? JUDGE_ARRIVALS_TOLERANCE_FULL
				     : JUDGE_ARRIVALS_TOLERANCE;

	result->isReached =
		error <= JUDGE_ARRIVALS_TOLERANCE && error >= -below;
}

/* The calling thread is not pinned, so it may use what the process may. */
static bool judgeMayUseCpus(const struct hdLevelJob *job)
{
	int allowed[HD_LOAD_CPUS_MAX];
	size_t count = hdLoadCpus(allowed, HD_LOAD_CPUS_MAX);

	for (size_t i = 0; i < job->cpuCount; i++) {
		bool isAllowed = false;

		for (size_t j = 0; j < count && !isAllowed; j++)
			isAllowed = allowed[j] == job->cpus[i];
		if (!isAllowed)
			return false;
	}
	return true;
}

void hdLevelFindReason(const struct hdLevelJob *job, int64_t throttled,
		       struct hdLevelResult *result)
{
	double tolerance = result->kind->tolerance / 100;

	result->quota = hdLoadQuota(job->root);
	if (result->quota < result->phase->target * (double)job->cpuCount)
		result->reason = "CPU quota of the control group";
	else if (!judgeMayUseCpus(job))
		result->reason = "CPUs that the cpuset no longer has";
	else if (result->reached - result->own > tolerance)
		result->reason = "other processes use the component";
	else if (hdLoadThrottled(job->root) > throttled)
		result->reason = "CPUs throttled by heat";
	else if (result->steal > HD_LEVEL_STEAL)
		result->reason = "the hypervisor took CPU time";
	else
		result->reason = "";
}
