/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads a file that is only in memory; see fuzz.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <hdReading.h>
#include "HDTraceReadingCLibrary/src/file.h"
#include "tests/fuzz/fuzz.h"

/* Everything that is read flows in here, so that nothing is optimized out. */
static volatile uint64_t sum;

static int memory = -1;

static int openMemory(const char *path)
{
	int fd = dup(memory);

	(void)path;
	if (fd >= 0 && lseek(fd, 0, SEEK_SET) < 0)
		abort();
	return fd;
}

static void useText(const char *text)
{
	must(text != NULL);
	sum += strlen(text);
}

static void useAttributes(const hdIAttribute *attributes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		useText(attributes[i].name);
		useText(attributes[i].value);
	}
}

static void takeMessage(const hdIMessage *message, void *data)
{
	(void)data;
	useText(message->rule);
	useText(message->file);
	useText(message->text);
	must(*message->text != '\0');
	must(message->offset >= -1 && message->line >= 0);
}

/* ---- Statistics -------------------------------------------------------- */

static void useColumn(hdIType type, hdIColumn column, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		switch (type) {
		case HDI_INT32:
		case HDI_FLOAT:
			sum += (uint32_t)column.int32[i];
			break;
		case HDI_STRING:
			must(column.string[i].length <= 32767);
			for (size_t k = 0; k < column.string[i].length; k++)
				sum += (uint8_t)column.string[i].bytes[k];
			break;
		default:
			sum += column.uint64[i];
			break;
		}
	}
}

static void useGroup(const hdIProject *project, const hdIGroup *group)
{
	hdIStatReader *reader = hdI_openStat(project, group);
	const hdIBlock *block;
	int64_t last = INT64_MIN;
	uint64_t count = 0;
	int ret;

	useText(group->name);
	useText(group->file);
	useAttributes(group->attributes, group->attributeCount);
	for (size_t i = 0; i < group->labelCount; i++)
		useText(group->labels[i]);
	for (size_t i = 0; i < group->valueCount; i++) {
		useText(group->values[i].name);
		useText(group->values[i].unit);
		useText(group->values[i].grouping);
		useAttributes(group->values[i].attributes,
			      group->values[i].attributeCount);
	}
	must((reader != NULL) == (group->isReadable != 0));
	if (!reader)
		return;
	while ((ret = hdI_readStat(reader, &block)) == 1) {
		must(block->count > 0 && block->first == count);
		count += block->count;
		for (size_t i = 0; i < block->count; i++) {
			must(block->start[i] >= last);
			must(block->end[i] >= block->start[i]);
			must(block->isAfterGap[i] || block->start[i] == last ||
			     last == INT64_MIN);
			must(block->offset[i] >= group->dataOffset);
			must(block->offset[i] < group->fileSize);
			last = block->end[i];
		}
		for (size_t i = 0; i < group->valueCount; i++)
			useColumn(group->values[i].type, block->columns[i],
				  block->count);
	}
	must(ret == 0 || errno == EBADMSG);
	must(hdI_readStat(reader, &block) == ret);
	hdI_closeStat(reader);
}

/* ---- Traces ------------------------------------------------------------ */

static void useElements(const hdIElement *elements, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		useText(elements[i].name);
		useText(elements[i].text);
		useAttributes(elements[i].attributes,
			      elements[i].attributeCount);
		useElements(elements[i].children, elements[i].childCount);
	}
}

static void useTrace(const hdIProject *project, const hdITraceFile *trace)
{
	hdITraceReader *reader = hdI_openTrace(project, trace);
	const hdIAttribute *attributes;
	const hdIRecord *record;
	int64_t last = 0;
	size_t count;
	int ret;

	must(reader != NULL);
	attributes = hdI_getTraceAttributes(reader, &count);
	useAttributes(attributes, count);
	while ((ret = hdI_readTrace(reader, &record)) == 1) {
		must(record->kind == HDI_STATE || record->start == record->end);
		must(record->offset >= 0);
		must(record->endOffset > record->offset);
		/* Records come in the order of their ends. */
		must(record->endOffset > last);
		last = record->endOffset;
		useText(record->name);
		useText(record->text);
		useAttributes(record->attributes, record->attributeCount);
		useElements(record->elements, record->elementCount);
	}
	must(ret == 0 || errno == EBADMSG);
	must(hdI_readTrace(reader, &record) == ret);
	hdI_closeTrace(reader);
}

