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

static void quoted(FILE *file, const char *text, size_t length)
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

static void title(struct dump *dump, const char *kind)
{
	fprintf(dump->file, "%s%s%s%s", dump->isLater ? "\n" : "",
		dump->tool->isColored ? "\033[1m" : "", kind,
		dump->tool->isColored ? "\033[0m" : "");
	dump->isLater = true;
}

static void named(FILE *file, const char *key, const char *text)
{
	fprintf(file, "  %s ", key);
	quoted(file, text, strlen(text));
	putc('\n', file);
}

static void attributes(FILE *file, const hdIAttribute *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		putc(' ', file);
		outPrintableTo(file, list[i].name);
		putc('=', file);
		quoted(file, list[i].value, strlen(list[i].value));
	}
}

static void ranks(FILE *file, const hdIRank *list, size_t count, int64_t size)
{
	for (size_t i = 0; i < count; i++)
		fprintf(file, " %" PRId64 "->%" PRId64 "(cid %" PRId64 ")",
			list[i].global, list[i].local, list[i].cid);
	if (size > (int64_t)count)
		fprintf(file, " of %" PRId64, size);
}

static void communicators(FILE *file, const hdIProject *project)
{
	for (size_t i = 0; i < project->communicatorCount; i++) {
		const hdICommunicator *comm = &project->communicators[i];

		fprintf(file, "  communicator ");
		quoted(file, comm->name, strlen(comm->name));
		if (*comm->uid) {
			fprintf(file, " uid ");
			quoted(file, comm->uid, strlen(comm->uid));
		}
		ranks(file, comm->ranks, comm->rankCount, comm->size);
		if (comm->isInter) {
			fprintf(file, " and");
			ranks(file, comm->remoteRanks, comm->remoteRankCount,
			      comm->remoteSize);
		}
		putc('\n', file);
	}
}

static void datatypes(FILE *file, const hdIProject *project)
{
	for (size_t i = 0; i < project->datatypeCount; i++) {
		const hdIDatatype *type = &project->datatypes[i];

		fprintf(file, "  datatype rank ");
		quoted(file, type->rank, strlen(type->rank));
		fprintf(file, " thread ");
		quoted(file, type->thread, strlen(type->thread));
		fprintf(file, " id %" PRId64 " ", type->id);
		outPrintableTo(file, type->combiner);
		putc(' ', file);
		quoted(file, type->name, strlen(type->name));
		attributes(file, type->attributes, type->attributeCount);
		if (*type->content) {
			putc(' ', file);
			quoted(file, type->content, strlen(type->content));
		}
		putc('\n', file);
	}
}

static void textProject(struct dump *dump)
{
	FILE *file = dump->file;
	const hdIProject *project = dump->project;

	title(dump, "project");
	putc(' ', file);
	quoted(file, project->name, strlen(project->name));
	putc('\n', file);
	named(file, "file", project->file);
	named(file, "prefix", project->prefix);
	named(file, "description", project->description);
	for (size_t i = 0; i < project->levelCount; i++)
		named(file, "level", project->levels[i]);
	for (size_t i = 0; i < project->nodeCount; i++)
		named(file, "node", project->nodes[i]->path);
	communicators(file, project);
	datatypes(file, project);
	for (size_t i = 0; i < project->usedFileCount; i++) {
		const hdIUsedFile *used = &project->usedFiles[i];

		fprintf(file, "  used file ");
		quoted(file, used->name, strlen(used->name));
		if (used->initialSize >= 0)
			fprintf(file, " %" PRId64 " B", used->initialSize);
		putc('\n', file);
	}
	for (size_t i = 0; i < project->declaredGroupCount; i++)
		named(file, "declared group", project->declaredGroups[i]);
}

static void textBeginGroup(struct dump *dump)
{
	FILE *file = dump->file;
	const hdIGroup *group = dump->group;
	char buffer[OUT_NUMBER_SIZE];

	title(dump, "statistics");
	fprintf(file, " node ");
	quoted(file, rolesPath(group->node), strlen(rolesPath(group->node)));
	fprintf(file, " group ");
	quoted(file, group->name, strlen(group->name));
	fprintf(file, " file ");
	quoted(file, group->file, strlen(group->file));
	attributes(file, group->attributes, group->attributeCount);
	putc('\n', file);
	if (group->timeAdjustment)
		fprintf(file, "  time adjustment %s s\n",
			outSeconds(buffer, group->timeAdjustment));
	for (size_t i = 0; i < dump->columnCount; i++) {
		const hdIValue *value = &group->values[dump->columns[i]];

		fprintf(file, "  value ");
		quoted(file, value->name, strlen(value->name));
		fprintf(file, " %s unit ", columnTypeName(value->type));
		quoted(file, value->unit, strlen(value->unit));
		fprintf(file, " grouping ");
		quoted(file, value->grouping, strlen(value->grouping));
		attributes(file, value->attributes, value->attributeCount);
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
			quoted(file, values->string[entry].bytes,
			       values->string[entry].length);
		}
	}
	putc('\n', file);
}

static void textBeginTrace(struct dump *dump, const hdIAttribute *list,
			   size_t count)
{
	FILE *file = dump->file;
	const char *path = rolesPath(dump->trace->node);

	title(dump, "trace");
	fprintf(file, " node ");
	quoted(file, path, strlen(path));
	fprintf(file, " file ");
	quoted(file, dump->trace->file, strlen(dump->trace->file));
	attributes(file, list, count);
	putc('\n', file);
}

static void element(FILE *file, const hdIElement *self)
{
	fprintf(file, " <");
	outPrintableTo(file, self->name);
	attributes(file, self->attributes, self->attributeCount);
	if (!self->childCount && !*self->text) {
		fprintf(file, "/>");
		return;
	}
	putc('>', file);
	if (*self->text) {
		putc(' ', file);
		quoted(file, self->text, strlen(self->text));
	}
	for (size_t i = 0; i < self->childCount; i++)
		element(file, &self->children[i]);
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
		quoted(file, record->name, strlen(record->name));
	} else {
		outPrintableTo(file, record->name);
	}
	attributes(file, record->attributes, record->attributeCount);
	for (size_t i = 0; i < record->elementCount; i++)
		element(file, &record->elements[i]);
	if (*record->text) {
		putc(' ', file);
		quoted(file, record->text, strlen(record->text));
	}
	if (dump->site) {
		char *place = siteText(dump->site, dump->addresses);

		fprintf(file, " at ");
		outPrintableTo(file, place);
		g_free(place);
	}
	putc('\n', file);
}

static void textBeginRelations(struct dump *dump, const hdIRelationOwner *owner)
{
	FILE *file = dump->file;
	const char *path = rolesPath(dump->relations->node);
	const hdIAttribute list[] = {
		{ "host", owner->host },
		{ "process", owner->process },
		{ "topology", owner->number },
	};

	title(dump, "relations");
	fprintf(file, " node ");
	quoted(file, path, strlen(path));
	fprintf(file, " file ");
	quoted(file, dump->relations->file, strlen(dump->relations->file));
	attributes(file, list, G_N_ELEMENTS(list));
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
		quoted(file, record->name, strlen(record->name));
	}
	if (*record->parent) {
		fprintf(file, " %s ", dumpParentKind(record));
		quoted(file, record->parent, strlen(record->parent));
	}
	if (*record->trace) {
		fprintf(file, " trace ");
		quoted(file, record->trace, strlen(record->trace));
	}
	attributes(file, record->attributes, record->attributeCount);
	for (size_t i = 0; i < record->elementCount; i++)
		element(file, &record->elements[i]);
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
