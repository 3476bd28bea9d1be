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
#include "HDTraceTools/model/roles.h"

static void quoted(const char *text, size_t length)
{
	GString *out = g_string_new(NULL);

	outAppendPrintable(out, text, length);
	putchar('"');
	for (size_t i = 0; i < out->len; i++) {
		if (out->str[i] == '"')
			putchar('\\');
		putchar(out->str[i]);
	}
	putchar('"');
	g_string_free(out, TRUE);
}

static void title(const struct dump *dump, const char *kind)
{
	static bool isLater;

	printf("%s%s%s%s", isLater ? "\n" : "",
	       dump->tool->isColored ? "\033[1m" : "", kind,
	       dump->tool->isColored ? "\033[0m" : "");
	isLater = true;
}

static void named(const char *key, const char *text)
{
	printf("  %s ", key);
	quoted(text, strlen(text));
	putchar('\n');
}

static void attributes(const hdIAttribute *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		putchar(' ');
		outPrintable(list[i].name);
		putchar('=');
		quoted(list[i].value, strlen(list[i].value));
	}
}

static void ranks(const hdIRank *list, size_t count, int64_t size)
{
	for (size_t i = 0; i < count; i++)
		printf(" %" PRId64 "->%" PRId64 "(cid %" PRId64 ")",
		       list[i].global, list[i].local, list[i].cid);
	if (size > (int64_t)count)
		printf(" of %" PRId64, size);
}

static void communicators(const hdIProject *project)
{
	for (size_t i = 0; i < project->communicatorCount; i++) {
		const hdICommunicator *comm = &project->communicators[i];

		printf("  communicator ");
		quoted(comm->name, strlen(comm->name));
		if (*comm->uid) {
			printf(" uid ");
			quoted(comm->uid, strlen(comm->uid));
		}
		ranks(comm->ranks, comm->rankCount, comm->size);
		if (comm->isInter) {
			printf(" and");
			ranks(comm->remoteRanks, comm->remoteRankCount,
			      comm->remoteSize);
		}
		putchar('\n');
	}
}

static void datatypes(const hdIProject *project)
{
	for (size_t i = 0; i < project->datatypeCount; i++) {
		const hdIDatatype *type = &project->datatypes[i];

		printf("  datatype rank ");
		quoted(type->rank, strlen(type->rank));
		printf(" thread ");
		quoted(type->thread, strlen(type->thread));
		printf(" id %" PRId64 " ", type->id);
		outPrintable(type->combiner);
		putchar(' ');
		quoted(type->name, strlen(type->name));
		attributes(type->attributes, type->attributeCount);
		if (*type->content) {
			putchar(' ');
			quoted(type->content, strlen(type->content));
		}
		putchar('\n');
	}
}

static void textProject(struct dump *dump)
{
	const hdIProject *project = dump->project;

	title(dump, "project");
	putchar(' ');
	quoted(project->name, strlen(project->name));
	putchar('\n');
	named("file", project->file);
	named("prefix", project->prefix);
	named("description", project->description);
	for (size_t i = 0; i < project->levelCount; i++)
		named("level", project->levels[i]);
	for (size_t i = 0; i < project->nodeCount; i++)
		named("node", project->nodes[i]->path);
	communicators(project);
	datatypes(project);
	for (size_t i = 0; i < project->usedFileCount; i++) {
		const hdIUsedFile *file = &project->usedFiles[i];

		printf("  used file ");
		quoted(file->name, strlen(file->name));
		if (file->initialSize >= 0)
			printf(" %" PRId64 " B", file->initialSize);
		putchar('\n');
	}
	for (size_t i = 0; i < project->declaredGroupCount; i++)
		named("declared group", project->declaredGroups[i]);
}

static void textBeginGroup(struct dump *dump)
{
	const hdIGroup *group = dump->group;
	char buffer[OUT_NUMBER_SIZE];

	title(dump, "statistics");
	printf(" node ");
	quoted(rolesPath(group->node), strlen(rolesPath(group->node)));
	printf(" group ");
	quoted(group->name, strlen(group->name));
	printf(" file ");
	quoted(group->file, strlen(group->file));
	attributes(group->attributes, group->attributeCount);
	putchar('\n');
	if (group->timeAdjustment)
		printf("  time adjustment %s s\n",
		       outSeconds(buffer, group->timeAdjustment));
	for (size_t i = 0; i < dump->columnCount; i++) {
		const hdIValue *value = &group->values[dump->columns[i]];

		printf("  value ");
		quoted(value->name, strlen(value->name));
		printf(" %s unit ", columnTypeName(value->type));
		quoted(value->unit, strlen(value->unit));
		printf(" grouping ");
		quoted(value->grouping, strlen(value->grouping));
		attributes(value->attributes, value->attributeCount);
		putchar('\n');
	}
}

