/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace dump --where: whether a query matches what is read.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/dump/dump.h"
#include "HDTraceTools/dump/where.h"
#include "HDTraceTools/model/causes/dependencies.h"
#include "HDTraceTools/model/mpi/roles.h"
#include "HDTraceTools/model/waits/waits.h"
#include "cli/output.h"

/** A wait of a trace. */
struct whereWait {
	int64_t start;
	int64_t end;
	uint32_t kind; /**< enum waitKind */
	bool isWrongOrder;
};

struct where {
	const struct query *query;
	const hdIProject *project;
	int rankLevel;
	int threadLevel;
	GArray **waits; /**< struct whereWait, by trace; NULL: not asked for. */
};

struct whereFile {
	const struct where *where;
	struct queryItem item;
	const char **nodes;
	const hdIGroup *group;
	/** Waits of the trace; the next one, and those before it that were in
	 *  no state so far. */
	const GArray *waits;
	guint nextWait;
	GArray *pending;  /**< struct whereWait */
	GPtrArray *kinds; /**< Names; the last one is NULL. */
	/** The record, element or entry. */
	const hdIAttribute *attributes;
	size_t attributeCount;
	const hdIBlock *block;
	size_t entry;
	GString *text;
};

/* ---- Waits -------------------------------------------------------------- */

/** A trace while it is searched for waits. */
struct whereReading {
	struct waits *waits;
	struct dependencyReader *reader;
	uint32_t trace;
	int64_t rank;
	int error;
};

static bool whereNoteRecord(const hdIRecord *record, void *data)
{
	struct whereReading *self = data;

	self->error = dependencyNote(self->reader, record, true);
	if (self->error == 0)
		self->error =
			waitsNote(self->waits, self->trace, self->rank, record);
	return self->error == 0;
}

static int whereReadTrace(const struct scan *scan, struct waits *waits,
			  struct dependencies *dependencies, size_t number)
{
	const hdITraceFile *trace = scan->project->traces[number];
	/* What is damaged is said when the trace is printed. */
	hdITraceReader *reader =
		diagnosticsOpenTrace(scan->project, trace, &diagnosticsDropped);
	struct whereReading reading = {
		.waits = waits,
		.trace = (uint32_t)number,
	};
	int ret;

	if (!reader)
		return 0;
	reading.reader =
		dependenciesEnter(dependencies, trace, (uint32_t)number);
	reading.rank = dependencyRank(reading.reader);
	scanRecords(scan, reader, whereNoteRecord, &reading);
	hdI_closeTrace(reader);
	ret = dependenciesLeave(dependencies, reading.reader);
	return reading.error ? reading.error : ret;
}

/** Let every trace have its waits. */
static int whereTakeWaits(struct where *self, struct waits *waits)
{
	struct wait wait;
	int ret;

	while ((ret = waitsNext(waits, &wait)) == 1) {
		struct whereWait one = { wait.start, wait.end, wait.kind,
					 wait.isWrongOrder };
		GArray **list = &self->waits[wait.trace];

		if (!*list)
			*list = g_array_new(FALSE, FALSE, sizeof(one));
		g_array_append_val(*list, one);
	}
	return ret;
}

static void whereReadWaits(struct where *self, const struct scan *scan)
{
	const hdIProject *project = scan->project;
	struct waits *waits = waitsNew();
	const struct dependencyFilter filter = {
		.kinds = DEPENDENCIES_BETWEEN,
		.onlyWaits = true,
		.take = waitsTake,
		.takeData = waits,
	};
	struct dependencies *dependencies = dependenciesNew(project, &filter);
	struct dependency edge;
	int ret = 0;

	self->waits = g_new0(GArray *, project->traceCount + 1);
	for (size_t i = 0; ret == 0 && i < project->traceCount; i++)
		ret = whereReadTrace(scan, waits, dependencies, i);
	/* With the first edge all that belongs together was seen. */
	if (ret == 0)
		ret = dependenciesNext(dependencies, &edge);
	if (ret >= 0)
		ret = whereTakeWaits(self, waits);
	if (ret < 0)
		toolErrorRead(scan->tool, "temporary file", ret);
	dependenciesFree(dependencies);
	waitsFree(waits);
}

static void whereAddKind(struct whereFile *file, enum waitKind kind)
{
	g_ptr_array_add(file->kinds, (void *)waitKindInfo(kind)->name);
}

/** The record takes the waits in it that no state in it has. */
static void whereTakeRecordWaits(struct whereFile *file,
				 const hdIRecord *record)
{
	const GArray *waits = file->waits;
	guint at;

	g_ptr_array_set_size(file->kinds, 0);
	file->item.waited = 0;
	if (record->kind == HDI_EVENT)
		return;
	while (file->nextWait < waits->len) {
		struct whereWait wait =
			g_array_index(waits, struct whereWait, file->nextWait);

		if (wait.start > record->end)
			break;
		g_array_append_val(file->pending, wait);
		file->nextWait++;
	}
	at = file->pending->len;
	while (at > 0) {
		struct whereWait wait =
			g_array_index(file->pending, struct whereWait, --at);

		if (wait.start < record->start)
			break;
		if (wait.end > record->end)
			continue;
		whereAddKind(file, wait.kind);
		if (wait.isWrongOrder)
			whereAddKind(file, WAIT_WRONG_ORDER);
		file->item.waited += wait.end - wait.start;
		g_array_remove_index(file->pending, at);
	}
}

