/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace dump as CSV, in long form: a row for each value and each attribute.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "HDTraceTools/dump/dump.h"
#include "HDTraceTools/model/column.h"
#include "HDTraceTools/model/mpi/roles.h"
#include "HDTraceTools/model/units.h"

/** A row; what is NULL stays empty. */
struct row {
	FILE *file; /**< Where to. */
	const char *record;
	const char *node;
	const char *group;
	const char *number; /**< Of the entry or record, or some id. */
	const char *depth;
	const char *start;
	const char *end;
	const char *gap;
	const char *name;
	const char *type;
	const char *unit;
	const char *value;
	size_t valueLength; /**< If value is not a string. */
};

static const char *orEmpty(const char *text)
{
	return text ? text : "";
}

static void dumpCsvPrintRow(const struct row *row)
{
	struct outCsv csv = { .file = row->file };

	outCsvPlain(&csv, row->record);
	outCsvText(&csv, orEmpty(row->node));
	outCsvText(&csv, orEmpty(row->group));
	outCsvPlain(&csv, orEmpty(row->number));
	outCsvPlain(&csv, orEmpty(row->depth));
	outCsvPlain(&csv, orEmpty(row->start));
	outCsvPlain(&csv, orEmpty(row->end));
	outCsvPlain(&csv, orEmpty(row->gap));
	outCsvText(&csv, orEmpty(row->name));
	outCsvText(&csv, orEmpty(row->type));
	outCsvText(&csv, orEmpty(row->unit));
	if (row->valueLength)
		outCsvBytes(&csv, row->value, row->valueLength);
	else
		outCsvText(&csv, orEmpty(row->value));
	outCsvEnd(&csv);
}

static void dumpCsvPrintNamed(const struct dump *dump, const char *record,
			      const char *name, const char *value)
{
	dumpCsvPrintRow(&(struct row){ .file = dump->file,
				       .record = record,
				       .name = name,
				       .value = value });
}

static void dumpCsvPrintAttributes(struct row row, const hdIAttribute *list,
				   size_t count)
{
	for (size_t i = 0; i < count; i++) {
		row.name = list[i].name;
		row.value = list[i].value;
		dumpCsvPrintRow(&row);
	}
}

static void csvBegin(struct dump *dump)
{
	struct outCsv csv = { .file = dump->file };

	outCsvLine(&csv,
		   "record,node,group,number,nesting,start,end,gap,name,type,"
		   "unit,value");
}

static void dumpCsvPrintRanks(struct row *row, const hdIRank *list,
			      size_t count)
{
	char map[2 * OUT_NUMBER_SIZE];
	char cid[OUT_NUMBER_SIZE];

	for (size_t i = 0; i < count; i++) {
		snprintf(map, sizeof(map), "%" PRId64 "->%" PRId64,
			 list[i].global, list[i].local);
		row->name = map;
		row->value = outInteger(cid, list[i].cid);
		dumpCsvPrintRow(row);
	}
}

static void dumpCsvPrintComms(const struct dump *dump)
{
	const hdIProject *project = dump->project;
	char number[OUT_NUMBER_SIZE];

	for (size_t i = 0; i < project->communicatorCount; i++) {
		const hdICommunicator *comm = &project->communicators[i];
		struct row row = {
			.file = dump->file,
			.record = "communicator",
			.number = outInteger(number, (outInt128)i),
			.name = comm->name,
		};

		if (*comm->uid)
			row.value = comm->uid;
		dumpCsvPrintRow(&row);
		row.record = "rank";
		dumpCsvPrintRanks(&row, comm->ranks, comm->rankCount);
		row.record = "remote-rank";
		dumpCsvPrintRanks(&row, comm->remoteRanks,
				  comm->remoteRankCount);
	}
}

