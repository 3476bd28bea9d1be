/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The option --window: entries are merged over equally long parts of the time.
 */
#include "config.h"

#include <errno.h>

#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/command/windowoption.h"
#include "cli/errors.h"
#include "common/duration.h"
#include "common/format/seconds.h"

void windowOptionFree(struct windowOption *option)
{
	g_free(option->text);
}

int windowOptionParse(struct windowOption *option, struct tool *tool)
{
	int ret;

	option->length = 0;
	if (!option->text)
		return -1;
	ret = hdSecondsParse(option->text, &option->length);
	if (ret == -EINVAL)
		ret = hdDurationParse(option->text, 0, &option->length, NULL);
	if (ret < 0)
		return toolInvalidDuration(tool, "window", option->text);
	if (option->length <= 0)
		return toolUsage(tool, CLI_TEXT_DURATION_RANGE, "window",
				 option->text, "more than 0 s");
	return -1;
}

void windowOptionFind(const struct windowOption *option,
		      const struct selection *selection,
		      const struct extent *run, struct phases *phases)
{
	bool isOpen = selection->start == INT64_MIN;
	int64_t start = MAX(run->start, selection->start);
	int64_t end = MIN(run->end, selection->end);

	phasesSetWindows(phases, option->length,
			 isOpen ? start : selection->start, start, end, isOpen);
}
