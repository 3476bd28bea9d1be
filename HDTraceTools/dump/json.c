/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace dump as JSON.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "HDTraceTools/command/results.h"
#include "HDTraceTools/dump/dump.h"
#include "HDTraceTools/model/column.h"
#include "HDTraceTools/model/mpi/roles.h"

static void dumpJsonPutAttributes(struct outJson *json,
				  const hdIAttribute *list, size_t count)
{
	outJsonObject(json, "attributes", true);
	for (size_t i = 0; i < count; i++)
		outJsonText(json, list[i].name, list[i].value);
	outJsonEnd(json);
}

static void jsonTime(struct dump *dump, const char *key, int64_t ns)
{
	char buffer[OUT_NUMBER_SIZE];

	outJsonPlain(&dump->json, key, dumpFormatTime(dump, buffer, ns));
}

static void jsonBegin(struct dump *dump)
{
	outJsonDocument(&dump->json, "hdtrace-dump");
}

static void nodes(struct outJson *json, const hdIProject *project)
{
	outJsonArray(json, "nodes", false);
	for (size_t i = 0; i < project->nodeCount; i++) {
		const hdINode *node = project->nodes[i];

		outJsonObject(json, NULL, true);
		outJsonText(json, "path", node->path);
		outJsonText(json, "label", node->label);
		outJsonInteger(json, "level", node->level);
		outJsonText(json, "type", rolesLevelType(project, node));
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void dumpJsonPutRanks(struct outJson *json, const char *key,
			     const hdIRank *list, size_t count)
{
	outJsonArray(json, key, true);
	for (size_t i = 0; i < count; i++) {
		outJsonObject(json, NULL, true);
		outJsonInteger(json, "global", list[i].global);
		outJsonInteger(json, "local", list[i].local);
		outJsonInteger(json, "cid", list[i].cid);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void dumpJsonPutComms(struct outJson *json, const hdIProject *project)
{
	outJsonArray(json, "communicators", false);
	for (size_t i = 0; i < project->communicatorCount; i++) {
		const hdICommunicator *comm = &project->communicators[i];

		outJsonObject(json, NULL, true);
		outJsonText(json, "name", comm->name);
		if (*comm->uid)
			outJsonText(json, "uid", comm->uid);
		dumpJsonPutRanks(json, "ranks", comm->ranks, comm->rankCount);
		if (comm->size > (int64_t)comm->rankCount)
			outJsonInteger(json, "size", comm->size);
		if (comm->isInter) {
			dumpJsonPutRanks(json, "remote_ranks",
					 comm->remoteRanks,
					 comm->remoteRankCount);
			outJsonInteger(json, "remote_size", comm->remoteSize);
		}
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void dumpJsonPutTypes(struct outJson *json, const hdIProject *project)
{
	outJsonArray(json, "datatypes", false);
	for (size_t i = 0; i < project->datatypeCount; i++) {
		const hdIDatatype *type = &project->datatypes[i];

		outJsonObject(json, NULL, true);
		outJsonText(json, "rank", type->rank);
		outJsonText(json, "thread", type->thread);
		outJsonInteger(json, "id", type->id);
		outJsonText(json, "combiner", type->combiner);
		outJsonText(json, "name", type->name);
		dumpJsonPutAttributes(json, type->attributes,
				      type->attributeCount);
		outJsonText(json, "content", type->content);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void usedFiles(struct outJson *json, const hdIProject *project)
{
	outJsonArray(json, "files", false);
	for (size_t i = 0; i < project->usedFileCount; i++) {
		const hdIUsedFile *file = &project->usedFiles[i];

		outJsonObject(json, NULL, true);
		outJsonText(json, "name", file->name);
		if (file->initialSize < 0)
			outJsonPlain(json, "initial_bytes", "null");
		else
			outJsonInteger(json, "initial_bytes",
				       file->initialSize);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void jsonProject(struct dump *dump)
{
	struct outJson *json = &dump->json;
	const hdIProject *project = dump->project;

	outJsonObject(json, "project", false);
	outJsonText(json, "name", project->name);
	outJsonText(json, "file", project->file);
	outJsonText(json, "prefix", project->prefix);
	outJsonText(json, "description", project->description);
	outJsonArray(json, "levels", true);
	for (size_t i = 0; i < project->levelCount; i++)
		outJsonText(json, NULL, project->levels[i]);
	outJsonEnd(json);
	nodes(json, project);
	dumpJsonPutComms(json, project);
	dumpJsonPutTypes(json, project);
	usedFiles(json, project);
	outJsonArray(json, "declared_groups", true);
	for (size_t i = 0; i < project->declaredGroupCount; i++)
		outJsonText(json, NULL, project->declaredGroups[i]);
	outJsonEnd(json);
	outJsonEnd(json);
}

static void jsonBeginStats(struct dump *dump)
{
	outJsonArray(&dump->json, "groups", false);
}

static void jsonBeginTraces(struct dump *dump)
{
	outJsonArray(&dump->json, "traces", false);
}

static void jsonEnd(struct dump *dump)
{
	outJsonEnd(&dump->json);
}

static void jsonBeginGroup(struct dump *dump)
{
	struct outJson *json = &dump->json;
	const hdIGroup *group = dump->group;

	outJsonObject(json, NULL, false);
	outJsonText(json, "node", rolesPath(group->node));
	outJsonText(json, "group", group->name);
	outJsonText(json, "file", group->file);
	outJsonSeconds(json, "time_adjustment_s", group->timeAdjustment);
	dumpJsonPutAttributes(json, group->attributes, group->attributeCount);
	outJsonArray(json, "values", false);
	for (size_t i = 0; i < dump->columnCount; i++) {
		const hdIValue *value = &group->values[dump->columns[i]];

		outJsonObject(json, NULL, true);
		outJsonText(json, "name", value->name);
		outJsonText(json, "type", columnTypeName(value->type));
		outJsonText(json, "unit", value->unit);
		outJsonText(json, "grouping", value->grouping);
		dumpJsonPutAttributes(json, value->attributes,
				      value->attributeCount);
		outJsonEnd(json);
	}
	outJsonEnd(json);
	outJsonArray(json, "entries", false);
}

static void entryValue(struct dump *dump, const hdIValue *value,
		       const hdIColumn *column, size_t entry)
{
	struct outJson *json = &dump->json;
	hdIType type = value->type;
	char buffer[OUT_NUMBER_SIZE];
	char *hex;

	if (dump->isHex) {
		if (type == HDI_STRING) {
			hex = dumpFormatHex(column->string[entry].bytes,
					    column->string[entry].length);
			outJsonText(json, NULL, hex);
			g_free(hex);
			return;
		}
		outJsonText(json, NULL,
			    dumpFormatNumber(dump, buffer, value, column, entry,
					     true));
	} else if (type == HDI_STRING) {
		outJsonBytes(json, NULL, column->string[entry].bytes,
			     column->string[entry].length);
	} else if (columnIsMissing(value, column, entry)) {
		outJsonDouble(json, NULL, NAN);
	} else if (type == HDI_FLOAT) {
		outJsonDouble(json, NULL, (double)column->float32[entry]);
	} else if (type == HDI_DOUBLE) {
		outJsonDouble(json, NULL, column->float64[entry]);
	} else {
		outJsonPlain(json, NULL,
			     dumpFormatNumber(dump, buffer, value, column,
					      entry, true));
	}
}

static void jsonEntry(struct dump *dump, const hdIBlock *block, size_t entry)
{
	struct outJson *json = &dump->json;

	outJsonObject(json, NULL, true);
	jsonTime(dump, "start", block->start[entry]);
	jsonTime(dump, "end", block->end[entry]);
	if (block->isAfterGap[entry])
		outJsonBool(json, "gap", true);
	outJsonArray(json, "values", true);
	for (size_t i = 0; i < dump->columnCount; i++) {
		size_t column = dump->columns[i];

		entryValue(dump, &dump->group->values[column],
			   &block->columns[column], entry);
	}
	outJsonEnd(json);
	outJsonEnd(json);
}

/** End the array of entries or records, and the object around it. */
static void jsonEndFile(struct dump *dump)
{
	outJsonEnd(&dump->json);
	outJsonEnd(&dump->json);
}

static void jsonBeginTrace(struct dump *dump)
{
	struct outJson *json = &dump->json;

	outJsonObject(json, NULL, false);
	outJsonText(json, "node", rolesPath(dump->trace->node));
	outJsonText(json, "file", dump->trace->file);
	dumpJsonPutAttributes(json, dump->attributes, dump->attributeCount);
	outJsonArray(json, "records", false);
}

static void elements(struct outJson *json, const char *key,
		     const hdIElement *list, size_t count)
{
	if (!count)
		return;
	outJsonArray(json, key, true);
	for (size_t i = 0; i < count; i++) {
		outJsonObject(json, NULL, true);
		outJsonText(json, "name", list[i].name);
		if (list[i].attributeCount)
			dumpJsonPutAttributes(json, list[i].attributes,
					      list[i].attributeCount);
		if (*list[i].text)
			outJsonText(json, "text", list[i].text);
		elements(json, "elements", list[i].children,
			 list[i].childCount);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void jsonRecord(struct dump *dump, const hdIRecord *record)
{
	struct outJson *json = &dump->json;

	outJsonObject(json, NULL, true);
	outJsonText(json, "kind",
		    record->kind == HDI_EVENT ? "event" : "state");
	outJsonText(json, "name", record->name);
	outJsonInteger(json, "depth", record->depth);
	jsonTime(dump, "start", record->start);
	jsonTime(dump, "end", record->end);
	if (record->attributeCount)
		dumpJsonPutAttributes(json, record->attributes,
				      record->attributeCount);
	elements(json, "elements", record->elements, record->elementCount);
	if (*record->text)
		outJsonText(json, "text", record->text);
	if (dump->site) {
		outJsonObject(json, "call_site", true);
		resultsPutSite(json, dump->site, dump->addresses);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void jsonBeginAllRelations(struct dump *dump)
{
	outJsonArray(&dump->json, "relations", false);
}

static void jsonBeginRelations(struct dump *dump)
{
	const hdIRelationOwner *owner = &dump->owner;
	struct outJson *json = &dump->json;

	outJsonObject(json, NULL, false);
	outJsonText(json, "node", rolesPath(dump->relations->node));
	outJsonText(json, "file", dump->relations->file);
	outJsonText(json, "host", owner->host);
	outJsonText(json, "process", owner->process);
	outJsonText(json, "topology", owner->number);
	outJsonArray(json, "elements", false);
}

static void jsonElement(struct dump *dump, const hdIRelationRecord *record)
{
	struct outJson *json = &dump->json;
	char buffer[OUT_NUMBER_SIZE];

	outJsonObject(json, NULL, true);
	outJsonText(json, "kind", dumpElementName(record));
	outJsonPlain(json, "id", outInteger(buffer, (outInt128)record->id));
	jsonTime(dump, "time", record->time);
	if (*record->name)
		outJsonText(json, "name", record->name);
	if (*record->parent) {
		outJsonText(json, "parent_kind", dumpParentKind(record));
		outJsonText(json, "parent", record->parent);
	}
	if (*record->trace)
		outJsonText(json, "trace", record->trace);
	if (record->attributeCount)
		dumpJsonPutAttributes(json, record->attributes,
				      record->attributeCount);
	elements(json, "elements", record->elements, record->elementCount);
	outJsonEnd(json);
}

const struct dumpWriter dumpJsonWriter = {
	.begin = jsonBegin,
	.project = jsonProject,
	.beginStats = jsonBeginStats,
	.beginGroup = jsonBeginGroup,
	.entry = jsonEntry,
	.endGroup = jsonEndFile,
	.endStats = jsonEnd,
	.beginTraces = jsonBeginTraces,
	.beginTrace = jsonBeginTrace,
	.record = jsonRecord,
	.endTrace = jsonEndFile,
	.endTraces = jsonEnd,
	.beginAllRelations = jsonBeginAllRelations,
	.beginRelations = jsonBeginRelations,
	.element = jsonElement,
	.endRelations = jsonEndFile,
	.endAllRelations = jsonEnd,
	.end = jsonEnd,
};
