/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the viewer must know of a project before it shows anything, as JSON.
 */
#include "config.h"

#include "HDTraceTools/model/column.h"
#include "HDTraceTools/model/kind.h"
#include "HDTraceTools/model/mpi/messages.h"
#include "HDTraceTools/pages/meta.h"

/** Numbers of nodes, groups and traces. */
struct numbering {
	GHashTable *nodes;
};

static int64_t nodeNumber(const struct numbering *self, const hdINode *node)
{
	return (int64_t)GPOINTER_TO_SIZE(
		       g_hash_table_lookup(self->nodes, node)) -
	       1;
}

static void metaPutNode(struct outJson *json, const struct numbering *numbers,
			const hdINode *node)
{
	outJsonObject(json, NULL, true);
	outJsonText(json, "label", node->label);
	outJsonText(json, "path", node->path);
	outJsonInteger(json, "parent", nodeNumber(numbers, node->parent));
	outJsonInteger(json, "level", node->level);
	outJsonEnd(json);
}

/** The root is the first one. */
static void metaPutNodes(struct outJson *json, struct numbering *numbers,
			 const hdIProject *project)
{
	outJsonArray(json, "nodes", false);
	g_hash_table_insert(numbers->nodes, (gpointer)project->root,
			    GSIZE_TO_POINTER(1));
	metaPutNode(json, numbers, project->root);
	for (size_t i = 0; i < project->nodeCount; i++) {
		const hdINode *node = project->nodes[i];

		if (node == project->root)
			continue;
		g_hash_table_insert(
			numbers->nodes, (gpointer)node,
			GSIZE_TO_POINTER(g_hash_table_size(numbers->nodes) +
					 1));
		metaPutNode(json, numbers, node);
	}
	outJsonEnd(json);
}

