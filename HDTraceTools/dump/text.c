/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace dump for people.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "HDTraceTools/dump/dump.h"
#include "HDTraceTools/model/column.h"
#include "HDTraceTools/model/mpi/roles.h"

static void dumpTextPrintQuoted(FILE *file, const char *text, size_t length)
{
	GString *out;

	if (outIsPlain(text, length) && !memchr(text, '"', length)) {
		putc('"', file);
		fwrite(text, 1, length, file);
		putc('"', file);
		return;
	}
	out = g_string_new(NULL);
	outAppendPrintable(out, text, length);
	putc('"', file);
	for (size_t i = 0; i < out->len; i++) {
		if (out->str[i] == '"')
			putc('\\', file);
		putc(out->str[i], file);
	}
	putc('"', file);
	g_string_free(out, TRUE);
}

static void dumpTextPrintTitle(struct dump *dump, const char *kind)
{
	fprintf(dump->file, "%s%s%s%s", dump->isLater ? "\n" : "",
		dump->tool->isColored ? "\033[1m" : "", kind,
		dump->tool->isColored ? "\033[0m" : "");
	dump->isLater = true;
}

static void dumpTextPrintNamed(FILE *file, const char *key, const char *text)
{
	fprintf(file, "  %s ", key);
	dumpTextPrintQuoted(file, text, strlen(text));
	putc('\n', file);
}

static void dumpTextPrintAttributes(FILE *file, const hdIAttribute *list,
				    size_t count)
{
	for (size_t i = 0; i < count; i++) {
		putc(' ', file);
		outPrintableTo(file, list[i].name);
		putc('=', file);
		dumpTextPrintQuoted(file, list[i].value, strlen(list[i].value));
	}
}

static void dumpTextPrintRanks(FILE *file, const hdIRank *list, size_t count,
			       int64_t size)
{
	for (size_t i = 0; i < count; i++)
		fprintf(file, " %" PRId64 "->%" PRId64 "(cid %" PRId64 ")",
			list[i].global, list[i].local, list[i].cid);
	if (size > (int64_t)count)
		fprintf(file, " of %" PRId64, size);
}

static void dumpTextPrintComms(FILE *file, const hdIProject *project)
{
	for (size_t i = 0; i < project->communicatorCount; i++) {
		const hdICommunicator *comm = &project->communicators[i];

		fprintf(file, "  communicator ");
		dumpTextPrintQuoted(file, comm->name, strlen(comm->name));
		if (*comm->uid) {
			fprintf(file, " uid ");
			dumpTextPrintQuoted(file, comm->uid, strlen(comm->uid));
		}
		dumpTextPrintRanks(file, comm->ranks, comm->rankCount,
				   comm->size);
		if (comm->isInter) {
			fprintf(file, " and");
			dumpTextPrintRanks(file, comm->remoteRanks,
					   comm->remoteRankCount,
					   comm->remoteSize);
		}
		putc('\n', file);
	}
}

static void dumpTextPrintTypes(FILE *file, const hdIProject *project)
{
	for (size_t i = 0; i < project->datatypeCount; i++) {
		const hdIDatatype *type = &project->datatypes[i];

		fprintf(file, "  datatype rank ");
		dumpTextPrintQuoted(file, type->rank, strlen(type->rank));
		fprintf(file, " thread ");
		dumpTextPrintQuoted(file, type->thread, strlen(type->thread));
		fprintf(file, " id %" PRId64 " ", type->id);
		outPrintableTo(file, type->combiner);
		putc(' ', file);
		dumpTextPrintQuoted(file, type->name, strlen(type->name));
		dumpTextPrintAttributes(file, type->attributes,
					type->attributeCount);
		if (*type->content) {
			putc(' ', file);
			dumpTextPrintQuoted(file, type->content,
					    strlen(type->content));
		}
		putc('\n', file);
	}
}

