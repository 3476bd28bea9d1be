/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * From options to the selection that a subcommand is asked for.
 */
#include "config.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "HDTraceTools/command/core/delayoption.h"
#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/command/select.h"
#include "HDTraceTools/model/projectstart.h"

/** Names that a message lists. */
#define SELECT_NAMES 10

/** Names of what a project has, each once, in its order. */
static void selectAddName(GPtrArray *names, const char *name)
{
	for (guint i = 0; i < names->len; i++) {
		if (strcmp(names->pdata[i], name) == 0)
			return;
	}
	g_ptr_array_add(names, (void *)name);
}

static void selectAddNodes(const hdIProject *project, GPtrArray *names)
{
	for (size_t i = 0; i < project->nodeCount; i++)
		g_ptr_array_add(names, (void *)project->nodes[i]->path);
	g_ptr_array_add(names, (void *)project->root->path);
}

static void selectAddGroups(const hdIProject *project, GPtrArray *names)
{
	for (size_t i = 0; i < project->groupCount; i++)
		selectAddName(names, project->groups[i]->name);
}

static void selectAddValues(const hdIProject *project, GPtrArray *names)
{
	for (size_t i = 0; i < project->groupCount; i++) {
		const hdIGroup *group = project->groups[i];

		for (size_t j = 0; j < group->valueCount; j++)
			selectAddName(names, group->values[j].name);
	}
}

/** "A, B, C and 7 more" */
static char *selectList(const GPtrArray *names)
{
	GString *text = g_string_new(NULL);
	guint count = 0;

	for (guint i = 0; i < names->len; i++) {
		const char *name = names->pdata[i];

		/* The root of the topology has no name. */
		if (*name && count++ < SELECT_NAMES)
			g_string_append_printf(text, "%s%s",
					       text->len ? ", " : "", name);
	}
	if (count > SELECT_NAMES)
		g_string_append_printf(text, " and %u more",
				       count - SELECT_NAMES);
	if (count == 0)
		g_string_append(text, "none");
	return g_string_free(text, FALSE);
}

static int checkPatterns(struct tool *tool, const hdIProject *project,
			 char **patterns, const char *what,
			 void (*add)(const hdIProject *, GPtrArray *))
{
	GPtrArray *names = g_ptr_array_new();
	int status = -1;

	if (patterns)
		add(project, names);
	for (size_t i = 0; status < 0 && patterns && patterns[i]; i++) {
		bool exists = false;
		char *list;

		for (guint j = 0; j < names->len && !exists; j++)
			exists = fnmatch(patterns[i], names->pdata[j], 0) == 0;
		if (exists)
			continue;
		list = selectList(names);
		toolError(tool,
			  "--%s: no %s matches \"%s\"; %ss of the project: %s",
			  what, what, patterns[i], what, list);
		g_free(list);
		status = TOOL_FAILED;
	}
	g_ptr_array_unref(names);
	return status;
}

static int resolveTime(struct tool *tool, const char *option, const char *text,
		       int64_t projectStart, int64_t *ns)
{
	int ret = selectionParseTime(text, projectStart, ns);

	if (ret == 0)
		return -1;
	return toolInvalidTime(tool, option, text,
			       "the time since the start, such as 10 or "
			       "500ms, or @SECONDS since 1970");
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
			       selectAddNodes);
	if (status < 0)
		status = checkPatterns(tool, project, selection->groups,
				       "group", selectAddGroups);
	if (status < 0)
		status = checkPatterns(tool, project, selection->values,
				       "value", selectAddValues);
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
		status = toolUsage(tool, "--from: must be before --%s", until);
	return status;
}

int selectRun(struct selection *selection, struct tool *tool, const char *path,
	      bool needsStart, bool isAsRecorded, selectWork *work, void *data)
{
	hdIProject *project = toolOpen(tool, path);
	int status;

	if (!project)
		return toolFinish(tool);
	delayApply(tool, project, isAsRecorded);
	status = selectResolve(selection, tool, project, needsStart);
	if (status < 0) {
		work(project, data);
		status = toolFinish(tool);
	}
	hdI_closeProject(project);
	return status;
}
