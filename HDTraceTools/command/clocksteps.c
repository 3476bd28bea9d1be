/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Steps of the wall clock, as files say them.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/command/clocksteps.h"
#include "HDTraceTools/model/diagnostics.h"
#include "common/format/seconds.h"

bool clockStepsParse(const hdIAttribute *attributes, size_t count,
		     struct clockSteps *steps)
{
	const char *value = NULL;
	char *end, *sum;
	bool isGood;

	for (size_t i = 0; i < count; i++)
		if (strcmp(attributes[i].name, "clockStepped") == 0)
			value = attributes[i].value;
	if (!value)
		return false;
	steps->count = g_ascii_strtoll(value, &end, 10);
	if (end == value || *end != ' ' || steps->count <= 0)
		return false;
	sum = g_strstrip(g_strdup(end + 1 + (end[1] == '+')));
	isGood = hdSecondsParse(sum, &steps->sum) == 0;
	g_free(sum);
	return isGood;
}

static void stepsAdd(GArray *all, const hdINode *node, const char *file,
		     const hdIAttribute *attributes, size_t count)
{
	struct clockSteps steps = { .node = node, .file = file };

	if (clockStepsParse(attributes, count, &steps))
		g_array_append_val(all, steps);
}

/* What a trace says stands in its first element. */
static void stepsAddTrace(GArray *all, const hdIProject *project,
			  const hdINode *node)
{
	/* Problems are reported when the trace is read. */
	hdITraceReader *reader =
		diagnosticsOpenTrace(project, node->trace, &diagnosticsDropped);
	const hdIAttribute *attributes;
	size_t count = 0;

	attributes = reader ? hdI_getTraceAttributes(reader, &count) : NULL;
	if (attributes)
		stepsAdd(all, node, node->trace->file, attributes, count);
	hdI_closeTrace(reader);
}

GArray *clockStepsFind(const hdIProject *project)
{
	GArray *all = g_array_new(FALSE, TRUE, sizeof(struct clockSteps));

	for (size_t i = 0; i < project->nodeCount; i++) {
		const hdINode *node = project->nodes[i];

		for (size_t k = 0; k < node->groupCount; k++)
			stepsAdd(all, node, node->groups[k]->file,
				 node->groups[k]->attributes,
				 node->groups[k]->attributeCount);
		if (node->trace)
			stepsAddTrace(all, project, node);
	}
	return all;
}

GArray *clockStepsOfNodes(const hdIProject *project)
{
	GArray *all = clockStepsFind(project);

	for (guint i = all->len; i-- > 1;) {
		const struct clockSteps *one =
			&g_array_index(all, struct clockSteps, i);
		const struct clockSteps *before = one - 1;

		if (one->node == before->node && one->count == before->count)
			g_array_remove_index(all, i);
	}
	return all;
}
