/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * States that stand for many calls that found nothing.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/model/mpi/messages.h"
#include "HDTraceTools/model/mpi/polls.h"

bool pollsIsMixed(const char *name)
{
	return strcmp(name, "Polls") == 0 || strcmp(name, "Profile") == 0;
}

bool pollsIsTest(const char *name)
{
	return g_str_has_prefix(name, "Test") || strcmp(name, "Iprobe") == 0 ||
	       strcmp(name, "Improbe") == 0 ||
	       strcmp(name, "Request_get_status") == 0;
}

/** A state while it is taken apart. */
struct reading {
	const hdIRecord *record;
	struct pollsPart *parts;
	size_t count;
	int64_t left; /**< Of the length of the state. */
};

static bool pollsNumber(const hdIRecord *record, const char *name,
			int64_t *number)
{
	return messagesNumber(record->attributes, record->attributeCount, name,
			      number) &&
	       *number >= 0;
}

static void pollsAdd(struct reading *self, const char *name, size_t length,
		     int64_t calls, int64_t inside)
{
	struct pollsPart *part = &self->parts[self->count];

	if (self->count == POLLS_PARTS || length >= sizeof(part->name))
		return;
	memcpy(part->name, name, length);
	part->name[length] = '\0';
	part->calls = (uint64_t)calls;
	part->time = MIN(inside, self->left);
	self->left -= part->time;
	self->count++;
}

/** The name of a function before the end of an attribute's name; 0: it has not
 *  that end. */
static size_t pollsFunction(const char *name, const char *end)
{
	size_t length = strlen(name), tail = strlen(end);

	return length > tail && strcmp(name + length - tail, end) == 0
		       ? length - tail
		       : 0;
}

/** A function of several: its number of calls is there, and its time. */
static void pollsTake(struct reading *self, const hdIAttribute *attribute)
{
	size_t length = pollsFunction(attribute->name, "Calls");
	int64_t calls, inside = 0;
	char *name;

	if (length == 0 || !messagesReadNumber(attribute->value, &calls) ||
	    calls <= 0)
		return;
	name = g_strdup_printf("%.*sInsideNs", (int)length, attribute->name);
	if (pollsNumber(self->record, name, &inside))
		pollsAdd(self, attribute->name, length, calls, inside);
	g_free(name);
}

static void pollsRead(struct reading *self)
{
	const hdIRecord *record = self->record;
	int64_t calls, inside;

	if (pollsIsMixed(record->name)) {
		for (size_t i = 0; i < record->attributeCount; i++)
			pollsTake(self, &record->attributes[i]);
		return;
	}
	if (pollsNumber(record, "calls", &calls) && calls > 0 &&
	    pollsNumber(record, "insideNs", &inside))
		pollsAdd(self, record->name, strlen(record->name), calls,
			 inside);
}

/** Of the time of all calls, what the tracer took: of each function as much as
 *  it has calls, and no more than it has. */
static void pollsTakeOff(struct reading *self, int64_t tracer)
{
	uint64_t calls = 0;
	int64_t taken = 0;

	for (size_t i = 0; i < self->count; i++)
		calls += self->parts[i].calls;
	for (size_t i = 0; i < self->count; i++) {
		struct pollsPart *part = &self->parts[i];
		__int128 of = (__int128)tracer * part->calls / calls;
		int64_t less = MIN((int64_t)of, part->time);

		part->time -= less;
		taken += less;
	}
	self->parts[self->count++] = (struct pollsPart){
		.name = POLLS_TRACER,
		.calls = calls,
		.time = taken,
	};
}

size_t pollsParts(const hdIRecord *record,
		  struct pollsPart parts[POLLS_PARTS + 1])
{
	struct reading self = {
		.record = record,
		.parts = parts,
		.left = record->end - record->start,
	};
	int64_t tracer;

	if (record->kind != HDI_STATE)
		return 0;
	pollsRead(&self);
	if (self.count > 0 && pollsNumber(record, "tracerNs", &tracer) &&
	    tracer > 0)
		pollsTakeOff(&self, tracer);
	return self.count;
}

uint64_t pollsCalls(const hdIRecord *record)
{
	struct pollsPart parts[POLLS_PARTS + 1];
	size_t count = pollsParts(record, parts);
	uint64_t calls = 0;

	for (size_t i = 0; i < count; i++)
		if (!pollsIsTracer(parts[i].name))
			calls += parts[i].calls;
	return count ? calls : 1;
}

bool pollsIsTracer(const char *name)
{
	return strcmp(name, POLLS_TRACER) == 0;
}
