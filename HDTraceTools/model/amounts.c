/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the entries of a group amount to, by the kinds of its values.
 */
#include "config.h"

#include <math.h>
#include <glib.h>

#include "HDTraceTools/model/amounts.h"
#include "HDTraceTools/model/column.h"

/** A reading; integers are exact. */
struct reading {
	bool isKnown;
	outInt128 integer;
	double number;
};

/** A value of the group. */
struct amountsColumn {
	enum hdKind kind;
	double rateScale;
	/* Of counters. */
	struct reading last;
	double *growth; /**< In each entry of the block; NaN: not known. */
	bool *isReset;
};

struct amounts {
	const hdIGroup *group;
	const hdIBlock *block;
	struct amountsColumn *columns;
	size_t room; /**< Entries that growth has room for. */
};

struct amounts *amountsNew(const hdIGroup *group)
{
	struct amounts *self = g_new0(struct amounts, 1);

	self->group = group;
	self->columns = g_new0(struct amountsColumn, group->valueCount + 1);
	for (size_t i = 0; i < group->valueCount; i++) {
		const hdIValue *value = &group->values[i];
		struct amountsColumn *column = &self->columns[i];

		column->kind = valueKind(group, value, NULL);
		g_free(rateUnit(value->unit, &column->rateScale));
	}
	return self;
}

void amountsFree(struct amounts *self)
{
	if (!self)
		return;
	for (size_t i = 0; i < self->group->valueCount; i++) {
		g_free(self->columns[i].growth);
		g_free(self->columns[i].isReset);
	}
	g_free(self->columns);
	g_free(self);
}

enum hdKind amountsKind(const struct amounts *self, size_t column)
{
	return self->columns[column].kind;
}

/* ---- Growth ------------------------------------------------------------ */

static struct reading amountsReadingOf(const hdIValue *value,
				       const hdIColumn *column, size_t entry)
{
	struct reading reading = { .isKnown = true };

	if (columnIsMissing(value, column, entry))
		return (struct reading){ .isKnown = false };
	switch (value->type) {
	case HDI_INT32:
		reading.integer = column->int32[entry];
		break;
	case HDI_INT64:
		reading.integer = column->int64[entry];
		break;
	case HDI_UINT64:
		reading.integer = column->uint64[entry];
		break;
	case HDI_FLOAT:
	case HDI_DOUBLE:
	case HDI_STRING:
		reading.number = columnNumber(value, column, entry);
		reading.isKnown = isfinite(reading.number);
		break;
	}
	return reading;
}

/** What a counter grew by between two readings. */
static double amountsGrowthOf(const struct reading *from,
			      const struct reading *to, bool *isReset)
{
	*isReset = to->integer < from->integer || to->number < from->number;
	/* What went below 0 did not count from there. */
	if (*isReset)
		return MAX((double)to->integer + to->number, 0);
	return (double)(to->integer - from->integer) +
	       (to->number - from->number);
}

static void takeCounter(struct amountsColumn *column, const hdIValue *value,
			const hdIColumn *values, const hdIBlock *block)
{
	for (size_t i = 0; i < block->count; i++) {
		struct reading reading = amountsReadingOf(value, values, i);

		column->growth[i] = NAN;
		column->isReset[i] = false;
		if (reading.isKnown && column->last.isKnown &&
		    !block->isAfterGap[i])
			column->growth[i] = amountsGrowthOf(
				&column->last, &reading, &column->isReset[i]);
		column->last = reading;
	}
}

void amountsTake(struct amounts *self, const hdIBlock *block)
{
	bool isLarger = block->count > self->room;

	self->block = block;
	self->room = MAX(self->room, block->count);
	for (size_t i = 0; i < self->group->valueCount; i++) {
		struct amountsColumn *column = &self->columns[i];

		if (column->kind != HD_KIND_COUNTER)
			continue;
		if (isLarger) {
			column->growth =
				g_renew(double, column->growth, self->room);
			column->isReset =
				g_renew(bool, column->isReset, self->room);
		}
		takeCounter(column, &self->group->values[i], &block->columns[i],
			    block);
	}
}

/* ---- Entries ----------------------------------------------------------- */

double amountsGet(const struct amounts *self, size_t column, size_t entry)
{
	if (self->columns[column].kind == HD_KIND_COUNTER)
		return self->columns[column].growth[entry];
	return columnNumber(&self->group->values[column],
			    &self->block->columns[column], entry);
}

double amountsLevel(const struct amounts *self, size_t column, size_t entry)
{
	const struct amountsColumn *of = &self->columns[column];
	double value = amountsGet(self, column, entry);
	int64_t length = self->block->end[entry] - self->block->start[entry];

	if (!kindIsAmount(of->kind))
		return value;
	return length > 0 ? value * of->rateScale / ((double)length / 1e9)
			  : NAN;
}

/** Add the part of an interval that a counter grew in. */
static void addGrowth(const struct amounts *self, size_t column,
		      struct moments *moments, size_t entry, int64_t part)
{
	double growth = self->columns[column].growth[entry];
	int64_t length = self->block->end[entry] - self->block->start[entry];

	if (!isnan(growth))
		momentsAddGrowth(moments, growth, length, part);
	else if (amountsReadingOf(&self->group->values[column],
				  &self->block->columns[column], entry)
			 .isKnown)
		moments->bare++;
	else
		moments->missing++;
}

/** Add entries of a gauge or delta. */
static void addPlain(const struct amounts *self, size_t column,
		     struct moments *moments, size_t first, size_t last)
{
	const hdIValue *value = &self->group->values[column];
	const hdIColumn *values = &self->block->columns[column];

	if (!value->hasMissing) {
		momentsAdd(moments, value->type, values, self->block, first,
			   last);
		return;
	}
	for (size_t i = first; i < last; i++) {
		if (columnIsMissing(value, values, i))
			moments->missing++;
		else
			momentsAdd(moments, value->type, values, self->block, i,
				   i + 1);
	}
}

void amountsAdd(const struct amounts *self, size_t column,
		struct moments *moments, size_t first, size_t last)
{
	const hdIBlock *block = self->block;

	if (self->columns[column].kind != HD_KIND_COUNTER) {
		addPlain(self, column, moments, first, last);
		return;
	}
	for (size_t i = first; i < last; i++) {
		addGrowth(self, column, moments, i,
			  block->end[i] - block->start[i]);
		moments->resets += self->columns[column].isReset[i];
	}
}

void amountsAddPart(const struct amounts *self, size_t column,
		    struct moments *moments, size_t entry, int64_t start,
		    int64_t end)
{
	const hdIBlock *block = self->block;

	if (columnIsMissing(&self->group->values[column],
			    &block->columns[column], entry)) {
		moments->missing++;
		return;
	}
	if (self->columns[column].kind != HD_KIND_COUNTER) {
		momentsAddPart(moments, self->group->values[column].type,
			       &block->columns[column], block, entry,
			       end - start);
		return;
	}
	addGrowth(self, column, moments, entry, end - start);
	/* Of several parts the last one has it. */
	if (end == block->end[entry])
		moments->resets += self->columns[column].isReset[entry];
}
