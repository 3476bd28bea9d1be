/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to arrow: a file of Arrow for each table, as the package of
 * Python has them: groups, states and events of traces, states of relations and
 * relations.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/command/parts.h"
#include "HDTraceTools/export/arrow/ipc.h"
#include "HDTraceTools/export/export.h"
#include "HDTraceTools/tables/metadata.h"
#include "HDTraceTools/tables/read.h"

/** Rows of a batch of a group; it stays in memory until it is written. */
#define ARROW_ROWS 262144
/** Bytes of a text in a batch, after which it is written: with U+FFFD for each
 *  of them, it still has less than 2 GiB. */
#define ARROW_TEXT (1 << 29)
/** Columns of a group before its values. */
#define ARROW_FIXED 2

/** A file of the project, whose tables are written in any thread. */
struct arrowPart {
	struct export *export;
	GArray *files; /**< struct newFile, complete but for their names. */
	int error;     /**< -1: it was said. */
};

/* ---- Metadata ---------------------------------------------------------- */

static void arrowAddPair(void *data, const char *name, const char *text)
{
	g_ptr_array_add(data, g_strdup(name));
	g_ptr_array_add(data, g_strdup(text));
}

static GPtrArray *arrowPairs(void)
{
	return g_ptr_array_new_with_free_func(g_free);
}

/** The schema of a table, without metadata of columns. */
static struct ipcSchema arrowSchema(const struct table *table,
				    struct ipcField **fields)
{
	*fields = g_new0(struct ipcField, table->columnCount + 1);
	for (size_t i = 0; i < table->columnCount; i++) {
		(*fields)[i].name = table->columns[i].name;
		(*fields)[i].type = table->columns[i].type;
	}
	return (struct ipcSchema){ .fields = *fields,
				   .count = table->columnCount,
				   .metadata = arrowPairs() };
}

static void arrowFreeSchema(const struct ipcSchema *schema,
			    struct ipcField *fields)
{
	for (size_t i = 0; i < schema->count; i++) {
		if (fields[i].metadata)
			g_ptr_array_unref(fields[i].metadata);
	}
	g_ptr_array_unref(schema->metadata);
	g_free(fields);
}

/* ---- Files ------------------------------------------------------------- */

/** Start the file of a table: -1 if that failed, which was said. */
static int arrowStart(struct arrowPart *part, const char *path,
		      const char *ending, struct newFile *file)
{
	char *base = exportBaseName(path);
	char *name = g_strconcat(base, ending, NULL);
	int ret = exportStartFile(part->export, file, name);

	g_free(base);
	g_free(name);
	return ret;
}

/** A table is written: -1 if that failed, which is said. */
static int arrowEnd(struct arrowPart *part, const char *path,
		    struct newFile *file, int error)
{
	int ret;

	if (error < 0)
		toolError(part->export->tool, "%s: cannot export: %s", path,
			  error == -EFBIG
				  ? "a column has more than 2 GiB of text; "
				    "select a part with --from and --until"
				  : strerror(-error));
	ret = exportCloseFile(part->export, file, error < 0);
	if (ret == 0)
		g_array_append_vals(part->files, file, 1);
	return ret;
}

/** Write a table that is complete, unless it is an optional one that has no
 *  rows. */
static int arrowWriteTable(struct arrowPart *part, const char *path,
			   const hdINode *node, const struct table *table,
			   const char *ending)
{
	struct newFile file;
	struct ipcField *fields;
	struct ipcSchema schema;
	struct ipcFile ipc;
	int ret;

	if (arrowStart(part, path, ending, &file) < 0)
		return -1;
	schema = arrowSchema(table, &fields);
	tableMetadataOfNode(part->export->project, node, arrowAddPair,
			    schema.metadata);
	ipcBegin(&ipc, file.file, &schema);
	ret = table->rows ? ipcBatch(&ipc, table) : 0;
	ipcEnd(&ipc);
	arrowFreeSchema(&schema, fields);
	return arrowEnd(part, path, &file, ret);
}