/* ---- Relations --------------------------------------------------------- */

/* Elements and relations of a file agree: each that begins is delivered once,
 * with a start; states nest. */
static void useRelations(const hdIProject *project, const hdIRelationFile *file)
{
	hdIRelationReader *reader = hdI_openRelations(project, file);
	const hdIRelationRecord *record;
	const hdIRelation *relation;
	hdIRelationOwner owner;
	size_t begins = 0, relations = 0;
	int ret, end;

	if (!reader)
		return;
	while ((ret = hdI_readRelationRecord(reader, &record)) == 1) {
		must(record->name && record->parent && record->trace);
		must(record->offset < record->endOffset);
		begins += record->kind == HDI_RELATION_BEGIN;
	}
	hdI_closeRelations(reader);
	reader = hdI_openRelations(project, file);
	must(reader != NULL);
	hdI_getRelationOwner(reader, &owner);
	while ((end = hdI_readRelation(reader, &relation)) == 1) {
		unsigned int depth = 0;

		relations++;
		for (size_t i = 0; i < relation->stateCount; i++) {
			must(relation->states[i].depth <= depth);
			depth = relation->states[i].depth + 1;
		}
	}
	must(end == ret);
	must(relations <= begins);
	must(hdI_readRelation(reader, &relation) == end);
	hdI_closeRelations(reader);
}

/* ---- Projects ---------------------------------------------------------- */

static void useNode(const hdIProject *project, const hdINode *node)
{
	useText(node->label);
	useText(node->path);
	must(node->level >= 0 && (size_t)node->level <= project->levelCount);
	must((node->parent == NULL) == (node->level == 0));
	must(hdI_findNode(project, node->path) != NULL);
}

static void useProject(const hdIProject *project)
{
	useText(project->name);
	useText(project->prefix);
	useText(project->file);
	useText(project->description);
	for (size_t i = 0; i < project->levelCount; i++)
		useText(project->levels[i]);
	for (size_t i = 0; i < project->nodeCount; i++)
		useNode(project, project->nodes[i]);
	for (size_t i = 0; i < project->declaredGroupCount; i++)
		useText(project->declaredGroups[i]);
	for (size_t i = 0; i < project->communicatorCount; i++) {
		const hdICommunicator *c = &project->communicators[i];

		useText(c->name);
		for (size_t k = 0; k < c->rankCount; k++)
			sum += (uint64_t)c->ranks[k].global +
			       (uint64_t)c->ranks[k].cid;
	}
	for (size_t i = 0; i < project->datatypeCount; i++) {
		const hdIDatatype *type = &project->datatypes[i];

		useText(type->rank);
		useText(type->thread);
		useText(type->combiner);
		useText(type->name);
		useText(type->content);
		useAttributes(type->attributes, type->attributeCount);
	}
	for (size_t i = 0; i < project->usedFileCount; i++) {
		useText(project->usedFiles[i].name);
		must(project->usedFiles[i].initialSize >= -1);
	}
	for (size_t i = 0; i < project->clockCount; i++) {
		const hdIClock *clock = &project->clocks[i];

		useText(clock->node);
		useText(clock->method);
		must(clock->error >= 0);
		for (size_t k = 0; k < clock->pointCount; k++)
			must(clock->points[k].error >= 0);
	}
}

void fuzzServe(const uint8_t *data, size_t size)
{
	if (memory < 0)
		memory = memfd_create("fuzz", MFD_CLOEXEC);
	must(memory >= 0 && ftruncate(memory, 0) == 0 &&
	     pwrite(memory, data, size, 0) == (ssize_t)size);
	hdIFileOpener = openMemory;
}

void fuzzRead(const char *path, const uint8_t *data, size_t size)
{
	hdIProject *project;

	fuzzServe(data, size);
	project = hdI_openProject(path, takeMessage, NULL);
	if (project) {
		useProject(project);
		for (size_t i = 0; i < project->groupCount; i++)
			useGroup(project, project->groups[i]);
		for (size_t i = 0; i < project->traceCount; i++)
			useTrace(project, project->traces[i]);
		for (size_t i = 0; i < project->relationCount; i++)
			useRelations(project, project->relations[i]);
	} else {
		must(errno == EBADMSG);
	}
	hdI_closeProject(project);
}
