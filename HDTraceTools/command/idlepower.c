/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The power of an idle node as an option; see idlepower.h. */
#include "config.h"

#include <errno.h>
#include <math.h>

#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/command/idlepower.h"
#include "common/powermodel/powermodel.h"

struct idlePowerFile {
	struct tool *tool;
	const char *path;
};

static void idlePowerReport(void *context, long line, const char *text)
{
	const struct idlePowerFile *file = context;

	toolError(file->tool, "%s:%ld: %s", file->path, line, text);
}

int idlePowerParse(struct tool *tool, const char *text, double *power)
{
	struct idlePowerFile file = { tool, text };
	struct hdPowerModel model;
	char *end;
	double number;
	int ret;

	if (!text)
		return -1;
	number = g_ascii_strtod(text, &end);
	if (end != text && !*end && !isnan(number)) {
		if (!(number >= 0) || isinf(number))
			return toolUsage(tool,
					 "--idle-power: must be 0 or more");
		*power = number;
		return -1;
	}
	ret = hdPowerModelRead(text, idlePowerReport, &file, &model);
	if (ret == -ENOENT)
		return toolInvalidNumber(tool, "idle-power", text,
					 "watts, or a file of hdtrace "
					 "power-model");
	if (ret < 0 && ret != -EINVAL)
		toolErrorRead(tool, text, ret);
	if (ret < 0)
		return toolFinish(tool);
	*power = model.idle;
	return -1;
}
