/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Power at the time that it was drawn: groups that are known to be late.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "HDTraceTools/command/core/delayoption.h"
#include "common/format/seconds.h"

/** What is later than that is no delay of a meter. */
#define DELAY_LARGEST_NS (60 * INT64_C(1000000000))

static bool delayOptionParseSeconds(const hdIGroup *group, const char *name,
				    int64_t *ns)
{
	*ns = 0;
	for (size_t i = 0; i < group->attributeCount; i++) {
		if (strcmp(group->attributes[i].name, name) != 0)
			continue;
		if (hdSecondsParse(group->attributes[i].value, ns) < 0 ||
		    *ns < -DELAY_LARGEST_NS || *ns > DELAY_LARGEST_NS)
			*ns = 0;
		return true;
	}
	return false;
}

bool delayOfGroup(const hdIGroup *group, int64_t *delay, int64_t *applied)
{
	bool isLate = delayOptionParseSeconds(group, "delay", delay);
	bool isApplied =
		delayOptionParseSeconds(group, "delayApplied", applied);

	/* What was taken away is all that is known. */
	if (!isLate)
		*delay = *applied;
	return isLate || isApplied;
}

void delayApply(struct tool *tool, hdIProject *project, bool isAsRecorded)
{
	for (size_t i = 0; !isAsRecorded && i < project->groupCount; i++) {
		const hdIGroup *group = project->groups[i];
		int64_t delay, applied;

		if (!delayOfGroup(group, &delay, &applied) || delay == applied)
			continue;
		hdI_shiftGroup(project, group, applied - delay);
		toolReport(tool, "stat.delay", group->file, -1, 0,
			   "times corrected by the delay of the meter: %g ms "
			   "%s than recorded (--no-delay: as recorded)",
			   fabs((double)(delay - applied)) / 1e6,
			   delay > applied ? "earlier" : "later");
	}
}
