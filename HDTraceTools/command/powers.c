/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which values make up the power of nodes, in text and JSON.
 */
#include "config.h"

#include <stdio.h>

#include "HDTraceTools/command/powers.h"
#include "HDTraceTools/model/mpi/roles.h"

/* ---- Text -------------------------------------------------------------- */

static void powersPrintGroup(const struct powerGroup *group,
			     const char **between)
{
	for (size_t i = 0; i < group->group->valueCount; i++) {
		if (!group->isPower[i])
			continue;
		fputs(*between, stdout);
		outPrintable(group->group->values[i].name);
		*between = " + ";
	}
}

void powersPrintCounted(const hdIProject *project,
			const struct powerChoice *choice, const hdINode *node)
{
	const char *between = "";

	for (size_t i = 0; i < project->groupCount; i++)
		if (project->groups[i]->node == node)
			powersPrintGroup(powerChoiceAt(choice, i), &between);
}

static void powersPrintOthers(const struct powerGroup *group,
			      enum powersLeftOut which, const char **between)
{
	for (size_t i = 0; i < group->group->valueCount; i++) {
		const struct powerLeftOut *leftOut = &group->leftOut[i];

		if (!leftOut->reason ||
		    (which == POWERS_FAULTS && !leftOut->isFault))
			continue;
		fputs(*between, stdout);
		outPrintable(group->group->values[i].name);
		printf(" (%s)", leftOut->reason);
		*between = ", ";
	}
}

bool powersPrintLeftOut(const hdIProject *project,
			const struct powerChoice *choice, const hdINode *node,
			enum powersLeftOut which, const char *before)
{
	const char *between = before;

	for (size_t i = 0; i < project->groupCount; i++)
		if (project->groups[i]->node == node)
			powersPrintOthers(powerChoiceAt(choice, i), which,
					  &between);
	return between != before;
}

void powersPrint(const hdIProject *project, const struct powerChoice *choice)
{
	for (size_t i = 0; i < project->groupCount; i++) {
		const struct powerGroup *group = powerChoiceAt(choice, i);
		const hdINode *node = group->group->node;

		if (group->count == 0 || group->first != group)
			continue;
		fputs("Power of ", stdout);
		outPrintable(*rolesPath(node) ? rolesPath(node) : node->label);
		fputs(": ", stdout);
		powersPrintCounted(project, choice, node);
		powersPrintLeftOut(project, choice, node, POWERS_ALL,
				   "; left out: ");
		putchar('\n');
	}
}

/* ---- JSON -------------------------------------------------------------- */

static void powersPutCounted(struct outJson *json,
			     const struct powerGroup *group)
{
	for (size_t i = 0; i < group->group->valueCount; i++) {
		if (!group->isPower[i])
			continue;
		outJsonObject(json, NULL, true);
		outJsonText(json, "group", group->group->name);
		outJsonText(json, "name", group->group->values[i].name);
		outJsonEnd(json);
	}
}

static void powersPutOthers(struct outJson *json,
			    const struct powerGroup *group, bool hasGroup)
{
	for (size_t i = 0; i < group->group->valueCount; i++) {
		if (!group->leftOut[i].reason)
			continue;
		outJsonObject(json, NULL, true);
		if (hasGroup)
			outJsonText(json, "group", group->group->name);
		outJsonText(json, "name", group->group->values[i].name);
		outJsonText(json, "reason", group->leftOut[i].reason);
		outJsonBool(json, "fault", group->leftOut[i].isFault);
		outJsonEnd(json);
	}
}

static void powersPutNode(struct outJson *json, const hdIProject *project,
			  const struct powerChoice *choice, const hdINode *node)
{
	outJsonObject(json, NULL, false);
	outJsonText(json, "node", rolesPath(node));
	outJsonArray(json, "energy_from", false);
	for (size_t i = 0; i < project->groupCount; i++)
		if (project->groups[i]->node == node)
			powersPutCounted(json, powerChoiceAt(choice, i));
	outJsonEnd(json);
	outJsonArray(json, "energy_left_out", false);
	for (size_t i = 0; i < project->groupCount; i++)
		if (project->groups[i]->node == node)
			powersPutOthers(json, powerChoiceAt(choice, i), true);
	outJsonEnd(json);
	outJsonEnd(json);
}

void powersPut(struct outJson *json, const hdIProject *project,
	       const struct powerChoice *choice)
{
	outJsonArray(json, "power_choice", false);
	for (size_t i = 0; i < project->groupCount; i++) {
		const struct powerGroup *group = powerChoiceAt(choice, i);

		if (group->count > 0 && group->first == group)
			powersPutNode(json, project, choice,
				      group->group->node);
	}
	outJsonEnd(json);
}

void powersPutLeftOut(struct outJson *json, const struct powerGroup *group)
{
	bool isAny = false;

	for (size_t i = 0; i < group->group->valueCount; i++)
		isAny |= group->leftOut[i].reason != NULL;
	if (!isAny)
		return;
	outJsonArray(json, "energy_left_out", false);
	powersPutOthers(json, group, false);
	outJsonEnd(json);
}
