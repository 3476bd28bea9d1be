/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A translator that says which others hand operations on in the frames in which
 * they came: linked in front of operationBegin(), as mutant.c. Of each
 * operation that comes into an instance below one translator, which has an
 * instance above it, the file HDTRACE_FRAMES gets a line
 *
 *     TYPE OPERATION kept|lost trusted|not-trusted
 *
 * where the last word is what the instance above expects
 * (instanceNeedsToken()).
 */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "GlusterFSTracing/xlator/operation.h"

dict_t *__real_operationBegin(call_frame_t *frame, struct instance *instance,
			      const struct operationAbout *about, dict_t *xdata,
			      struct operationWay *way);
dict_t *__wrap_operationBegin(call_frame_t *frame, struct instance *instance,
			      const struct operationAbout *about, dict_t *xdata,
			      struct operationWay *way);

static void say(const call_frame_t *frame, const struct instance *instance,
		const struct operationAbout *about)
{
	const char *path = getenv("HDTRACE_FRAMES");
	const xlator_list_t *parents = instance->this->parents;
	const xlator_t *between = parents ? parents->xlator : NULL;
	const xlator_t *above =
		between && between->parents ? between->parents->xlator : NULL;
	char line[256];
	int length, file;

	if (!path || !above || instanceIs(between) || !instanceIs(above))
		return;
	length = snprintf(
		line, sizeof(line), "%s %s %s %s\n", between->type, about->name,
		operationIsFrom(frame, above->private) ? "kept" : "lost",
		instanceNeedsToken(above->private, about->fop) ? "not-trusted"
							       : "trusted");
	file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (file < 0 || write(file, line, (size_t)length) != length)
		abort();
	close(file);
}

dict_t *__wrap_operationBegin(call_frame_t *frame, struct instance *instance,
			      const struct operationAbout *about, dict_t *xdata,
			      struct operationWay *way)
{
	say(frame, instance, about);
	return __real_operationBegin(frame, instance, about, xdata, way);
}
