/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * From options to the selection that a subcommand is asked for.
 */
#include "config.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/command/select.h"
#include "HDTraceTools/model/projectstart.h"

static bool nodeExists(const hdIProject *project, const char *pattern)
{
	for (size_t i = 0; i < project->nodeCount; i++) {
		if (fnmatch(pattern, project->nodes[i]->path, 0) == 0)
			return true;
	}
	return fnmatch(pattern, project->root->path, 0) == 0;
}

static bool groupExists(const hdIProject *project, const char *pattern)
{
	for (size_t i = 0; i < project->groupCount; i++) {
		if (fnmatch(pattern, project->groups[i]->name, 0) == 0)
			return true;
	}
	return false;
}

static bool valueExists(const hdIProject *project, const char *pattern)
{
	for (size_t i = 0; i < project->groupCount; i++) {
		const hdIGroup *group = project->groups[i];

		for (size_t j = 0; j < group->valueCount; j++) {
			if (fnmatch(pattern, group->values[j].name, 0) == 0)
				return true;
		}
	}
	return false;
}

static int checkPatterns(struct tool *tool, const hdIProject *project,
			 char **patterns, const char *what,
			 bool (*exists)(const hdIProject *, const char *))
{
	for (size_t i = 0; patterns && patterns[i]; i++) {
		if (!exists(project, patterns[i])) {
			toolError(tool, "no %s matches \"%s\"", what,
				  patterns[i]);
			return TOOL_FAILED;
		}
	}
	return -1;
}

static int resolveTime(struct tool *tool, const char *option, const char *text,
		       int64_t projectStart, int64_t *ns)
{
	int ret = selectionParseTime(text, projectStart, ns);

	if (ret == 0)
		return -1;
	return toolInvalidTime(tool, option, text,
			       "seconds since the start, or @SECONDS since "
			       "1970");
}

static bool isRelative(const char *time)
{
	return time && *time != '@';
}

int selectResolve(struct selection *selection, struct tool *tool,
		  const hdIProject *project, bool needsStart)
{
	const char *until = selection->until ? selection->until : "to";
	int status;

	status = checkPatterns(tool, project, selection->nodes, "node",
			       nodeExists);
	if (status < 0)
		status = checkPatterns(tool, project, selection->groups,
				       "group", groupExists);
	if (status < 0)
		status = checkPatterns(tool, project, selection->values,
				       "value", valueExists);
	selection->start = INT64_MIN;
	selection->end = INT64_MAX;
	if (needsStart || isRelative(selection->from) ||
	    isRelative(selection->to))
		projectStartFind(project, NULL, &selection->projectStart);
	if (status < 0 && selection->from)
		status =
			resolveTime(tool, "from", selection->from,
				    selection->projectStart, &selection->start);
	if (status < 0 && selection->to)
		status = resolveTime(tool, until, selection->to,
				     selection->projectStart, &selection->end);
	if (status < 0 && selection->start >= selection->end)
		status = toolUsage(tool, "--from is not before --%s", until);
	return status;
}
