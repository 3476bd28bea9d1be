/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the environment variables HDTRACE_OMP_* say. A value that makes no sense
 * counts as not set, and there is a message. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "OpenMPTracingLibrary/src/omplog.h"
#include "OpenMPTracingLibrary/src/options.h"
#include "common/environment.h"
#include "common/format/projectname.h"

struct ompOptions ompOptions;

/* 0 or 1. */
static bool optionSwitch(const char *name, bool normal)
{
	const char *text = hdEnvironmentText(name);

	if (!text)
		return normal;
	if (strcmp(text, "0") == 0 || strcmp(text, "1") == 0)
		return *text == '1';
	ompMessage(HD_LOG_ERROR, "%s=\"%s\": invalid value; expected 0 or 1",
		   name, text);
	return normal;
}

/* Parse "work,task". */
static void optionClasses(void)
{
	static const struct {
		const char *name;
		bool *isOn;
	} classes[] = {
		{ "work", &ompOptions.hasWork },
		{ "wait", &ompOptions.hasWaits },
		{ "task", &ompOptions.hasTasks },
		{ "lock", &ompOptions.hasLocks },
	};
	const char *text = hdEnvironmentText("HDTRACE_OMP_EVENTS");
	bool isAll = !text || strcmp(text, "all") == 0;
	size_t count = sizeof(classes) / sizeof(*classes);

	for (size_t i = 0; i < count; i++)
		*classes[i].isOn = isAll;
	while (!isAll && *text) {
		size_t length = strcspn(text, ","), i = 0;

		while (i < count && (strlen(classes[i].name) != length ||
				     strncmp(classes[i].name, text, length)))
			i++;
		if (i < count)
			*classes[i].isOn = true;
		else if (length != strlen("none") || strncmp(text, "none", 4))
			ompMessage(
				HD_LOG_ERROR,
				"HDTRACE_OMP_EVENTS: invalid value \"%.*s\"; "
				"expected all, work, wait, task, lock or none",
				(int)length, text);
		text += length + (text[length] == ',');
	}
}

void ompOptionsRead(void)
{
	hdLogSetVerbosity(&ompLogger, hdEnvironment("HDTRACE_OMP_VERBOSITY"));
	ompOptions.isOn = optionSwitch("HDTRACE_OMP", true);
	ompOptions.hasCpu = optionSwitch("HDTRACE_OMP_CPU", true);
	optionClasses();
}

bool ompOptionsProject(char *project, size_t size)
{
	const char *given = hdEnvironmentText("HDTRACE_OMP_PROJECT");
	const char *directory = hdEnvironmentText("HDTRACE_OMP_DIR");
	const char *overwrite =
		hdEnvironmentText("HDTRACE_OVERWRITE_EXISTING_FILES");
	const char *prefix = hdEnvironmentText("HDTRACE_PREFIX");
	char name[NAME_MAX + 1], path[HD_PROJECT_PATH_MAX];

	snprintf(name, sizeof(name), "%s", program_invocation_short_name);
	hdProjectMakePlain(name);
	if ((size_t)snprintf(project, size, "%s%s%s",
			     directory ? directory : "", directory ? "/" : "",
			     given   ? given
			     : *name ? name
				     : "openmp") >= size)
		return false;
	if (directory && hdProjectPath(prefix, project, path, sizeof(path)))
		hdProjectMakeDirectories(path);
	/* A name that was not given gets a number where it is taken. */
	return (given && !optionSwitch("HDTRACE_OMP_NUMBER", false)) ||
	       (overwrite && strcmp(overwrite, "1") == 0) ||
	       hdProjectFindFree(prefix, project, size);
}

void ompOptionsHost(char *host, size_t size)
{
	hdProjectHost(hdEnvironmentText("HDTRACE_OMP_HOST"), host, size);
}