static void metaPutAttributes(struct outJson *json, const hdIAttribute *list,
			      size_t count)
{
	outJsonArray(json, "attributes", true);
	for (size_t i = 0; i < count; i++) {
		outJsonArray(json, NULL, true);
		outJsonText(json, NULL, list[i].name);
		outJsonText(json, NULL, list[i].value);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void metaPutStated(struct outJson *json, const hdIGroup *group,
			  const hdIValue *value, const char *name)
{
	const char *text = valueStates(group, value, name);

	if (text)
		outJsonText(json, name, text);
}

/** Of what kind a value is; of amounts the unit of their rate, too, and what an
 *  amount a second is to be multiplied with. */
static void metaPutKind(struct outJson *json, const hdIGroup *group,
			const hdIValue *value)
{
	bool isGuessed;
	enum hdKind kind = valueKind(group, value, &isGuessed);
	double factor;
	struct unit parsed;
	char *unit;
	char *integral;

	outJsonText(json, "kind", hdKindName(kind));
	outJsonBool(json, "kindGuessed", isGuessed);
	if (!kindIsAmount(kind)) {
		outJsonPlain(json, "rate", "null");
		return;
	}
	unit = rateUnit(value->unit, &factor);
	integral = momentsIntegralUnit(unit);
	parsed = unitParse(unit);
	outJsonObject(json, "rate", true);
	outJsonText(json, "unit", unit);
	outJsonText(json, "base", parsed.base);
	outJsonDouble(json, "scale", parsed.scale);
	outJsonText(json, "integral", integral);
	outJsonDouble(json, "factor", factor);
	outJsonEnd(json);
	g_free(integral);
	g_free(unit);
}

static void metaPutValue(struct outJson *json, const hdIGroup *group,
			 const hdIValue *value)
{
	struct unit unit = unitParse(value->unit);
	bool isAmount = kindIsAmount(valueKind(group, value, NULL));
	char *integral = momentsIntegralUnit(value->unit);

	outJsonObject(json, NULL, true);
	outJsonText(json, "name", value->name);
	outJsonText(json, "type", columnTypeName(columnPlainType(value)));
	outJsonText(json, "unit", value->unit);
	outJsonText(json, "base", unit.base);
	outJsonDouble(json, "scale", unit.scale);
	outJsonText(json, "integral", integral);
	outJsonBool(json, "isPower", unitIsPower(value->unit) && !isAmount);
	metaPutKind(json, group, value);
	outJsonText(json, "grouping", value->grouping);
	outJsonBool(json, "simulated", valueIsSimulated(group, value));
	metaPutStated(json, group, value, "source");
	metaPutStated(json, group, value, "resolution");
	metaPutStated(json, group, value, "class");
	metaPutAttributes(json, value->attributes, value->attributeCount);
	outJsonEnd(json);
	g_free(integral);
}

static void metaPutGroups(struct outJson *json, const struct numbering *numbers,
			  const hdIProject *project)
{
	outJsonArray(json, "groups", false);
	for (size_t i = 0; i < project->groupCount; i++) {
		const hdIGroup *group = project->groups[i];

		outJsonObject(json, NULL, false);
		outJsonInteger(json, "node", nodeNumber(numbers, group->node));
		outJsonText(json, "name", group->name);
		outJsonText(json, "file", group->file);
		metaPutAttributes(json, group->attributes,
				  group->attributeCount);
		outJsonArray(json, "values", false);
		for (size_t k = 0; k < group->valueCount; k++)
			metaPutValue(json, group, &group->values[k]);
		outJsonEnd(json);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void putTraces(struct outJson *json, const struct numbering *numbers,
		      const hdIProject *project)
{
	outJsonArray(json, "traces", false);
	for (size_t i = 0; i < project->traceCount; i++) {
		outJsonObject(json, NULL, true);
		outJsonInteger(json, "node",
			       nodeNumber(numbers, project->traces[i]->node));
		outJsonText(json, "file", project->traces[i]->file);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void metaPutRelations(struct outJson *json,
			     const struct numbering *numbers,
			     const hdIProject *project)
{
	outJsonArray(json, "relations", false);
	for (size_t i = 0; i < project->relationCount; i++) {
		const hdIRelationFile *file = project->relations[i];

		outJsonObject(json, NULL, true);
		outJsonInteger(json, "node", nodeNumber(numbers, file->node));
		outJsonText(json, "file", file->file);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void putCommunicators(struct outJson *json, const hdIProject *project)
{
	struct messages *messages = messagesNew(project);
	const GPtrArray *groups = messagesGroups(messages);

	outJsonArray(json, "communicators", true);
	for (guint i = 0; i < groups->len; i++) {
		const struct messageGroup *group = groups->pdata[i];

		outJsonText(json, NULL, group->name);
	}
	outJsonEnd(json);
	messagesFree(messages);
}

/** How many are active, from when on; takes the list, which may be NULL. */
static void putCounts(struct outJson *json, const char *key, GArray *counts)
{
	outJsonArray(json, key, true);
	for (guint i = 0; counts && i < counts->len; i++) {
		const struct attributionCount *count =
			&g_array_index(counts, struct attributionCount, i);

		outJsonArray(json, NULL, true);
		outJsonSeconds(json, NULL, count->time);
		outJsonInteger(json, NULL, (int64_t)count->count);
		outJsonEnd(json);
	}
	outJsonEnd(json);
	if (counts)
		g_array_unref(counts);
}

/** The numbers of the values of a group that count. */
static void putPowerValues(struct outJson *json,
			   const struct findingsGroup *group)
{
	outJsonArray(json, "values", true);
	for (size_t i = 0; i < group->group->valueCount; i++) {
		if (group->isPower[i])
			outJsonInteger(json, NULL, (int64_t)i);
	}
	outJsonEnd(json);
}

/** Other groups that tell a part of the same node. */
static void putPowerOthers(struct outJson *json,
			   const struct findings *findings,
			   const struct findingsGroup *first)
{
	outJsonArray(json, "others", true);
	for (size_t i = 0; i < findings->project->groupCount; i++) {
		const struct findingsGroup *group = &findings->groups[i];

		if (group == first || !group->powerCount ||
		    group->group->node != first->group->node)
			continue;
		outJsonObject(json, NULL, true);
		outJsonInteger(json, "group", (int64_t)i);
		putPowerValues(json, group);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

/** Values of a node that tell power and are left out, and why. */
static void putPowerLeftOut(struct outJson *json,
			    const struct findings *findings,
			    const hdINode *node)
{
	outJsonArray(json, "leftOut", true);
	for (size_t i = 0; i < findings->project->groupCount; i++) {
		const struct findingsGroup *group = &findings->groups[i];

		if (group->group->node != node)
			continue;
		for (size_t k = 0; k < group->group->valueCount; k++) {
			if (!group->leftOut[k].reason)
				continue;
			outJsonObject(json, NULL, true);
			outJsonText(json, "name", group->group->values[k].name);
			outJsonText(json, "reason", group->leftOut[k].reason);
			outJsonEnd(json);
		}
	}
	outJsonEnd(json);
}

/** From what the energy of a node is derived, and who shares it: at any time
 *  that of each of its ranks that are active is divided among its traces. */
static void putPower(struct outJson *json, const struct findings *findings,
		     size_t number, struct findingsGroup *const *powers,
		     struct attribution *attribution)
{
	const struct findingsGroup *group = &findings->groups[number];
	const hdIProject *project = findings->project;

	outJsonObject(json, NULL, false);
	outJsonInteger(json, "group", (int64_t)number);
	outJsonBool(json, "inTotal", group->countsForTotal);
	putPowerValues(json, group);
	putPowerOthers(json, findings, group);
	putPowerLeftOut(json, findings, group->group->node);
	putCounts(json, "ranks",
		  attribution
			  ? attributionRanks(attribution, group->group->node)
			  : NULL);
	outJsonArray(json, "traces", false);
	for (size_t i = 0; i < project->traceCount; i++) {
		if (powers[i] != group)
			continue;
		outJsonArray(json, NULL, true);
		outJsonInteger(json, NULL, (int64_t)i);
		putCounts(json, NULL,
			  attributionTraces(attribution, group->group->node,
					    project->traces[i]));
		outJsonEnd(json);
	}
	outJsonEnd(json);
	outJsonEnd(json);
}

static void putPowers(struct outJson *json, const struct findings *findings)
{
	const hdIProject *project = findings->project;
	struct findingsGroup **powers = findingsFindPowers(findings);

	outJsonArray(json, "powers", false);
	for (size_t i = 0; i < project->groupCount; i++) {
		if (findings->groups[i].isFirst)
			putPower(json, findings, i, powers,
				 findings->attribution);
	}
	outJsonEnd(json);
	g_free(powers);
}

static void metaPutProject(struct outJson *json, const hdIProject *project)
{
	outJsonObject(json, "project", false);
	outJsonText(json, "name", project->name);
	outJsonText(json, "description", project->description);
	outJsonText(json, "file", project->file);
	outJsonArray(json, "levels", true);
	for (size_t i = 0; i < project->levelCount; i++)
		outJsonText(json, NULL, project->levels[i]);
	outJsonEnd(json);
	outJsonEnd(json);
}

static void metaPutHead(struct outJson *json)
{
	outJsonInteger(json, "format", 1);
	outJsonText(json, "generator", "hdtrace " PACKAGE_VERSION);
}

/** What the rows are made of. */
static void metaPutRows(struct outJson *json, const hdIProject *project)
{
	struct numbering numbers = { g_hash_table_new(NULL, NULL) };

	metaPutNodes(json, &numbers, project);
	metaPutGroups(json, &numbers, project);
	putTraces(json, &numbers, project);
	metaPutRelations(json, &numbers, project);
	g_hash_table_destroy(numbers.nodes);
}

static void metaPutAll(struct outJson *json, const struct findings *findings,
		       const int64_t *start, uint64_t maxSize)
{
	const hdIProject *project = findings->project;
	char buffer[OUT_NUMBER_SIZE];

	metaPutProject(json, project);
	if (start)
		outJsonSeconds(json, "start", *start);
	else
		outJsonPlain(json, "start", "null");
	if (maxSize)
		outJsonInteger(json, "maxSize", (int64_t)maxSize);
	else
		outJsonPlain(json, "maxSize", "null");
	if (findings->window.length)
		outJsonText(json, "window",
			    outSeconds(buffer, findings->window.length));
	metaPutRows(json, project);
	putCommunicators(json, project);
	putPowers(json, findings);
}

char *metaLayout(const struct findings *findings)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	struct outJson json = { .file = file };
	char *sum;

	if (!file)
		g_error("no memory");
	outJsonObject(&json, NULL, false);
	metaPutProject(&json, findings->project);
	metaPutRows(&json, findings->project);
	outJsonEnd(&json);
	if (fclose(file) != 0)
		g_error("no memory");
	sum = g_compute_checksum_for_data(G_CHECKSUM_SHA256,
					  (const guchar *)text, size);
	free(text);
	return sum;
}

void metaBegin(struct outJson *json, FILE *file,
	       const struct findings *findings, const int64_t *start,
	       uint64_t maxSize)
{
	*json = (struct outJson){ .file = file, .isInPage = true };
	outJsonObject(json, NULL, false);
	metaPutHead(json);
	metaPutAll(json, findings, start, maxSize);
}

void metaBeginSeveral(struct outJson *json, FILE *file, const char *align)
{
	*json = (struct outJson){ .file = file, .isInPage = true };
	outJsonObject(json, NULL, false);
	metaPutHead(json);
	outJsonText(json, "align", align);
	outJsonArray(json, "projects", false);
}

void metaBeginOne(struct outJson *json, const struct findings *findings,
		  const int64_t *start, int64_t shift)
{
	outJsonObject(json, NULL, false);
	outJsonSeconds(json, "shift", shift);
	metaPutAll(json, findings, start, 0);
}

void metaEnd(struct outJson *json)
{
	outJsonEnd(json);
}
