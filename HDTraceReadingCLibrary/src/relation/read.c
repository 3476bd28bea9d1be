/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The elements of a .rel file. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceReadingCLibrary/src/project/project.h"
#include "HDTraceReadingCLibrary/src/relation/relationreader.h"
#include "HDTraceReadingCLibrary/src/timeparse.h"

/* What elements are called. */
static const char *const names[] = {
	[HDI_RELATION_BEGIN] = "rel", [HDI_RELATION_END] = "un",
	[HDI_STATE_BEGIN] = "s",      [HDI_STATE_END] = "e",
	[HDI_RELATION_LINK] = "link",
};

/* Attributes that name a parent. */
static const struct {
	const char *key;
	hdIParentKind kind;
} parents[] = {
	{ "i", HDI_PARENT_FILE },  { "p", HDI_PARENT_PROCESS },
	{ "l", HDI_PARENT_LOCAL }, { "r", HDI_PARENT_REMOTE },
	{ "ws", HDI_PARENT_SPAN },
};

/* What an element says, as texts. */
struct texts {
	const char *id;
	const char *time;
	const char *name;
};

static int parseId(const char *text, uint64_t *id)
{
	uint64_t value = 0;

	if (!text || !*text)
		return 0;
	for (; *text; text++) {
		uint64_t digit = (uint64_t)(unsigned char)*text - '0';

		if (digit > 9 || value > (UINT64_MAX - digit) / 10)
			return 0;
		value = value * 10 + digit;
	}
	*id = value;
	return 1;
}

/* Take what is no attribute of a state. */
static int takeKnown(hdIRelationRecord *record, struct texts *texts,
		     const hdIAttribute *attribute)
{
	const char *key = attribute->name;

	if (!strcmp(key, "t")) {
		texts->id = attribute->value;
	} else if (!strcmp(key, "time")) {
		texts->time = attribute->value;
	} else if (record->kind == HDI_STATE_BEGIN) {
		if (strcmp(key, "name") != 0)
			return 0;
		texts->name = attribute->value;
	} else if (record->kind == HDI_RELATION_BEGIN ||
		   record->kind == HDI_RELATION_LINK) {
		if (!strcmp(key, "w")) {
			record->trace = attribute->value;
			return 1;
		}
		for (size_t i = 0; i < sizeof(parents) / sizeof(*parents);
		     i++) {
			if (strcmp(key, parents[i].key) != 0)
				continue;
			record->parentKind = parents[i].kind;
			record->parent = attribute->value;
			return 1;
		}
		return 0;
	} else {
		return 0;
	}
	return 1;
}

static int relElementLeaveOut(struct hdITraceReader *xml, const hdIRecord *from,
			      int64_t line, const char *what)
{
	hdIReport(&xml->sink, HDI_RULE_REL_ELEMENT, xml->file, from->offset,
		  line, "<%s> %s; omitted", from->name, what);
	return 0;
}

/* Make an element of what the trace reader takes for a record. */
static int relElementFill(struct hdITraceReader *xml, hdIRecord *from,
			  hdIAttribute *attributes, size_t count, int64_t line)
{
	struct hdIRelationReader *reader = xml->dialect.data;
	hdIRelationRecord *record = &reader->record;
	struct texts texts = { NULL, NULL, NULL };
	size_t kind = 0, kept = 0;

	while (kind < sizeof(names) / sizeof(*names) &&
	       strcmp(names[kind], from->name) != 0)
		kind++;
	if (kind == sizeof(names) / sizeof(*names))
		return relElementLeaveOut(xml, from, line, "is not known here");
	memset(record, 0, sizeof(*record));
	record->kind = (hdIRelationKind)kind;
	record->name = record->parent = record->trace = "";
	for (size_t i = 0; i < count; i++)
		if (!takeKnown(record, &texts, &attributes[i]))
			attributes[kept++] = attributes[i];
	record->attributes = attributes;
	record->attributeCount = kept;
	record->elements = from->elements;
	record->elementCount = from->elementCount;
	record->offset = from->offset;
	record->endOffset = from->endOffset;
	if (!parseId(texts.id, &record->id))
		return relElementLeaveOut(xml, from, line, "has no number t");
	if (!texts.time || hdITimeParse(texts.time, &record->time) < 0)
		return relElementLeaveOut(xml, from, line, "has no time");
	record->time += xml->adjustment;
	if (kind == HDI_STATE_BEGIN && !texts.name)
		return relElementLeaveOut(xml, from, line, "has no name");
	if (kind == HDI_RELATION_LINK &&
	    record->parentKind != HDI_PARENT_REMOTE)
		return relElementLeaveOut(xml, from, line, "has no token r");
	if (texts.name)
		record->name = texts.name;
	return 1;
}

