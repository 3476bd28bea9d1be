/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Queries: which items match.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/choice/query.h"
#include "HDTraceTools/choice/queryterms.h"

void queryFree(struct query *self)
{
	if (!self)
		return;
	g_array_unref(self->terms);
	g_free(self);
}

void querySetStart(struct query *self, int64_t start)
{
	self->start = start;
}

static const struct queryTerm *queryTermAt(const struct query *self, guint i)
{
	return &g_array_index(self->terms, struct queryTerm, i);
}

bool queryHasWaits(const struct query *self)
{
	for (guint i = 0; i < self->terms->len; i++) {
		if (queryTermAt(self, i)->key == QUERY_WAIT)
			return true;
	}
	return false;
}

bool queryNeedsStart(const struct query *self)
{
	for (guint i = 0; i < self->terms->len; i++) {
		const struct queryTerm *term = queryTermAt(self, i);

		if (term->key == QUERY_FROM || term->key == QUERY_TO)
			return true;
	}
	return false;
}

/* ---- Numbers ------------------------------------------------------------ */

/** -1, 0 or 1; NaN compares as no number does. */
static int queryCompare(const struct queryNumber *a,
			const struct queryNumber *b)
{
	if (a->isWhole && b->isWhole)
		return (a->whole > b->whole) - (a->whole < b->whole);
	return (a->real > b->real) - (a->real < b->real);
}

/** Whether a number is as an operator and a value say. */
static bool queryNumberIs(const struct queryTerm *term,
			  const struct queryValue *value,
			  const struct queryNumber *number)
{
	int order = queryCompare(number, &value->low);

	if (value->form == QUERY_RANGE)
		return order >= 0 && queryCompare(number, &value->high) <= 0;
	switch (term->operator) {
	case QUERY_LESS:
		return order < 0;
	case QUERY_LESS_EQUAL:
		return order <= 0;
	case QUERY_GREATER:
		return order > 0;
	case QUERY_GREATER_EQUAL:
		return order >= 0;
	case QUERY_EQUAL:
	case QUERY_UNEQUAL:
	case QUERY_CONTAINS:
		break;
	}
	return order == 0;
}

/** A time as a number; with the unit that values have. */
static struct queryNumber queryTime(int64_t ns)
{
	return (struct queryNumber){
		.isWhole = true,
		.whole = ns,
		.real = (double)ns,
	};
}

static void queryAddStart(struct queryNumber *number, int64_t start)
{
	if (number->isSince)
		return;
	if (__builtin_add_overflow(number->whole, start, &number->whole))
		number->whole = number->whole < 0 ? INT64_MAX : INT64_MIN;
}

/** Whether a moment is as a value says. */
static bool queryMomentIs(const struct query *self,
			  const struct queryTerm *term,
			  const struct queryValue *value, int64_t ns)
{
	struct queryValue moved = *value;
	struct queryNumber number = queryTime(ns);

	queryAddStart(&moved.low, self->start);
	queryAddStart(&moved.high, self->start);
	return queryNumberIs(term, &moved, &number);
}

/* ---- Terms -------------------------------------------------------------- */

/** Whether a text is as a value says; an item that has none does not match. */
static bool queryTextIs(const struct queryTerm *term,
			const struct queryValue *value, const char *text)
{
	struct queryNumber number;

	if (!text)
		return false;
	switch (value->form) {
	case QUERY_LITERAL:
		return strcmp(value->text, text) == 0;
	case QUERY_PATTERN:
		return queryMatchPattern(value->text, text,
					 term->operator== QUERY_CONTAINS);
	case QUERY_NUMBER:
	case QUERY_RANGE:
		break;
	}
	if (queryParseNumber(text, false, &number))
		return queryNumberIs(term, value, &number);
	return (term->operator== QUERY_EQUAL || term->operator==
		QUERY_UNEQUAL) &&
	       strcmp(value->text, text) == 0;
}

/** Whether one of several texts is as a value says. */
static bool queryOneIs(const struct queryTerm *term,
		       const struct queryValue *value, const char *const *texts)
{
	for (; texts && *texts; texts++) {
		if (queryTextIs(term, value, *texts))
			return true;
	}
	return false;
}

static bool queryWaitIs(const struct queryTerm *term,
			const struct queryValue *value,
			const struct queryItem *item)
{
	struct queryNumber number = queryTime(item->waited);

	if (value->form == QUERY_LITERAL || value->form == QUERY_PATTERN)
		return queryOneIs(term, value, item->waits);
	return item->waits && *item->waits &&
	       queryNumberIs(term, value, &number);
}

static bool queryValueIs(const struct query *self, const struct queryTerm *term,
			 const struct queryValue *value,
			 const struct queryItem *item)
{
	struct queryNumber number;

	switch (term->key) {
	case QUERY_NAME:
		return queryTextIs(term, value, item->name);
	case QUERY_NODE:
		return queryOneIs(term, value, item->nodes);
	case QUERY_RANK:
		return queryTextIs(term, value, item->rank);
	case QUERY_THREAD:
		return queryTextIs(term, value, item->thread);
	case QUERY_GROUP:
		return queryTextIs(term, value, item->group);
	case QUERY_DURATION:
		number = queryTime(item->end - item->start);
		return queryNumberIs(term, value, &number);
	case QUERY_FROM:
		return queryMomentIs(self, term, value, item->start);
	case QUERY_TO:
		return queryMomentIs(self, term, value, item->end);
	case QUERY_WAIT:
		return queryWaitIs(term, value, item);
	case QUERY_ATTRIBUTE:
		break;
	}
	return item->attribute &&
	       queryTextIs(term, value,
			   item->attribute(item->data, term->attribute));
}

static bool queryTermHolds(const struct query *self,
			   const struct queryTerm *term,
			   const struct queryItem *item)
{
	bool isAny = false;

	for (guint i = 0; i < term->values->len && !isAny; i++)
		isAny = queryValueIs(
			self, term,
			&g_array_index(term->values, struct queryValue, i),
			item);
	return isAny != (term->operator== QUERY_UNEQUAL);
}

bool queryMatches(const struct query *self, const struct queryItem *item)
{
	for (guint i = 0; i < self->terms->len; i++) {
		if (!queryTermHolds(self, queryTermAt(self, i), item))
			return false;
	}
	return true;
}

bool queryMatchesPlace(const struct query *self, const struct queryItem *item)
{
	for (guint i = 0; i < self->terms->len; i++) {
		const struct queryTerm *term = queryTermAt(self, i);

		if (term->key != QUERY_NODE && term->key != QUERY_RANK &&
		    term->key != QUERY_THREAD && term->key != QUERY_GROUP)
			continue;
		if (!queryTermHolds(self, term, item))
			return false;
	}
	return true;
}
