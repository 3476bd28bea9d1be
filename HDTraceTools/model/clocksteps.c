/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Steps of the wall clock, as files say them.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/model/clocksteps.h"
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

bool clockStepsOfTrace(hdITraceReader *reader, const hdITraceFile *trace,
		       struct clockSteps *steps)
{
	const hdIAttribute *attributes;
	size_t count = 0;

	*steps = (struct clockSteps){ trace->node, trace->file, 0, 0 };
	attributes = reader ? hdI_getTraceAttributes(reader, &count) : NULL;
	if (attributes && clockStepsParse(attributes, count, steps))
		return true;
	steps->count = 0;
	return false;
}

static void stepsAddGroup(GArray *all, const hdIGroup *group)
{
	struct clockSteps steps = { .node = group->node, .file = group->file };

	if (clockStepsParse(group->attributes, group->attributeCount, &steps))
		g_array_append_val(all, steps);
}

/** Open a trace. Its problems are reported when it is read. */
static void stepsAddTrace(GArray *all, const hdIProject *project,
			  const hdITraceFile *trace)
{
	hdITraceReader *reader =
		diagnosticsOpenTrace(project, trace, &diagnosticsDropped);
	struct clockSteps steps;

	if (clockStepsOfTrace(reader, trace, &steps))
		g_array_append_val(all, steps);
	hdI_closeTrace(reader);
}

GArray *clockStepsFind(const hdIProject *project, GHashTable *traces)
{
	GArray *all = g_array_new(FALSE, TRUE, sizeof(struct clockSteps));

	for (size_t i = 0; i < project->nodeCount; i++) {
		const hdINode *node = project->nodes[i];
		const struct clockSteps *known;

		for (size_t k = 0; k < node->groupCount; k++)
			stepsAddGroup(all, node->groups[k]);
		if (node->trace && !traces)
			stepsAddTrace(all, project, node->trace);
		else if (node->trace &&
			 (known = g_hash_table_lookup(traces, node->trace)))
			g_array_append_vals(all, known, 1);
	}
	return all;
}

GArray *clockStepsOfNodes(const hdIProject *project, GHashTable *traces)
{
	GArray *all = clockStepsFind(project, traces);

	for (guint i = all->len; i-- > 1;) {
		const struct clockSteps *one =
			&g_array_index(all, struct clockSteps, i);
		const struct clockSteps *before = one - 1;

		if (one->node == before->node && one->count == before->count)
			g_array_remove_index(all, i);
	}
	return all;
}
