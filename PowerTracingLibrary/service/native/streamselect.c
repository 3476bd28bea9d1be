/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a stream consists of; see stream.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/service/native/stream.h"

/* What is wanted, and what was found. */
struct select {
	struct ptClient *client;
	struct ptStream *stream;
	bool keepsLines; /* No sums. */
	struct ptWireSelection *selections;
	size_t count;
	bool *isFound; /* One for each selection. */
	bool isOutOfMemory;
};

static bool isAny(struct hdFieldText text)
{
	return text.length == 0 || hdFieldTextIs(text, "*");
}

static bool isMatch(struct hdFieldText text, const char *name)
{
	return isAny(text) || hdFieldTextIs(text, name);
}

static bool selectsValue(const struct ptWireSelection *selection,
			 const char *name)
{
	if (selection->value.length == 0)
		return strcmp(name, "P") == 0;
	return isMatch(selection->value, name);
}

/* Whether a value of a line is wanted. */
static bool selectWants(struct select *s, const struct ptSiteDevice *device,
			const struct ptSiteLine *line, size_t value)
{
	bool wants = false;

	for (size_t i = 0; i < s->count; i++) {
		const struct ptWireSelection *selection = &s->selections[i];

		if (!isMatch(selection->device, device->name) ||
		    !isMatch(selection->node, line->node) ||
		    !isMatch(selection->line, line->name) ||
		    !selectsValue(selection,
				  line->values[value].quantity->name))
			continue;
		s->isFound[i] = wants = true;
	}
	return wants;
}

/* Append a number to a list whose room doubles. */
static bool streamSelectAppendNumber(size_t **list, size_t count, size_t number)
{
	if ((count & (count - 1)) == 0) {
		size_t *more = reallocarray(*list, count ? 2 * count : 1,
					    sizeof(**list));

		if (!more)
			return false;
		*list = more;
	}
	(*list)[count] = number;
	return true;
}

/* Find the column that a value is added to. */
static struct ptStreamColumn *selectSum(const struct select *s,
					const struct ptStreamGroup *group,
					const struct ptSiteDevice *device,
					const struct ptSiteLine *line,
					const struct ptSiteValue *value)
{
	if (s->keepsLines || !line->isSummed || !value->canBeAdded)
		return NULL;
	for (size_t i = 0; i < group->columnCount; i++) {
		struct ptStreamColumn *column = &group->columns[i];
		const struct ptSiteLine *other =
			&device->lines[column->lines[0]];

		if (other->isSummed &&
		    other->values[column->values[0]].quantity ==
			    value->quantity &&
		    strcmp(other->node, line->node) == 0)
			return column;
	}
	return NULL;
}

/* Add a column without lines. */
static struct ptStreamColumn *selectColumn(struct ptStreamGroup *group)
{
	struct ptStreamColumn *columns = reallocarray(
		group->columns, group->columnCount + 1, sizeof(*columns));

	if (!columns)
		return NULL;
	group->columns = columns;
	columns += group->columnCount++;
	*columns = (struct ptStreamColumn){ 0 };
	return columns;
}

static bool selectWanted(struct ptStreamGroup *group, size_t column)
{
	for (size_t i = 0; i < group->wantedCount; i++)
		if (group->wanted[i] == column)
			return true;
	if (!streamSelectAppendNumber(&group->wanted, group->wantedCount,
				      column))
		return false;
	group->wantedCount++;
	return true;
}

static void selectAdd(struct select *s, struct ptStreamGroup *group,
		      size_t index, size_t number)
{
	const struct ptSiteDevice *device = ptServedSite(group->served);
	const struct ptSiteLine *line = &device->lines[index];
	const struct ptSiteValue *value = &line->values[number];
	struct ptStreamColumn *column =
		selectSum(s, group, device, line, value);

	if (!column)
		column = selectColumn(group);
	if (!column ||
	    !streamSelectAppendNumber(&column->lines, column->count, index) ||
	    !streamSelectAppendNumber(&column->values, column->count, number) ||
	    !selectWanted(group, value->column)) {
		s->isOutOfMemory = true;
		return;
	}
	column->kind = value->kind;
	column->count++;
}