/* ---- Groups ------------------------------------------------------------ */

/** Whether a batch is large enough to be written. */
static bool arrowIsFull(const struct table *table)
{
	if (table->rows >= ARROW_ROWS)
		return true;
	for (size_t i = ARROW_FIXED; i < table->columnCount; i++) {
		if (table->columns[i].type == TABLE_TEXT &&
		    table->columns[i].values.used >= ARROW_TEXT)
			return true;
	}
	return false;
}

static int arrowWriteEntries(struct arrowPart *part,
			     const struct exportGroup *group,
			     struct exportReader *reader, struct table *table,
			     struct ipcFile *ipc)
{
	struct exportEntries entries;
	int ret = table->error;

	while (ret == 0 && exportReadStat(reader, &entries)) {
		tableAddEntries(table, group->group, group->columns,
				entries.block, entries.first,
				entries.last - entries.first);
		ret = table->error;
		if (ret < 0 || !arrowIsFull(table))
			continue;
		ret = ipcBatch(ipc, table);
		tableRestart(table);
		if (ferror(ipc->out) || toolIsStopped(part->export->tool))
			break;
	}
	if (ret == 0 && table->rows)
		ret = ipcBatch(ipc, table);
	return ret;
}

static int arrowWriteGroup(struct arrowPart *part,
			   const struct exportGroup *group)
{
	struct export *export = part->export;
	const char *path = group->group->file;
	struct exportReader *reader = exportOpenStat(export, group);
	struct table table = { .columns = NULL };
	struct newFile file;
	struct ipcField *fields;
	struct ipcSchema schema;
	struct ipcFile ipc;
	int ret;

	if (!reader)
		return 0;
	if (arrowStart(part, path, ".arrow", &file) < 0) {
		exportCloseStat(reader);
		return -1;
	}
	tableAddGroup(&table, group->group, group->columns, group->valueCount);
	schema = arrowSchema(&table, &fields);
	tableMetadataOfGroup(export->project, group->group, arrowAddPair,
			     schema.metadata);
	for (size_t i = 0; table.error == 0 && i < group->valueCount; i++) {
		fields[ARROW_FIXED + i].metadata = arrowPairs();
		tableMetadataOfValue(group->group, group->values[i],
				     arrowAddPair,
				     fields[ARROW_FIXED + i].metadata);
	}
	ipcBegin(&ipc, file.file, &schema);
	ret = arrowWriteEntries(part, group, reader, &table, &ipc);
	ipcEnd(&ipc);
	exportCloseStat(reader);
	arrowFreeSchema(&schema, fields);
	tableFree(&table);
	return arrowEnd(part, path, &file, ret);
}

/* ---- Traces and relations ---------------------------------------------- */

static struct tableReading arrowReading(const struct arrowPart *part)
{
	return (struct tableReading){
		.project = part->export->project,
		.times = part->export->selection,
		.sink = *part->export->scan.sink,
	};
}

/** Write both tables of what was read; the second one if it has rows. A file
 *  that cannot be opened has none, which is said here if it was not before. */
static int arrowWriteBoth(struct arrowPart *part, const char *path,
			  const hdINode *node, struct tableReading *reading,
			  int ret, const char *ending)
{
	if (ret < 0)
		toolError(part->export->tool, "%s: cannot export: %s", path,
			  ret == -EFBIG
				  ? "a column has more than 2 GiB of text; "
				    "select a part with --from and --until"
				  : strerror(-ret));
	if (ret == 0 && reading->openError && reading->openError != EBADMSG)
		toolErrorRead(part->export->tool, path, reading->openError);
	else if (ret == 0)
		ret = arrowWriteTable(part, path, node, &reading->table,
				      ".arrow");
	if (ret == 0 && reading->more.rows)
		ret = arrowWriteTable(part, path, node, &reading->more, ending);
	tableReadingFree(reading);
	return ret < 0 ? -1 : 0;
}

