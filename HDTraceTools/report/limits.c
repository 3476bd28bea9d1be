/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace report --fail=KIND>LIMIT: findings that are too large end the command
 * with another status.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/report/report.h"
#include "common/duration.h"

/** How much of a kind is accepted. */
struct limit {
	const char *text;
	size_t kindLength;
	double percent; /**< Of all time; less than 0: see time. */
	int64_t time;
};

static bool limitIsOf(const struct limit *limit, const char *kind)
{
	return strlen(kind) == limit->kindLength &&
	       strncmp(kind, limit->text, limit->kindLength) == 0;
}

static bool limitReadKind(struct limit *limit)
{
	const char *end = strchr(limit->text, '>');

	if (!end)
		return false;
	limit->kindLength = (size_t)(end - limit->text);
	for (size_t i = 0; findingsOtherKind(i); i++) {
		if (limitIsOf(limit, findingsOtherKind(i)))
			return true;
	}
	for (int i = 0; i < WAIT_KINDS; i++) {
		if (limitIsOf(limit, waitKindInfo(i)->name))
			return true;
	}
	return false;
}

static bool limitReadAmount(struct limit *limit)
{
	const char *text = limit->text + limit->kindLength + 1;
	char *end;

	limit->percent = g_ascii_strtod(text, &end);
	if (end != text && strcmp(end, "%") == 0)
		return limit->percent >= 0 && limit->percent <= 100;
	limit->percent = -1;
	return hdDurationParse(text, 0, &limit->time, NULL) == 0 &&
	       limit->time >= 0;
}

static bool limitRead(struct limit *limit, const char *text)
{
	*limit = (struct limit){ .text = text };
	return limitReadKind(limit) && limitReadAmount(limit);
}

int reportCheckLimits(struct report *report)
{
	struct limit limit;

	for (size_t i = 0; report->limits && report->limits[i]; i++) {
		if (!limitRead(&limit, report->limits[i]))
			return toolUsage(report->findings.tool,
					 "--fail: invalid limit \"%s\"; "
					 "expected KIND>NUMBER%% or "
					 "KIND>DURATION, such as "
					 "late-sender>5%%",
					 report->limits[i]);
	}
	return -1;
}

/** Whether there is more than accepted. */
static bool limitIsExceeded(const struct limit *limit,
			    const struct findings *findings)
{
	int64_t time = 0, of = 1;

	/* Those of a kind in all regions together. */
	for (guint i = 0; i < findings->list->len; i++) {
		const struct finding *finding =
			&g_array_index(findings->list, struct finding, i);

		if (!limitIsOf(limit, finding->kind))
			continue;
		time += finding->time;
		of = finding->of;
	}
	return limit->percent < 0
		       ? time > limit->time
		       : (double)time * 100 > limit->percent * (double)of;
}

bool reportExceedsLimits(const struct report *report)
{
	struct limit limit;
	bool isAny = false;

	for (size_t i = 0; report->limits && report->limits[i]; i++) {
		limitRead(&limit, report->limits[i]);
		if (!limitIsExceeded(&limit, &report->findings))
			continue;
		fprintf(stderr, "hdtrace report: limit exceeded: %s\n",
			limit.text);
		isAny = true;
	}
	return isAny;
}