static void textEntry(struct dump *dump, const hdIBlock *block, size_t entry)
{
	char buffer[OUT_NUMBER_SIZE];

	if (block->isAfterGap[entry])
		puts("  gap");
	printf("  %s", dumpFormatTime(dump, buffer, block->start[entry]));
	printf(" %s", dumpFormatTime(dump, buffer, block->end[entry]));
	for (size_t i = 0; i < dump->columnCount; i++) {
		size_t column = dump->columns[i];
		hdIType type = dump->group->values[column].type;
		const hdIColumn *values = &block->columns[column];

		putchar(' ');
		if (type != HDI_STRING) {
			fputs(dumpFormatNumber(dump, buffer, type, values,
					       entry, false),
			      stdout);
		} else if (dump->isHex) {
			char *hex = dumpFormatHex(values->string[entry].bytes,
						  values->string[entry].length);

			printf("\"%s\"", hex);
			g_free(hex);
		} else {
			quoted(values->string[entry].bytes,
			       values->string[entry].length);
		}
	}
	putchar('\n');
}

static void textBeginTrace(struct dump *dump, const hdIAttribute *list,
			   size_t count)
{
	const char *path = rolesPath(dump->trace->node);

	title(dump, "trace");
	printf(" node ");
	quoted(path, strlen(path));
	printf(" file ");
	quoted(dump->trace->file, strlen(dump->trace->file));
	attributes(list, count);
	putchar('\n');
}

static void element(const hdIElement *self)
{
	printf(" <");
	outPrintable(self->name);
	attributes(self->attributes, self->attributeCount);
	if (!self->childCount && !*self->text) {
		printf("/>");
		return;
	}
	putchar('>');
	if (*self->text) {
		putchar(' ');
		quoted(self->text, strlen(self->text));
	}
	for (size_t i = 0; i < self->childCount; i++)
		element(&self->children[i]);
	printf(" </");
	outPrintable(self->name);
	putchar('>');
}

static void textRecord(struct dump *dump, const hdIRecord *record)
{
	char buffer[OUT_NUMBER_SIZE];

	printf("  %s", dumpFormatTime(dump, buffer, record->start));
	printf(" %s ", dumpFormatTime(dump, buffer, record->end));
	for (unsigned int i = 0; i < record->depth; i++)
		fputs("  ", stdout);
	if (record->kind == HDI_EVENT) {
		printf("event ");
		quoted(record->name, strlen(record->name));
	} else {
		outPrintable(record->name);
	}
	attributes(record->attributes, record->attributeCount);
	for (size_t i = 0; i < record->elementCount; i++)
		element(&record->elements[i]);
	if (*record->text) {
		putchar(' ');
		quoted(record->text, strlen(record->text));
	}
	putchar('\n');
}

static void textBeginRelations(struct dump *dump, const hdIRelationOwner *owner)
{
	const char *path = rolesPath(dump->relations->node);
	const hdIAttribute list[] = {
		{ "host", owner->host },
		{ "process", owner->process },
		{ "topology", owner->number },
	};

	title(dump, "relations");
	printf(" node ");
	quoted(path, strlen(path));
	printf(" file ");
	quoted(dump->relations->file, strlen(dump->relations->file));
	attributes(list, G_N_ELEMENTS(list));
	putchar('\n');
}

static void textElement(struct dump *dump, const hdIRelationRecord *record)
{
	char buffer[OUT_NUMBER_SIZE];

	printf("  %s", dumpFormatTime(dump, buffer, record->time));
	printf(" %s %" PRIu64, dumpElementName(record), record->id);
	if (*record->name) {
		putchar(' ');
		quoted(record->name, strlen(record->name));
	}
	if (*record->parent) {
		printf(" %s ", dumpParentKind(record));
		quoted(record->parent, strlen(record->parent));
	}
	if (*record->trace) {
		printf(" trace ");
		quoted(record->trace, strlen(record->trace));
	}
	attributes(record->attributes, record->attributeCount);
	for (size_t i = 0; i < record->elementCount; i++)
		element(&record->elements[i]);
	putchar('\n');
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