/* Begin a group; NULL without memory. */
static struct ptStreamGroup *selectGroup(struct select *s,
					 struct ptServed *served,
					 double frequency)
{
	struct ptStream *stream = s->stream;
	struct ptStreamGroup *groups = reallocarray(
		stream->groups, stream->groupCount + 1, sizeof(*groups));

	if (!groups) {
		s->isOutOfMemory = true;
		return NULL;
	}
	stream->groups = groups;
	groups += stream->groupCount++;
	*groups = (struct ptStreamGroup){
		.served = served,
		.every = ptClientEvery(s->client, served, frequency),
	};
	return groups;
}

static void selectDevice(struct select *s, struct ptServed *served,
			 double frequency)
{
	const struct ptSiteDevice *device = ptServedSite(served);
	struct ptStreamGroup *group = NULL;

	for (size_t i = 0; i < device->lineCount; i++) {
		const struct ptSiteLine *line = &device->lines[i];

		/* What must not be seen is not there. */
		if (!ptClientSees(s->client, line->node))
			continue;
		for (size_t j = 0; j < line->valueCount && !s->isOutOfMemory;
		     j++) {
			if (!selectWants(s, device, line, j))
				continue;
			if (!group)
				group = selectGroup(s, served, frequency);
			if (group)
				selectAdd(s, group, i, j);
		}
	}
}

/* What is wrong with a selection that found nothing. */
static int selectJudge(const struct select *s, char *why, size_t size)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct ptWireSelection *one = &s->selections[i];
		struct hdFieldText name =
			isAny(one->node) ? one->line : one->node;

		if (s->isFound[i])
			continue;
		snprintf(why, size,
			 "no line matches device \"%.*s\", node or line "
			 "\"%.*s\" and value \"%.*s\"",
			 (int)(one->device.length < 60 ? one->device.length
						       : 60),
			 one->device.length ? one->device.at : "",
			 (int)(name.length < 60 ? name.length : 60),
			 name.length ? name.at : "",
			 one->value.length ? (int)(one->value.length < 60
							   ? one->value.length
							   : 60)
					   : 1,
			 one->value.length ? one->value.at : "P");
		return HD_FRAME_EUNKNOWN;
	}
	for (size_t i = 0; i < s->stream->groupCount; i++) {
		if (s->stream->groups[i].columnCount <= PT_WIRE_COLUMNS_MAX)
			continue;
		snprintf(why, size, "more than %d columns of one device",
			 PT_WIRE_COLUMNS_MAX);
		return HD_FRAME_ELIMIT;
	}
	return 0;
}

static int selectRead(struct select *s, const struct ptWireOpen *open,
		      char *why, size_t size)
{
	struct hdFieldRest rest = open->selections;

	for (size_t i = 0; i < s->count; i++) {
		struct hdFieldFault fault;

		if (ptWireGetSelection(&rest, &s->selections[i], &fault) < 0) {
			snprintf(why, size, "selection %zu is invalid: %s", i,
				 fault.text);
			return HD_FRAME_EMALFORMED;
		}
	}
	for (size_t i = 0; i < s->client->service->deviceCount; i++)
		selectDevice(s, s->client->service->devices[i],
			     open->frequency);
	if (s->isOutOfMemory) {
		snprintf(why, size, "out of memory");
		return HD_FRAME_EMEMORY;
	}
	return selectJudge(s, why, size);
}

int ptStreamSelect(struct ptClient *client, struct ptStream *stream,
		   const struct ptWireOpen *open, char *why, size_t size)
{
	struct select s = {
		.client = client,
		.stream = stream,
		.keepsLines = open->flags & PT_WIRE_LINES,
		.count = open->count,
	};
	int ret = HD_FRAME_EMEMORY;

	if (open->count == 0 || open->count > PT_WIRE_SELECTIONS_MAX) {
		snprintf(why, size,
			 "invalid number of selections %u; expected 1 to %d",
			 open->count, PT_WIRE_SELECTIONS_MAX);
		return HD_FRAME_ELIMIT;
	}
	s.selections = calloc(s.count, sizeof(*s.selections));
	s.isFound = calloc(s.count, sizeof(*s.isFound));
	snprintf(why, size, "out of memory");
	if (s.selections && s.isFound)
		ret = selectRead(&s, open, why, size);
	free(s.selections);
	free(s.isFound);
	return ret;
}