int hdIRelationNext(struct hdIRelationReader *reader)
{
	return hdITraceNext(reader->xml);
}

int hdI_readRelationRecord(hdIRelationReader *reader,
			   const hdIRelationRecord **record)
{
	int ret = hdIRelationNext(reader);

	if (ret == 1)
		*record = &reader->record;
	if (ret >= 0)
		return ret;
	errno = -ret;
	return -1;
}

/* A part of a token must not hold what separates the parts. */
static const char *relElementPartOf(const char *text)
{
	return *text && !strchr(text, ':') ? text : NULL;
}

int hdI_getRelationOwner(hdIRelationReader *reader, hdIRelationOwner *owner)
{
	const char *host = NULL, *process = NULL, *number = NULL;
	const hdIAttribute *a;
	uint64_t unused;
	size_t count;

	if (!reader->hasOwner) {
		a = hdI_getTraceAttributes(reader->xml, &count);
		if (!a)
			return 0;
		for (size_t i = 0; i < count; i++) {
			if (!strcmp(a[i].name, "hostID"))
				host = relElementPartOf(a[i].value);
			else if (!strcmp(a[i].name, "localToken"))
				process = relElementPartOf(a[i].value);
			else if (!strcmp(a[i].name, "topologyNumber") &&
				 parseId(a[i].value, &unused))
				number = a[i].value;
		}
		if (!host || !process || !number)
			hdIReport(&reader->xml->sink, HDI_RULE_REL_IDENTITY,
				  reader->xml->file, 0, 0,
				  "<relation> has no valid %s",
				  !host      ? "hostID"
				  : !process ? "localToken"
					     : "topologyNumber");
		reader->owner.host = host ? host : "";
		reader->owner.process = process ? process : "";
		reader->owner.number = number ? number : "";
		reader->hasOwner = 1;
	}
	*owner = reader->owner;
	return 1;
}

hdIRelationReader *hdI_openRelations(const hdIProject *project,
				     const hdIRelationFile *file)
{
	const struct hdIProjectData *data =
		(const struct hdIProjectData *)project;

	return hdI_openRelationsWith(project, file,
				     project ? data->sink.handler : NULL,
				     project ? data->sink.data : NULL);
}

hdIRelationReader *hdI_openRelationsWith(const hdIProject *project,
					 const hdIRelationFile *file,
					 hdIMessageHandler handler, void *data)
{
	struct hdITraceDialect dialect = {
		.root = "relation",
		.xml = HDI_RULE_REL_XML,
		.wrongRoot = HDI_RULE_REL_ROOT,
		.adjustment = HDI_RULE_REL_ADJUSTMENT,
		.cut = HDI_RULE_REL_CUT,
		.noEnd = HDI_RULE_REL_NO_END,
		.fill = relElementFill,
	};
	struct hdIRelationReader *reader;

	if (!project || !file) {
		errno = EINVAL;
		return NULL;
	}
	reader = calloc(1, sizeof(*reader));
	if (!reader)
		return NULL;
	dialect.data = reader;
	reader->xml = hdITraceOpen(&dialect, file->file, handler, data);
	if (!reader->xml) {
		int error = errno;

		free(reader);
		errno = error;
		return NULL;
	}
	return reader;
}

void hdI_closeRelations(hdIRelationReader *reader)
{
	if (!reader)
		return;
	hdIRelationsForget(reader);
	hdI_closeTrace(reader->xml);
	free(reader);
}