static void textProject(struct dump *dump)
{
	FILE *file = dump->file;
	const hdIProject *project = dump->project;

	dumpTextPrintTitle(dump, "project");
	putc(' ', file);
	dumpTextPrintQuoted(file, project->name, strlen(project->name));
	putc('\n', file);
	dumpTextPrintNamed(file, "file", project->file);
	dumpTextPrintNamed(file, "prefix", project->prefix);
	dumpTextPrintNamed(file, "description", project->description);
	for (size_t i = 0; i < project->levelCount; i++)
		dumpTextPrintNamed(file, "level", project->levels[i]);
	for (size_t i = 0; i < project->nodeCount; i++)
		dumpTextPrintNamed(file, "node", project->nodes[i]->path);
	dumpTextPrintComms(file, project);
	dumpTextPrintTypes(file, project);
	for (size_t i = 0; i < project->usedFileCount; i++) {
		const hdIUsedFile *used = &project->usedFiles[i];

		fprintf(file, "  used file ");
		dumpTextPrintQuoted(file, used->name, strlen(used->name));
		if (used->initialSize >= 0)
			fprintf(file, " %" PRId64 " B", used->initialSize);
		putc('\n', file);
	}
	for (size_t i = 0; i < project->declaredGroupCount; i++)
		dumpTextPrintNamed(file, "declared group",
				   project->declaredGroups[i]);
}

static void textBeginGroup(struct dump *dump)
{
	FILE *file = dump->file;
	const hdIGroup *group = dump->group;
	char buffer[OUT_NUMBER_SIZE];

	dumpTextPrintTitle(dump, "statistics");
	fprintf(file, " node ");
	dumpTextPrintQuoted(file, rolesPath(group->node),
			    strlen(rolesPath(group->node)));
	fprintf(file, " group ");
	dumpTextPrintQuoted(file, group->name, strlen(group->name));
	fprintf(file, " file ");
	dumpTextPrintQuoted(file, group->file, strlen(group->file));
	dumpTextPrintAttributes(file, group->attributes, group->attributeCount);
	putc('\n', file);
	if (group->timeAdjustment)
		fprintf(file, "  time adjustment %s s\n",
			outSeconds(buffer, group->timeAdjustment));
	for (size_t i = 0; i < dump->columnCount; i++) {
		const hdIValue *value = &group->values[dump->columns[i]];

		fprintf(file, "  value ");
		dumpTextPrintQuoted(file, value->name, strlen(value->name));
		fprintf(file, " %s unit ", columnTypeName(value->type));
		dumpTextPrintQuoted(file, value->unit, strlen(value->unit));
		fprintf(file, " grouping ");
		dumpTextPrintQuoted(file, value->grouping,
				    strlen(value->grouping));
		dumpTextPrintAttributes(file, value->attributes,
					value->attributeCount);
		putc('\n', file);
	}
}

static void textEntry(struct dump *dump, const hdIBlock *block, size_t entry)
{
	FILE *file = dump->file;
	char buffer[OUT_NUMBER_SIZE];

	if (block->isAfterGap[entry])
		fputs("  gap\n", file);
	fputs("  ", file);
	fputs(dumpFormatTime(dump, buffer, block->start[entry]), file);
	putc(' ', file);
	fputs(dumpFormatTime(dump, buffer, block->end[entry]), file);
	for (size_t i = 0; i < dump->columnCount; i++) {
		size_t column = dump->columns[i];
		const hdIValue *value = &dump->group->values[column];
		hdIType type = value->type;
		const hdIColumn *values = &block->columns[column];

		putc(' ', file);
		if (type != HDI_STRING) {
			fputs(dumpFormatNumber(dump, buffer, value, values,
					       entry, false),
			      file);
		} else if (dump->isHex) {
			char *hex = dumpFormatHex(values->string[entry].bytes,
						  values->string[entry].length);

			fprintf(file, "\"%s\"", hex);
			g_free(hex);
		} else {
			dumpTextPrintQuoted(file, values->string[entry].bytes,
					    values->string[entry].length);
		}
	}
	putc('\n', file);
}

static void textBeginTrace(struct dump *dump)
{
	FILE *file = dump->file;
	const char *path = rolesPath(dump->trace->node);

	dumpTextPrintTitle(dump, "trace");
	fprintf(file, " node ");
	dumpTextPrintQuoted(file, path, strlen(path));
	fprintf(file, " file ");
	dumpTextPrintQuoted(file, dump->trace->file, strlen(dump->trace->file));
	dumpTextPrintAttributes(file, dump->attributes, dump->attributeCount);
	putc('\n', file);
}

