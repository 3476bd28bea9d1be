/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Statistics groups of servers, of a predicted project; see series.h. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "PredictionLibrary/output/series.h"
#include "common/clock.h"
#include "common/number.h"

/* Entries after which they go to the file. */
#define FLUSH 500

static bool addAttributes(hdStatsGroup *group,
			  const struct hdPredictAttribute *attribute)
{
	char text[HD_DOUBLE_MAX + 1];

	hdNumberPrepare();
	for (; attribute && attribute->name; attribute++) {
		*hdNumberDouble(text, attribute->number) = '\0';
		if (hdS_addAttribute(group, attribute->name, text) != 0)
			return false;
	}
	return true;
}

static bool seriesAddColumn(hdStatsGroup *group, const char *source,
			    const struct hdPredictColumn *column)
{
	return hdS_addValue(group, column->name, column->type, column->unit,
			    column->grouping) == 0 &&
	       hdS_addAttribute(group, "kind", column->kind) == 0 &&
	       (strcmp(column->kind, "gauge") != 0 ||
		hdS_addAttribute(group, "written", "change") == 0) &&
	       (!source ||
		(hdS_addAttribute(group, "source", source) == 0 &&
		 hdS_addAttribute(group, "simulated", "yes") == 0)) &&
	       addAttributes(group, column->attributes);
}

static struct timespec seriesTime(const struct hdPredictSeries *self,
				  double seconds)
{
	return hdClockToTimespec(self->base + hdPredictNs(seconds));
}

struct hdPredictSeries hdPredictSeriesOn(hdTopoNode *node, int level,
					 int64_t base, const char *source,
					 const char *name,
					 const struct hdPredictColumn *columns,
					 size_t count)
{
	struct hdPredictSeries self = { .columns = columns,
					.count = count,
					.base = base };
	struct timespec start = seriesTime(&self, 0);

	self.group = node ? hdS_createGroup(name, node, level) : NULL;
	self.isGood = self.group != NULL;
	for (size_t i = 0; i < count && self.isGood; i++)
		self.isGood = seriesAddColumn(self.group, source, &columns[i]);
	self.isGood = self.isGood &&
		      hdS_setTimeBase(self.group, HD_TIME_AS_GIVEN) == 0 &&
		      hdS_commitGroup(self.group) == 0 &&
		      hdS_enableGroupAt(self.group, &start) >= 0;
	return self;
}

struct hdPredictSeries hdPredictSeriesBegin(
	const struct hdPredictProject *project, uint32_t server,
	const char *name, const struct hdPredictColumn *columns, size_t count)
{
	hdTopoNode *node =
		hdPredictTopoNode(project, server, HD_PREDICT_NONE, 0);
	struct hdPredictSeries self =
		hdPredictSeriesOn(node, 1, HD_PREDICT_START * HD_NS_PER_S,
				  "hdpredict", name, columns, count);

	if (node)
		hdT_destroyTopoNode(node);
	return self;
}

static void seriesWriteEntry(struct hdPredictSeries *self, double at,
			     const union hdPredictCell *cells)
{
	struct timespec when = seriesTime(self, at);

	self->isGood =
		self->isGood && hdS_setEntryTime(self->group, &when) == 0;
	for (size_t i = 0; i < self->count && self->isGood; i++)
		self->isGood =
			(self->columns[i].type == DOUBLE
				 ? hdS_writeDoubleValue(self->group,
							cells[i].number)
				 : hdS_writeInt64Value(self->group,
						       cells[i].integer)) == 0;
	self->isGood = self->isGood &&
		       (++self->written % FLUSH || hdS_flush(self->group) == 0);
	self->last = at;
}

bool hdPredictSeriesWrite(struct hdPredictSeries *self, double at,
			  const union hdPredictCell *cells)
{
	if (!(at - self->last > 1e-9))
		return false;
	seriesWriteEntry(self, at, cells);
	return true;
}

int hdPredictSeriesEnd(struct hdPredictSeries *self, double makespan,
		       const union hdPredictCell *cells)
{
	hdLosses losses = { 0, 0 };

	if (!self->group)
		return -EIO;
	if (makespan > self->last)
		seriesWriteEntry(self, makespan, cells);
	if (self->isGood)
		self->isGood = hdS_flush(self->group) == 0 &&
			       hdS_getLosses(self->group, &losses) == 0;
	return hdS_finalize(self->group) != 0 || !self->isGood || losses.records
		       ? -EIO
		       : 0;
}