/* ---- Attributes --------------------------------------------------------- */

static const char *whereFindAttribute(const void *data, const char *name)
{
	const struct whereFile *file = data;

	for (size_t i = 0; i < file->attributeCount; i++) {
		if (strcmp(file->attributes[i].name, name) == 0)
			return file->attributes[i].value;
	}
	return NULL;
}

static const char *whereFindValue(const void *data, const char *name)
{
	const struct whereFile *file = data;
	char buffer[OUT_NUMBER_SIZE];

	for (size_t i = 0; i < file->group->valueCount; i++) {
		const hdIValue *value = &file->group->values[i];
		const hdIColumn *column = &file->block->columns[i];

		if (strcmp(value->name, name) != 0)
			continue;
		g_string_truncate(file->text, 0);
		if (value->type == HDI_STRING)
			g_string_append_len(
				file->text, column->string[file->entry].bytes,
				(gssize)column->string[file->entry].length);
		else
			g_string_assign(file->text,
					dumpFormatValue(buffer, value, column,
							file->entry, true));
		return file->text->str;
	}
	return NULL;
}

/* ---- Files -------------------------------------------------------------- */

struct where *whereNew(struct query *query, const struct scan *scan)
{
	struct where *self = g_new0(struct where, 1);

	self->query = query;
	self->project = scan->project;
	self->rankLevel = rolesRankLevel(scan->project);
	self->threadLevel = rolesThreadLevel(scan->project);
	if (queryHasWaits(query))
		whereReadWaits(self, scan);
	return self;
}

void whereFree(struct where *self)
{
	if (!self)
		return;
	for (size_t i = 0; self->waits && i < self->project->traceCount; i++) {
		if (self->waits[i])
			g_array_unref(self->waits[i]);
	}
	g_free(self->waits);
	g_free(self);
}

static const char *whereLabel(const hdINode *node, int level)
{
	return node && level > 0 && node->level >= level
		       ? rolesAt(node, level)->label
		       : NULL;
}

static struct whereFile *whereOpen(const struct where *self,
				   const hdINode *node)
{
	struct whereFile *file = g_new0(struct whereFile, 1);
	size_t count = 0;

	file->where = self;
	file->item.rank = whereLabel(node, self->rankLevel);
	file->item.thread = whereLabel(node, self->threadLevel);
	for (const hdINode *at = node; at; at = at->parent)
		count++;
	file->nodes = g_new0(const char *, count + 1);
	count = 0;
	/* The root has no name. */
	for (; node && *node->path; node = node->parent)
		file->nodes[count++] = node->path;
	file->item.nodes = file->nodes;
	file->item.attribute = whereFindAttribute;
	file->item.data = file;
	file->kinds = g_ptr_array_new_null_terminated(0, NULL, TRUE);
	file->pending = g_array_new(FALSE, FALSE, sizeof(struct whereWait));
	file->text = g_string_new(NULL);
	return file;
}

void whereCloseFile(struct whereFile *file)
{
	if (!file)
		return;
	g_ptr_array_unref(file->kinds);
	g_array_unref(file->pending);
	g_string_free(file->text, TRUE);
	g_free(file->nodes);
	g_free(file);
}

bool whereHasPlace(const struct where *self, const hdINode *node,
		   const char *group)
{
	struct whereFile *file;
	bool matches;

	if (!self)
		return true;
	file = whereOpen(self, node);
	file->item.group = group;
	matches = queryMatchesPlace(self->query, &file->item);
	whereCloseFile(file);
	return matches;
}

struct whereFile *whereOpenTrace(const struct where *self,
				 const hdITraceFile *trace)
{
	struct whereFile *file = whereOpen(self, trace->node);

	for (size_t i = 0; self->waits && i < self->project->traceCount; i++) {
		if (self->project->traces[i] == trace)
			file->waits = self->waits[i];
	}
	return file;
}

struct whereFile *whereOpenGroup(const struct where *self,
				 const hdIGroup *group)
{
	struct whereFile *file = whereOpen(self, group->node);

	file->group = group;
	file->item.group = group->name;
	file->item.attribute = whereFindValue;
	return file;
}

struct whereFile *whereOpenRelations(const struct where *self,
				     const hdIRelationFile *relations)
{
	return whereOpen(self, relations->node);
}

/* ---- Items -------------------------------------------------------------- */

bool whereHasRecord(struct whereFile *file, const hdIRecord *record)
{
	struct queryItem *item = &file->item;

	item->name = record->name;
	item->start = record->start;
	item->end = record->end;
	file->attributes = record->attributes;
	file->attributeCount = record->attributeCount;
	if (file->waits) {
		whereTakeRecordWaits(file, record);
		item->waits = (const char *const *)file->kinds->pdata;
	}
	return queryMatches(file->where->query, item);
}

bool whereHasEntry(struct whereFile *file, const hdIBlock *block, size_t entry)
{
	file->item.start = block->start[entry];
	file->item.end = block->end[entry];
	file->block = block;
	file->entry = entry;
	return queryMatches(file->where->query, &file->item);
}

bool whereHasElement(struct whereFile *file, const hdIRelationRecord *record)
{
	file->item.name = *record->name ? record->name : NULL;
	file->item.start = file->item.end = record->time;
	file->attributes = record->attributes;
	file->attributeCount = record->attributeCount;
	return queryMatches(file->where->query, &file->item);
}