static int arrowWriteTrace(struct arrowPart *part, const hdITraceFile *trace)
{
	struct tableReading reading = arrowReading(part);
	int ret = tableReadTrace(&reading, trace);

	part->export->states += reading.table.rows;
	part->export->events += reading.more.rows;
	return arrowWriteBoth(part, trace->file, trace->node, &reading, ret,
			      ".events.arrow");
}

static int arrowWriteRelations(struct arrowPart *part,
			       const hdIRelationFile *file)
{
	struct tableReading reading = arrowReading(part);
	int ret = tableReadRelations(&reading, file);

	part->export->relations += reading.more.rows;
	return arrowWriteBoth(part, file->file, file->node, &reading, ret,
			      ".relations.arrow");
}

/* ---- All --------------------------------------------------------------- */

/** All files. */
struct arrowAll {
	struct export *export;
	const struct export *begun; /**< As it was before the first one. */
	GPtrArray *relations;       /**< Those that were asked for. */
	int error;
};

static void arrowRunPart(struct part *part, size_t number, void *data)
{
	const struct arrowAll *self = data;
	size_t others = exportFileCount(self->export);
	const struct exportGroup *group = exportGroupAt(self->export, number);
	struct arrowPart *own = g_new0(struct arrowPart, 1);

	part->result = own;
	own->export = exportStartPart(self->begun, part);
	own->files = g_array_new(FALSE, FALSE, sizeof(struct newFile));
	if (group)
		own->error = arrowWriteGroup(own, group);
	else if (number < others)
		own->error = arrowWriteTrace(
			own, exportTraceAt(self->export, number));
	else
		own->error = arrowWriteRelations(
			own, self->relations->pdata[number - others]);
}

static bool arrowTakePart(struct part *part, size_t number, void *data)
{
	struct arrowAll *self = data;
	struct arrowPart *own = part->result;
	bool isGood = own && !part->isDropped && own->error == 0;
	size_t others = exportFileCount(self->export);

	if (!own)
		return false;
	exportEndPart(self->export, own->export);
	for (guint i = 0; i < own->files->len; i++) {
		struct newFile *file =
			&g_array_index(own->files, struct newFile, i);

		if (!isGood)
			newFileAbort(file);
		else if (exportEndFile(self->export, file, false) < 0)
			isGood = false;
	}
	g_array_unref(own->files);
	if (number < others)
		exportFileDone(self->export, number);
	else
		toolProgressFile(self->export->tool,
				 ((const hdIRelationFile *)self->relations
					  ->pdata[number - others])
					 ->fileSize);
	g_free(own);
	if (!isGood)
		self->error = -1;
	return isGood;
}

static int arrowWrite(struct export *export)
{
	const hdIProject *project = export->project;
	struct arrowAll self = { .export = export,
				 .relations = g_ptr_array_new() };
	struct export begun;
	struct partsWork work = {
		.tool = export->tool,
		.run = arrowRunPart,
		.take = arrowTakePart,
		.data = &self,
	};

	for (size_t i = 0; export->hasRelations && i < project->relationCount;
	     i++) {
		if (selectionHasNode(&export->selection,
				     project->relations[i]->node))
			g_ptr_array_add(self.relations,
					(void *)project->relations[i]);
	}
	exportLoseProject(export);
	exportLose(export, "communicators", project->communicatorCount);
	begun = *export;
	self.begun = &begun;
	work.count = exportFileCount(export) + self.relations->len;
	partsDo(&work);
	g_ptr_array_unref(self.relations);
	return self.error;
}

const struct exportFormat exportArrow = {
	.name = "arrow",
	.suffix = ".arrow.d",
	.isDirectory = true,
	.keepsDetails = true,
	.keepsRelations = true,
	.write = arrowWrite,
};