static void dumpCsvPrintTypes(const struct dump *dump)
{
	const hdIProject *project = dump->project;
	char id[OUT_NUMBER_SIZE];

	for (size_t i = 0; i < project->datatypeCount; i++) {
		const hdIDatatype *type = &project->datatypes[i];
		char *node = g_strdup_printf("%s_%s", type->rank, type->thread);
		struct row row = {
			.file = dump->file,
			.record = "datatype",
			.node = node,
			.number = outInteger(id, type->id),
			.name = type->name,
			.type = type->combiner,
			.value = type->content,
		};

		dumpCsvPrintRow(&row);
		row.record = "datatype-attribute";
		dumpCsvPrintAttributes(row, type->attributes,
				       type->attributeCount);
		g_free(node);
	}
}

static void csvProject(struct dump *dump)
{
	const hdIProject *project = dump->project;
	char buffer[OUT_NUMBER_SIZE];

	dumpCsvPrintNamed(dump, "project", "name", project->name);
	dumpCsvPrintNamed(dump, "project", "file", project->file);
	dumpCsvPrintNamed(dump, "project", "prefix", project->prefix);
	dumpCsvPrintNamed(dump, "project", "description", project->description);
	for (size_t i = 0; i < project->levelCount; i++)
		dumpCsvPrintRow(&(struct row){
			.file = dump->file,
			.record = "level",
			.depth = outInteger(buffer, (outInt128)i + 1),
			.name = project->levels[i],
		});
	for (size_t i = 0; i < project->nodeCount; i++)
		dumpCsvPrintRow(&(struct row){
			.file = dump->file,
			.record = "node",
			.node = project->nodes[i]->path,
			.depth = outInteger(buffer, project->nodes[i]->level),
			.name = project->nodes[i]->label,
		});
	dumpCsvPrintComms(dump);
	dumpCsvPrintTypes(dump);
	for (size_t i = 0; i < project->usedFileCount; i++) {
		const hdIUsedFile *file = &project->usedFiles[i];

		dumpCsvPrintNamed(
			dump, "file", file->name,
			file->initialSize < 0
				? NULL
				: outInteger(buffer, file->initialSize));
	}
	for (size_t i = 0; i < project->declaredGroupCount; i++)
		dumpCsvPrintNamed(dump, "group", project->declaredGroups[i],
				  NULL);
}

static void csvBeginGroup(struct dump *dump)
{
	const hdIGroup *group = dump->group;
	struct row row = {
		.file = dump->file,
		.record = "group-attribute",
		.node = rolesPath(group->node),
		.group = group->name,
	};

	dumpCsvPrintAttributes(row, group->attributes, group->attributeCount);
	row.record = "value-attribute";
	for (size_t i = 0; i < dump->columnCount; i++) {
		const hdIValue *value = &group->values[dump->columns[i]];

		/* Whose it is. */
		row.type = value->name;
		dumpCsvPrintAttributes(row, value->attributes,
				       value->attributeCount);
	}
}

static void csvEntry(struct dump *dump, const hdIBlock *block, size_t entry)
{
	char number[OUT_NUMBER_SIZE];
	char start[OUT_NUMBER_SIZE];
	char end[OUT_NUMBER_SIZE];
	char buffer[OUT_NUMBER_SIZE];
	struct row row = {
		.file = dump->file,
		.record = "value",
		.node = rolesPath(dump->group->node),
		.group = dump->group->name,
		.number = outInteger(number, (outInt128)(block->first + entry)),
		.start = dumpFormatTime(dump, start, block->start[entry]),
		.end = dumpFormatTime(dump, end, block->end[entry]),
		.gap = block->isAfterGap[entry] ? "1" : "0",
	};

	for (size_t i = 0; i < dump->columnCount; i++) {
		const hdIValue *value = &dump->group->values[dump->columns[i]];
		const hdIColumn *column = &block->columns[dump->columns[i]];
		char *hex = NULL;

		row.name = value->name;
		row.type = columnTypeName(value->type);
		row.unit = value->unit;
		row.valueLength = 0;
		if (value->type != HDI_STRING) {
			row.value = dumpFormatNumber(dump, buffer, value,
						     column, entry, true);
		} else if (dump->isHex) {
			hex = dumpFormatHex(column->string[entry].bytes,
					    column->string[entry].length);
			row.value = hex;
		} else {
			row.valueLength = column->string[entry].length;
			row.value = row.valueLength
					    ? column->string[entry].bytes
					    : "";
		}
		dumpCsvPrintRow(&row);
		g_free(hex);
	}
}

