/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The waits that rows show, trace by trace.
 */
#include "config.h"

#include <glib.h>
#include <string.h>

#include "HDTraceTools/base/comparekeys.h"
#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/pages/rowwaits.h"

struct rowWaits {
	struct sorter *sorter; /**< struct rowWait, by trace and start. */
	int64_t from;
	int64_t to;
	struct rowWait wait; /**< The next one, ... */
	int more;            /**< ... if this is 1; or a negative errno. */
	bool isStarted;
	uint32_t trace; /**< Of the one before ... */
	int64_t end;    /**< ... and its end. */
};

static int rowWaitsCompare(const void *a, const void *b)
{
	const struct rowWait *x = a;
	const struct rowWait *y = b;

	COMPARE_KEYS(x->trace, y->trace);
	COMPARE_KEYS(x->start, y->start);
	COMPARE_KEYS(x->end, y->end);
	COMPARE_KEYS(x->kind, y->kind);
	return 0;
}

struct rowWaits *rowWaitsNew(int64_t from, int64_t to)
{
	struct rowWaits *self = g_new0(struct rowWaits, 1);

	self->sorter = sorterNew(sizeof(struct rowWait), rowWaitsCompare);
	self->from = from;
	self->to = to;
	return self;
}

void rowWaitsFree(struct rowWaits *self)
{
	if (!self)
		return;
	sorterFree(self->sorter);
	g_free(self);
}

int rowWaitsAdd(struct rowWaits *self, const struct wait *wait)
{
	struct rowWait row;

	/* The sorter compares and writes all bytes. */
	memset(&row, 0, sizeof(row));
	row.start = MAX(wait->start, self->from);
	row.end = MIN(wait->end, self->to);
	row.trace = wait->trace;
	row.kind = wait->kind;
	if (waitKindInfo(wait->kind)->partOf != WAIT_NONE ||
	    row.start >= row.end)
		return 0;
	return sorterAdd(self->sorter, &row);
}

void rowWaitsNext(struct rowWaits *self)
{
	while ((self->more = sorterNext(self->sorter, &self->wait)) == 1) {
		if (self->isStarted && self->wait.trace == self->trace)
			self->wait.start = MAX(self->wait.start, self->end);
		self->isStarted = true;
		if (self->wait.start >= self->wait.end)
			continue;
		self->trace = self->wait.trace;
		self->end = self->wait.end;
		return;
	}
	self->isStarted = true;
}

const struct rowWait *rowWaitsGet(struct rowWaits *self, size_t trace)
{
	if (!self->isStarted)
		rowWaitsNext(self);
	/* Of a trace that could not be read some are left. */
	while (self->more == 1 && self->wait.trace < trace)
		rowWaitsNext(self);
	return self->more == 1 && self->wait.trace == trace ? &self->wait
							    : NULL;
}

int rowWaitsError(const struct rowWaits *self)
{
	return MIN(self->more, 0);
}
