/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When there is how much load; see plan.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <glib.h>

#include "LoadLevels/core/plan.h"
#include "LoadLevels/cpu/sequence.h"
#include "common/clock.h"
#include "common/duration.h"

/* A day each, or of a sequence in all. */
#define LENGTH_MAX (INT64_C(86400) * 1000000000)
#define STEPS_MAX (1 << 20)

int hdLoadPlanAdd(struct hdLoadPlan *plan, double level, int64_t lengthNs)
{
	bool isNew =
		plan->count == 0 || plan->steps[plan->count - 1].level != level;
	struct hdLoadStep *steps = plan->steps;

	if (isNew) {
		steps = realloc(steps, (plan->count + 1) * sizeof(*steps));
		if (!steps)
			return -ENOMEM;
		steps[plan->count++] =
			(struct hdLoadStep){ plan->endNs, level };
		plan->steps = steps;
	}
	plan->endNs += lengthNs;
	return 0;
}

int hdLoadPlanSequence(struct hdLoadPlan *plan, unsigned int order,
		       uint32_t seed, int64_t stepNs, int64_t lengthNs)
{
	struct hdLoadSequence sequence;
	int64_t count;
	int ret = hdLoadSequenceBegin(&sequence, order, seed);

	if (ret < 0)
		return ret;
	if (stepNs < 1 || lengthNs < 0)
		return -EINVAL;
	count = lengthNs / stepNs;
	if (count < hdLoadSequenceLength(order))
		count = hdLoadSequenceLength(order);
	if (stepNs > LENGTH_MAX / count || count > STEPS_MAX)
		return -EINVAL;
	for (int64_t i = 0; i < count && ret == 0; i++)
		ret = hdLoadPlanAdd(plan, hdLoadSequenceNext(&sequence),
				    stepNs);
	return ret;
}

/* One number, and the character behind it. */
static const char *loadPlanParseNumber(const char *text, double *number)
{
	char *end;

	*number = g_ascii_strtod(text, &end);
	return end > text ? end : NULL;
}

/* A number of seconds, such as 2e0. */
static bool loadPlanParseSeconds(const char *text, int64_t *ns)
{
	double seconds;
	const char *end = loadPlanParseNumber(text, &seconds);

	if (!end || *end || !(seconds >= 0 && seconds <= LENGTH_MAX / 1e9))
		return false;
	*ns = (int64_t)(seconds * 1e9);
	return true;
}

/* A duration, in seconds without a unit; the colon behind it, or NULL. */
static const char *takeDuration(const char *text, int64_t *ns)
{
	const char *colon = strchr(text, ':');
	char *duration;
	int ret;

	if (!colon)
		return NULL;
	duration = g_strndup(text, (size_t)(colon - text));
	ret = loadPlanParseSeconds(duration, ns)
		      ? 0
		      : hdDurationParse(duration, HD_NS_PER_S, ns, NULL);
	g_free(duration);
	return ret == 0 && *ns >= 1000000 && *ns <= LENGTH_MAX ? colon : NULL;
}

/* "DURATION:LEVEL"; what stands behind it, or NULL. */
static const char *takeStep(const char *text, int64_t *ns, double *level)
{
	const char *end = takeDuration(text, ns);

	end = end ? loadPlanParseNumber(end + 1, level) : NULL;
	if (!end || (*end && *end != ',') || !(*level >= 0 && *level <= 1))
		return NULL;
	return end;
}

int hdLoadPlanText(struct hdLoadPlan *plan, const char *text)
{
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < STEPS_MAX; i++) {
		double level;
		int64_t ns;
		const char *end = takeStep(text, &ns, &level);

		if (!end)
			return -EINVAL;
		ret = hdLoadPlanAdd(plan, level, ns);
		if (!*end)
			return ret;
		text = end + 1;
	}
	return ret < 0 ? ret : -EINVAL;
}

void hdLoadPlanClear(struct hdLoadPlan *plan)
{
	free(plan->steps);
	*plan = (struct hdLoadPlan){ .count = 0 };
}
