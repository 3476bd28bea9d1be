/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From options of hdload to phases; see hdload.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "LoadLevels/command/hdload.h"
#include "LoadLevels/core/plan.h"
#include "LoadLevels/operations/arrivals.h"
#include "cli/errors.h"
#include "cli/output.h"
#include "common/clock.h"

/* The length of a level: of a staircase, as of SPEC, and otherwise. */
#define PHASE_STAIRCASE_S 240.0
#define PHASE_OTHER_S 10.0
/* Calibrations that are not part of a staircase. */
#define PHASE_CALIBRATION_S 3.0
#define PHASE_CALIBRATIONS 3
/* SPEC's pause of 10 s after 240 s, in the same proportion. */
#define PHASE_PAUSE 24.0
#define PHASE_COMPONENT "cpu-int"
#define PHASES_MAX 1000000

static int64_t phasesNs(double seconds)
{
	return (int64_t)llrint(seconds * 1e9);
}

/* ---- Components ---------------------------------------------------------- */

static int phasesAddKind(struct hdLevelJob *job, const char *option,
			 const char *name)
{
	const struct hdLoadKind *kind = hdLoadKindFind(name);
	bool isTwice = false;

	for (size_t i = 0; i < job->kindCount; i++)
		isTwice |= job->kinds[i] == kind;
	if (!kind || isTwice || job->kindCount == HD_LEVEL_KINDS_MAX)
		return cliErrorValue(&hdloadCommand, option, name,
				     HD_LOAD_KINDS);
	job->kinds[job->kindCount++] = kind;
	return -1;
}

static int phasesAddKinds(struct hdLevelJob *job, const char *list)
{
	char **names = g_strsplit(list, ",", -1);
	int status = -1;

	for (size_t i = 0; names[i] && status < 0; i++)
		status = phasesAddKind(job, "component", names[i]);
	g_strfreev(names);
	return status;
}

/* "COMPONENT[:UP|DOWN]" */
static int phasesParseStaircase(const char *text, struct hdLevelJob *job,
				bool *isUp)
{
	char **parts = g_strsplit(text, ":", 2);
	const char *way = parts[0] && parts[1] ? parts[1] : "down";
	int status = phasesAddKind(job, "staircase", parts[0] ? parts[0] : "");

	*isUp = g_ascii_strcasecmp(way, "up") == 0;
	if (status < 0 && !*isUp && g_ascii_strcasecmp(way, "down") != 0)
		status = cliErrorValue(&hdloadCommand, "staircase", text,
				       "COMPONENT[:UP|DOWN]");
	g_strfreev(parts);
	return status;
}

static int phasesParseOperations(const char *text, struct hdLevelJob *job)
{
	if (!text)
		job->arrivals = HD_LOAD_ARRIVALS_NONE;
	else if (strcmp(text, "exponential") == 0)
		job->arrivals = HD_LOAD_ARRIVALS_EXPONENTIAL;
	else if (strcmp(text, "fixed") == 0)
		job->arrivals = HD_LOAD_ARRIVALS_FIXED;
	else
		return cliErrorValue(&hdloadCommand, "operations", text,
				     "exponential|fixed");
	return -1;
}

/* ---- Phases -------------------------------------------------------------- */

static int phasesPause(struct hdLevelJob *job, double seconds)
{
	if (seconds <= 0)
		return 0;
	return hdLevelPhasesAdd(&job->phases, phasesNs(seconds), 0, false,
				true);
}

/* Whether 100 % has to be measured. */
static bool phasesNeedCalibration(const struct hdloadOptions *options,
				  const struct hdLevelJob *job)
{
	if (options->rate > 0)
		return false;
	for (size_t i = 0; i < job->kindCount; i++) {
		if (job->kinds[i]->scale == HD_LOAD_RATE)
			return true;
	}
	return job->arrivals != HD_LOAD_ARRIVALS_NONE;
}

static int phasesCalibrate(const struct hdloadOptions *options,
			   struct hdLevelJob *job, double seconds, double pause)
{
	int count = options->calibrate;
	int ret = 0;

	/* With a rate, 100 % is known. */
	if (count < 0)
		count = (options->staircase && !(options->rate > 0)) ||
					phasesNeedCalibration(options, job)
				? PHASE_CALIBRATIONS
				: 0;
	for (int i = 0; i < count && ret == 0; i++) {
		ret = hdLevelPhasesAdd(&job->phases, phasesNs(seconds), 1, true,
				       false);
		if (ret == 0)
			ret = phasesPause(job, pause);
	}
	return ret;
}

static int phasesStaircase(const struct hdloadOptions *options,
			   struct hdLevelJob *job, bool isUp)
{
	double seconds =
		options->levelTime > 0 ? options->levelTime : PHASE_STAIRCASE_S;
	double pause =
		options->pause >= 0 ? options->pause : seconds / PHASE_PAUSE;
	int ret = phasesCalibrate(options, job, seconds, pause);

