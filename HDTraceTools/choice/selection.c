/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which nodes, groups, values and times somebody wants to know of.
 */
#include "config.h"

#include <errno.h>
#include <fnmatch.h>
#include <glib.h>

#include "HDTraceTools/choice/selection.h"
#include "common/duration.h"
#include "common/format/seconds.h"

void selectionFree(struct selection *selection)
{
	g_strfreev(selection->nodes);
	g_strfreev(selection->groups);
	g_strfreev(selection->values);
	g_free(selection->from);
	g_free(selection->to);
}

int selectionParseTime(const char *text, int64_t projectStart, int64_t *ns)
{
	bool isAbsolute = *text == '@';
	int64_t parsed;
	int ret;

	text += isAbsolute;
	ret = hdSecondsParse(text, &parsed);
	if (ret == -EINVAL)
		ret = hdDurationParse(text, 0, &parsed, NULL);
	if (ret < 0)
		return ret;
	if (!isAbsolute &&
	    __builtin_add_overflow(parsed, projectStart, &parsed))
		return -ERANGE;
	*ns = parsed;
	return 0;
}

static bool selectionMatches(char **patterns, const char *text)
{
	if (!patterns)
		return true;
	for (size_t i = 0; patterns[i]; i++) {
		if (fnmatch(patterns[i], text, 0) == 0)
			return true;
	}
	return false;
}

bool selectionHasNode(const struct selection *selection, const hdINode *node)
{
	if (!selection->nodes)
		return true;
	for (; node; node = node->parent) {
		if (selectionMatches(selection->nodes, node->path))
			return true;
	}
	return false;
}

bool selectionHasGroup(const struct selection *selection, const hdIGroup *group)
{
	return selectionMatches(selection->groups, group->name) &&
	       selectionHasNode(selection, group->node);
}

bool selectionHasValue(const struct selection *selection, const char *name)
{
	return selectionMatches(selection->values, name);
}

bool selectionHasTime(const struct selection *selection, int64_t start,
		      int64_t end)
{
	return end > selection->start &&
	       (start < selection->end ||
		(start == end && end == selection->end));
}
