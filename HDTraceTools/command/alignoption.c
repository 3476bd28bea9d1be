/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The option --align: how the clocks of several projects are put together.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/command/alignoption.h"
#include "HDTraceTools/model/projectstart.h"

bool alignFind(const char *align, struct tool *tool, const hdIProject *project,
	       const char *path, int64_t *zero)
{
	*zero = 0;
	if (strcmp(align, "wall") == 0)
		return true;
	if (strcmp(align, "start") == 0) {
		projectStartFind(project, &diagnosticsDropped, zero);
		return true;
	}
	if (projectMarkFind(project, &diagnosticsDropped, align, zero))
		return true;
	toolError(tool,
		  "%s: no state or event named %s, as required by --align",
		  path, align);
	return false;
}

char **alignNames(const hdIProject *const *projects, size_t count)
{
	char **names = g_new0(char *, count + 1);

	for (size_t i = 0; i < count; i++) {
		size_t same = 1;

		for (size_t k = 0; k < i; k++)
			same += strcmp(projects[k]->name, projects[i]->name) ==
				0;
		names[i] = same > 1 ? g_strdup_printf("%s (%zu)",
						      projects[i]->name, same)
				    : g_strdup(projects[i]->name);
	}
	return names;
}
