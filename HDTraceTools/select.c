/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file select.c
 * Which nodes, groups, values and times a subcommand is asked for.
 */
#include "config.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "clock.h"
#include "select.h"

void selectFree(struct selection *selection)
{
	g_strfreev(selection->nodes);
	g_strfreev(selection->groups);
	g_strfreev(selection->values);
	g_free(selection->from);
	g_free(selection->to);
}

int selectParseSeconds(const char *text, int64_t *ns)
{
	bool isNegative = *text == '-';
	int64_t seconds = 0;
	int64_t rest = 0;
	int64_t place = HD_NS_PER_S;
	bool hasDigit = false;
	bool isLarge = false;

	if (*text == '-' || *text == '+')
		text++;
	for (; *text >= '0' && *text <= '9'; text++) {
		hasDigit = true;
		seconds = seconds * 10 + (*text - '0');
		if (seconds > INT64_MAX / HD_NS_PER_S) {
			isLarge = true;
			seconds = 0;
		}
	}
	if (*text == '.') {
		for (text++; *text >= '0' && *text <= '9'; text++) {
			hasDigit = true;
			place /= 10;
			if (place == 0)
				return -EINVAL;
			rest += place * (*text - '0');
		}
	}
	if (!hasDigit || *text)
		return -EINVAL;
	if (isLarge ||
	    __builtin_add_overflow(seconds * HD_NS_PER_S, rest, &seconds))
		return -ERANGE;
	*ns = seconds;
	if (isNegative)
		*ns = -*ns;
	return 0;
}

int selectParseAdjustment(const char *text, int64_t *ns)
{
	char *copy = g_strstrip(g_strdup(text));
	bool isMs = g_str_has_suffix(copy, "ms");
	char *point;
	int ret = 0;

	if (isMs || g_str_has_suffix(copy, "s"))
		copy[strlen(copy) - (isMs ? 2 : 1)] = '\0';
	point = strchr(copy, '.');
	if (point && strspn(point + 1, "0123456789") == strlen(point + 1) &&
	    strlen(point) > 10)
		point[10] = '\0';
	*ns = 0;
	if (*copy)
		ret = selectParseSeconds(copy, ns);
	if (isMs)
		*ns /= 1000;
	g_free(copy);
	return ret;
}

int selectParseTime(const char *text, int64_t projectStart, int64_t *ns)
{
	int64_t parsed;
	int ret = selectParseSeconds(text + (*text == '@'), &parsed);

	if (ret < 0)
		return ret;
	if (*text != '@' &&
	    __builtin_add_overflow(parsed, projectStart, &parsed))
		return -ERANGE;
	*ns = parsed;
	return 0;
}

/** The first time in a group's file; messages come when it is read. */
static int groupStart(const hdIProject *project, const hdIGroup *group,
		      int64_t *start)
{
	hdIStatReader *reader;
	int found;

	if (!group->isReadable)
		return 0;
	reader = hdI_openStat(project, group);
	if (!reader)
		return 0;
	found = hdI_getStatStart(reader, start);
	hdI_closeStat(reader);
	return found;
}

/**
 * The earliest time in a trace: that of its first record at the top level,
 * since records at one depth do not overlap.
 */
static int traceStart(const hdIProject *project, const hdITraceFile *trace,
		      int64_t *start)
{
	hdITraceReader *reader = hdI_openTrace(project, trace);
	const hdIRecord *record;
	int found = 0;

	if (!reader)
		return 0;
	while (hdI_readTrace(reader, &record) == 1) {
		if (!found || record->start < *start)
			*start = record->start;
		found = 1;
		if (record->depth == 0)
			break;
	}
	hdI_closeTrace(reader);
	return found;
}

int selectProjectStart(const hdIProject *project, int64_t *start)
{
	int found = 0;
	int64_t time;

	for (size_t i = 0; i < project->groupCount; i++) {
		if (!groupStart(project, project->groups[i], &time))
			continue;
		if (!found || time < *start)
			*start = time;
		found = 1;
	}
	for (size_t i = 0; i < project->traceCount; i++) {
		if (!traceStart(project, project->traces[i], &time))
			continue;
		if (!found || time < *start)
			*start = time;
		found = 1;
	}
	return found;
}

static bool matches(char **patterns, const char *text)
{
	if (!patterns)
		return true;
	for (size_t i = 0; patterns[i]; i++) {
		if (fnmatch(patterns[i], text, 0) == 0)
			return true;
	}
	return false;
}

bool selectHasNode(const struct selection *selection, const hdINode *node)
{
	if (!selection->nodes)
		return true;
	for (; node; node = node->parent) {
		if (matches(selection->nodes, node->path))
			return true;
	}
	return false;
}

bool selectHasGroup(const struct selection *selection, const hdIGroup *group)
{
	return matches(selection->groups, group->name) &&
	       selectHasNode(selection, group->node);
}

bool selectHasValue(const struct selection *selection, const char *name)
{
	return matches(selection->values, name);
}

bool selectHasTime(const struct selection *selection, int64_t start,
		   int64_t end)
{
	return end > selection->start &&
	       (start < selection->end ||
		(start == end && end == selection->end));
}

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
	int ret = selectParseTime(text, projectStart, ns);

	if (ret == 0)
		return -1;
	return toolUsage(tool, "--%s: %s: \"%s\"", option,
			 ret == -ERANGE ? "too large" : "not a time", text);
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
		selectProjectStart(project, &selection->projectStart);
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