static void csvBeginTrace(struct dump *dump)
{
	dumpCsvPrintAttributes(
		(struct row){ .file = dump->file,
			      .record = "trace",
			      .node = rolesPath(dump->trace->node) },
		dump->attributes, dump->attributeCount);
}

static void dumpCsvPrintElement(struct row row, const hdIElement *self,
				unsigned int depth)
{
	char buffer[OUT_NUMBER_SIZE];

	row.record = "element";
	row.depth = outInteger(buffer, depth);
	row.name = self->name;
	row.value = self->text;
	dumpCsvPrintRow(&row);
	row.record = "element-attribute";
	dumpCsvPrintAttributes(row, self->attributes, self->attributeCount);
	for (size_t i = 0; i < self->childCount; i++)
		dumpCsvPrintElement(row, &self->children[i], depth + 1);
}

static void csvRecord(struct dump *dump, const hdIRecord *record)
{
	char number[OUT_NUMBER_SIZE];
	char depth[OUT_NUMBER_SIZE];
	char start[OUT_NUMBER_SIZE];
	char end[OUT_NUMBER_SIZE];
	struct row row = {
		.file = dump->file,
		.record = record->kind == HDI_EVENT ? "event" : "state",
		.node = rolesPath(dump->trace->node),
		.number = outInteger(number, (outInt128)dump->number),
		.depth = outInteger(depth, record->depth),
		.start = dumpFormatTime(dump, start, record->start),
		.end = dumpFormatTime(dump, end, record->end),
		.name = record->name,
		.value = record->text,
	};

	dumpCsvPrintRow(&row);
	row = (struct row){
		.file = dump->file,
		.record = "attribute",
		.node = row.node,
		.number = row.number,
		.depth = row.depth,
	};
	dumpCsvPrintAttributes(row, record->attributes, record->attributeCount);
	for (size_t i = 0; i < record->elementCount; i++)
		dumpCsvPrintElement(row, &record->elements[i],
				    record->depth + 1);
}

static void csvBeginRelations(struct dump *dump)
{
	const hdIRelationOwner *owner = &dump->owner;
	const hdIAttribute list[] = {
		{ "host", owner->host },
		{ "process", owner->process },
		{ "topology", owner->number },
	};

	dumpCsvPrintAttributes(
		(struct row){ .file = dump->file,
			      .record = "relations",
			      .node = rolesPath(dump->relations->node) },
		list, G_N_ELEMENTS(list));
}

static void csvElement(struct dump *dump, const hdIRelationRecord *record)
{
	char *kind = g_strconcat("relation-", dumpElementName(record), NULL);
	char number[OUT_NUMBER_SIZE];
	char time[OUT_NUMBER_SIZE];
	struct row row = {
		.file = dump->file,
		.record = kind,
		.node = rolesPath(dump->relations->node),
		.number = outInteger(number, (outInt128)record->id),
		.start = dumpFormatTime(dump, time, record->time),
		.name = record->name,
		.type = *record->parent ? dumpParentKind(record) : "",
		.value = record->parent,
	};

	dumpCsvPrintRow(&row);
	row.record = "relation-trace";
	row.type = row.name = "";
	row.value = record->trace;
	if (*record->trace)
		dumpCsvPrintRow(&row);
	row = (struct row){
		.file = dump->file,
		.record = "relation-attribute",
		.node = row.node,
		.number = row.number,
	};
	dumpCsvPrintAttributes(row, record->attributes, record->attributeCount);
	for (size_t i = 0; i < record->elementCount; i++)
		dumpCsvPrintElement(row, &record->elements[i], 1);
	g_free(kind);
}

const struct dumpWriter dumpCsvWriter = {
	.begin = csvBegin,
	.project = csvProject,
	.beginGroup = csvBeginGroup,
	.entry = csvEntry,
	.beginTrace = csvBeginTrace,
	.record = csvRecord,
	.beginRelations = csvBeginRelations,
	.element = csvElement,
};