	for (int i = 0; i <= options->levels && ret == 0; i++) {
		int step = isUp ? i : options->levels - i;

		if (i > 0)
			ret = phasesPause(job, pause);
		if (ret == 0)
			ret = hdLevelPhasesAdd(&job->phases, phasesNs(seconds),
					       (double)step / options->levels,
					       false, false);
	}
	return ret;
}

/* Levels one after the other: square, or by chance. */
static int phasesSeries(const struct hdloadOptions *options,
			struct hdLevelJob *job)
{
	double seconds =
		options->levelTime > 0 ? options->levelTime : PHASE_OTHER_S;
	double pause = fmax(options->pause, 0);
	GRand *chance = g_rand_new_with_seed((guint32)options->seed);
	int64_t count = (int64_t)(options->duration / (seconds + pause) + 1e-9);
	int ret = phasesCalibrate(options, job, PHASE_CALIBRATION_S, pause);

	if (count < 1)
		count = 1;
	if (count > PHASES_MAX)
		ret = -EINVAL;
	for (int64_t i = 0; i < count && ret == 0; i++) {
		double target = i % 2 ? 0 : options->load;

		if (options->isRandom)
			target = (double)g_rand_int_range(chance, 0,
							  options->levels + 1) /
				 options->levels;
		ret = hdLevelPhasesAdd(&job->phases, phasesNs(seconds), target,
				       false, false);
		if (ret == 0)
			ret = phasesPause(job, pause);
	}
	g_rand_free(chance);
	return ret;
}

/* As the steps of a plan. */
static int phasesLoads(const struct hdloadOptions *options,
		       struct hdLevelJob *job)
{
	struct hdLoadPlan plan = { .count = 0 };
	int ret = hdLoadPlanText(&plan, options->loads);

	if (ret == 0)
		ret = phasesCalibrate(options, job, PHASE_CALIBRATION_S, 0);
	for (size_t i = 0; i < plan.count && ret == 0; i++) {
		int64_t end =
			i + 1 < plan.count ? plan.steps[i + 1].ns : plan.endNs;

		ret = hdLevelPhasesAdd(&job->phases, end - plan.steps[i].ns,
				       plan.steps[i].level, false, false);
	}
	hdLoadPlanClear(&plan);
	return ret;
}

static int phasesConstant(const struct hdloadOptions *options,
			  struct hdLevelJob *job)
{
	int ret = phasesCalibrate(options, job, PHASE_CALIBRATION_S, 0);

	return ret < 0 ? ret
		       : hdLevelPhasesAdd(&job->phases,
					  phasesNs(options->duration),
					  options->load, false, false);
}

/* ---- The whole ----------------------------------------------------------- */

static int phasesSayError(const struct hdloadOptions *options, int ret)
{
	if (ret == -EINVAL && options->loads)
		return cliErrorValue(&hdloadCommand, "loads", options->loads,
				     "DURATION:LOAD,...");
	if (ret == -EINVAL)
		return cliUsage(&hdloadCommand, "--duration: too many levels; "
						"use a longer --level-time");
	outSay(stderr, "hdload: %s", strerror(-ret));
	return HDLOAD_FAILED;
}

/* Rates that neither are given nor can be measured. */
static int phasesCheckRates(const struct hdloadOptions *options,
			    const struct hdLevelJob *job)
{
	if (options->rate > 0 && job->kindCount > 1)
		return cliUsage(&hdloadCommand,
				"--rate: requires a single component");
	if (options->rate > 0 && options->calibrate > 0)
		return cliUsage(&hdloadCommand,
				"--rate: cannot be combined with --calibrate");
	if (options->calibrate == 0 && phasesNeedCalibration(options, job))
		return cliUsage(&hdloadCommand,
				"--calibrate: 100 %% is unknown; use 1 or "
				"more, or --rate");
	return -1;
}

int hdloadMakePhases(const struct hdloadOptions *options,
		     struct hdLevelJob *job)
{
	bool isUp = false;
	int status = phasesParseOperations(options->operations, job);
	int ret;

	if (status < 0 && options->staircase)
		status = phasesParseStaircase(options->staircase, job, &isUp);
	else if (status < 0)
		status = phasesAddKinds(job, options->components
						     ? options->components
						     : PHASE_COMPONENT);
	if (status < 0)
		status = phasesCheckRates(options, job);
	if (status >= 0)
		return status;
	if (options->replay) {
		ret = phasesCalibrate(options, job, PHASE_CALIBRATION_S, 0);
		return ret < 0 ? phasesSayError(options, ret)
			       : hdloadReplay(options, job);
	}
	if (options->staircase)
		ret = phasesStaircase(options, job, isUp);
	else if (options->isSquare || options->isRandom)
		ret = phasesSeries(options, job);
	else if (options->loads)
		ret = phasesLoads(options, job);
	else
		ret = phasesConstant(options, job);
	return ret < 0 ? phasesSayError(options, ret) : -1;
}