static void dumpTextPrintElement(FILE *file, const hdIElement *self)
{
	fprintf(file, " <");
	outPrintableTo(file, self->name);
	dumpTextPrintAttributes(file, self->attributes, self->attributeCount);
	if (!self->childCount && !*self->text) {
		fprintf(file, "/>");
		return;
	}
	putc('>', file);
	if (*self->text) {
		putc(' ', file);
		dumpTextPrintQuoted(file, self->text, strlen(self->text));
	}
	for (size_t i = 0; i < self->childCount; i++)
		dumpTextPrintElement(file, &self->children[i]);
	fprintf(file, " </");
	outPrintableTo(file, self->name);
	putc('>', file);
}

static void textRecord(struct dump *dump, const hdIRecord *record)
{
	FILE *file = dump->file;
	char buffer[OUT_NUMBER_SIZE];

	fputs("  ", file);
	fputs(dumpFormatTime(dump, buffer, record->start), file);
	putc(' ', file);
	fputs(dumpFormatTime(dump, buffer, record->end), file);
	putc(' ', file);
	for (unsigned int i = 0; i < record->depth; i++)
		fputs("  ", file);
	if (record->kind == HDI_EVENT) {
		fputs("event ", file);
		dumpTextPrintQuoted(file, record->name, strlen(record->name));
	} else {
		outPrintableTo(file, record->name);
	}
	dumpTextPrintAttributes(file, record->attributes,
				record->attributeCount);
	for (size_t i = 0; i < record->elementCount; i++)
		dumpTextPrintElement(file, &record->elements[i]);
	if (*record->text) {
		putc(' ', file);
		dumpTextPrintQuoted(file, record->text, strlen(record->text));
	}
	if (dump->site) {
		char *place = siteText(dump->site, dump->addresses);

		fprintf(file, " at ");
		outPrintableTo(file, place);
		g_free(place);
	}
	putc('\n', file);
}

static void textBeginRelations(struct dump *dump)
{
	const hdIRelationOwner *owner = &dump->owner;
	FILE *file = dump->file;
	const char *path = rolesPath(dump->relations->node);
	const hdIAttribute list[] = {
		{ "host", owner->host },
		{ "process", owner->process },
		{ "topology", owner->number },
	};

	dumpTextPrintTitle(dump, "relations");
	fprintf(file, " node ");
	dumpTextPrintQuoted(file, path, strlen(path));
	fprintf(file, " file ");
	dumpTextPrintQuoted(file, dump->relations->file,
			    strlen(dump->relations->file));
	dumpTextPrintAttributes(file, list, G_N_ELEMENTS(list));
	putc('\n', file);
}

static void textElement(struct dump *dump, const hdIRelationRecord *record)
{
	FILE *file = dump->file;
	char buffer[OUT_NUMBER_SIZE];

	fprintf(file, "  %s", dumpFormatTime(dump, buffer, record->time));
	fprintf(file, " %s %" PRIu64, dumpElementName(record), record->id);
	if (*record->name) {
		putc(' ', file);
		dumpTextPrintQuoted(file, record->name, strlen(record->name));
	}
	if (*record->parent) {
		fprintf(file, " %s ", dumpParentKind(record));
		dumpTextPrintQuoted(file, record->parent,
				    strlen(record->parent));
	}
	if (*record->trace) {
		fprintf(file, " trace ");
		dumpTextPrintQuoted(file, record->trace, strlen(record->trace));
	}
	dumpTextPrintAttributes(file, record->attributes,
				record->attributeCount);
	for (size_t i = 0; i < record->elementCount; i++)
		dumpTextPrintElement(file, &record->elements[i]);
	putc('\n', file);
}

const struct dumpWriter dumpTextWriter = {
	.project = textProject,
	.beginGroup = textBeginGroup,
	.entry = textEntry,
	.beginTrace = textBeginTrace,
	.record = textRecord,
	.beginRelations = textBeginRelations,
	.element = textElement,
};
