/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Cutting a state to a part of the time.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/cut/cut.h"
#include "HDTraceTools/cut/cutstate.h"
#include "HDTraceTools/model/mpi/messages.h"
#include "HDTraceTools/model/mpi/polls.h"

/** The attribute that marks states. */
#define CUT_STATE_MARK "cut"

/** Which borders a state crosses. */
struct cutStateBorders {
	const hdIRecord *record; /**< The whole one. */
	int64_t start;           /**< Of what is left. */
	int64_t end;
	bool isStart; /**< It has lost its start. */
	bool isEnd;   /**< It has lost its end. */
	bool hasReceived;
};

void cutStateInit(struct cutState *self)
{
	self->attributes = g_array_new(FALSE, FALSE, sizeof(hdIAttribute));
	self->elements = g_array_new(FALSE, FALSE, sizeof(hdIElement));
	self->texts = g_ptr_array_new_with_free_func(g_free);
}

void cutStateClear(struct cutState *self)
{
	g_array_unref(self->attributes);
	g_array_unref(self->elements);
	g_ptr_array_unref(self->texts);
}

/* ---- Attributes -------------------------------------------------------- */

static bool cutStateIsOneOf(const char *name, const char *const *names)
{
	for (size_t i = 0; names[i]; i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

/** Whether an attribute belongs to a part of the state that is lost. */
static bool cutStateIsLost(const struct cutStateBorders *at, const char *name)
{
	static const char *const starts[] = { "toRank",
					      "toTag",
					      "outsideCycles",
					      "outsideInstructions",
					      "outsideCacheMisses",
					      NULL };
	static const char *const ends[] = { "fromRank", "fromTag", NULL };

	return (at->isStart && cutStateIsOneOf(name, starts)) ||
	       (at->isEnd && cutStateIsOneOf(name, ends)) ||
	       (at->isStart && !at->hasReceived && strcmp(name, "cid") == 0);
}

/** Whether an attribute is an amount of the time of a state. */
static bool cutStateIsAmount(const hdIRecord *record, const char *name)
{
	static const char *const amounts[] = {
		"calls",        "insideNs",    "tracerNs", "cycles",
		"instructions", "cacheMisses", NULL
	};

	return cutStateIsOneOf(name, amounts) ||
	       (pollsIsMixed(record->name) &&
		(g_str_has_suffix(name, "Calls") ||
		 g_str_has_suffix(name, "InsideNs")));
}

/** The part of an amount up to a time. */
static int64_t cutStateAmountTo(const struct cutStateBorders *at,
				int64_t amount, int64_t time)
{
	int64_t length = at->record->end - at->record->start;
	int64_t part = time - at->record->start;

	return (int64_t)((outInt128)amount * part / length);
}

/** Divide an amount. Numbers of calls are at least 1: with 0 a state would not
 *  stand for calls any more. */
static const char *cutStateDivide(struct cutState *self,
				  const struct cutStateBorders *at,
				  const hdIAttribute *attribute)
{
	const char *name = attribute->name;
	int64_t amount;
	char *text;

	if (!messagesReadNumber(attribute->value, &amount))
		return attribute->value;
	amount = cutStateAmountTo(at, amount, at->end) -
		 cutStateAmountTo(at, amount, at->start);
	if (strcmp(name, "calls") == 0 || g_str_has_suffix(name, "Calls"))
		amount = MAX(amount, 1);
	text = g_strdup_printf("%" PRId64, amount);
	g_ptr_array_add(self->texts, text);
	return text;
}

/** Add the mark of the borders. */
static void cutStateAddMark(struct cutState *self,
			    const struct cutStateBorders *at)
{
	hdIAttribute mark = { CUT_STATE_MARK, NULL };

	for (guint i = 0; i < self->attributes->len; i++) {
		hdIAttribute *old =
			&g_array_index(self->attributes, hdIAttribute, i);

		if (strcmp(old->name, mark.name) != 0)
			continue;
		old->value = cutMark(old->value, at->isStart, at->isEnd);
		return;
	}
	mark.value = cutMark(NULL, at->isStart, at->isEnd);
	g_array_append_val(self->attributes, mark);
}

static void cutStateAddAttributes(struct cutState *self,
				  const struct cutStateBorders *at)
{
	const hdIRecord *record = at->record;
	bool isCut = at->isStart || at->isEnd;

	for (size_t i = 0; i < record->attributeCount; i++) {
		hdIAttribute attribute = record->attributes[i];

		if (cutStateIsLost(at, attribute.name))
			continue;
		if (isCut && cutStateIsAmount(record, attribute.name))
			attribute.value = cutStateDivide(self, at, &attribute);
		g_array_append_val(self->attributes, attribute);
	}
	if (isCut)
		cutStateAddMark(self, at);
}

/** Add an element without attributes that are lost. */
static void cutStateAddElement(struct cutState *self,
			       const struct cutStateBorders *at,
			       const hdIElement *from)
{
	hdIElement element = *from;
	hdIAttribute *attributes;

	if (at->isStart || at->isEnd) {
		attributes = g_new(hdIAttribute, from->attributeCount + 1);
		g_ptr_array_add(self->texts, attributes);
		element.attributes = attributes;
		element.attributeCount = 0;
		for (size_t i = 0; i < from->attributeCount; i++) {
			if (!cutStateIsLost(at, from->attributes[i].name))
				attributes[element.attributeCount++] =
					from->attributes[i];
		}
	}
	g_array_append_val(self->elements, element);
}

/* ---- The state --------------------------------------------------------- */

static bool cutStateHasReceived(const hdIRecord *record)
{
	for (size_t i = 0; i < record->attributeCount; i++) {
		if (strcmp(record->attributes[i].name, "fromRank") == 0)
			return true;
	}
	return false;
}

void cutStateSet(struct cutState *self, const hdIRecord *record, int64_t start,
		 int64_t end)
{
	struct cutStateBorders at = {
		.record = record,
		.start = CLAMP(record->start, start, end),
		.end = CLAMP(record->end, start, end),
	};

	/* One that ends before it starts stays as it is. */
	if (record->end < record->start) {
		at.start = record->start;
		at.end = record->end;
	}
	at.isStart = at.start != record->start;
	at.isEnd = at.end != record->end;
	at.hasReceived = cutStateHasReceived(record);
	g_array_set_size(self->attributes, 0);
	g_array_set_size(self->elements, 0);
	g_ptr_array_set_size(self->texts, 0);
	self->record = *record;
	self->record.start = at.start;
	self->record.end = at.end;
	cutStateAddAttributes(self, &at);
	for (size_t i = 0; i < record->elementCount; i++)
		cutStateAddElement(self, &at, &record->elements[i]);
}

void cutStateAddText(struct cutState *self, const char *name, const char *value)
{
	hdIAttribute attribute = { name, NULL };
	char *text;

	for (guint i = 0; i < self->attributes->len; i++) {
		if (strcmp(g_array_index(self->attributes, hdIAttribute, i)
				   .name,
			   name) == 0)
			return;
	}
	text = g_strdup(value);
	g_ptr_array_add(self->texts, text);
	attribute.value = text;
	g_array_append_val(self->attributes, attribute);
}

void cutStateAddNumber(struct cutState *self, const char *name, int64_t number)
{
	char text[32];

	g_snprintf(text, sizeof(text), "%" PRId64, number);
	cutStateAddText(self, name, text);
}

void cutStateSetNumber(struct cutState *self, const char *name, int64_t number,
		       bool isAdded)
{
	guint at = 0;

	while (at < self->attributes->len &&
	       strcmp(g_array_index(self->attributes, hdIAttribute, at).name,
		      name) != 0)
		at++;
	if (at < self->attributes->len) {
		g_array_remove_index(self->attributes, at);
		isAdded = true;
	}
	if (isAdded)
		cutStateAddNumber(self, name, number);
}

const hdIRecord *cutStateGet(struct cutState *self)
{
	self->record.attributes =
		(const hdIAttribute *)(const void *)self->attributes->data;
	self->record.attributeCount = self->attributes->len;
	self->record.elements =
		(const hdIElement *)(const void *)self->elements->data;
	self->record.elementCount = self->elements->len;
	return &self->record;
}
