/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdpredict measure: which batches are measured.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "PredictionLibrary/command/measure/measurement.h"
#include "PredictionLibrary/command/hdpredict.h"
#include "PredictionLibrary/command/measure/pairs.h"
#include "PredictionLibrary/command/measure/plan.h"
#include "common/clock.h"

#define MARK_SECONDS 0.4

/* ---- What is planned ----------------------------------------------------- */

struct planRow *measureRowAt(const struct measure *self, guint i)
{
	return &g_array_index(self->plan.rows, struct planRow, i);
}

double measureBatchTime(const struct measure *self, const struct planRow *row)
{
	return fmax(self->batchSeconds, row->seconds) + 2 * self->pauseSeconds +
	       MARK_SECONDS;
}

static double rowTime(const struct measure *self, const struct planRow *row)
{
	unsigned int all = (unsigned int)self->batches;

	return row->done < all ? (all - row->done) * measureBatchTime(self, row)
			       : 0;
}

struct planRow *measureFileAt(const struct measure *self, guint i)
{
	return &g_array_index(self->plan.files, struct planRow, i);
}

double measureTimeOf(const struct measure *self)
{
	double sum = 0;

	for (guint i = 0; i < self->plan.files->len; i++)
		sum += rowTime(self, measureFileAt(self, i));
	for (guint i = 0; i < self->plan.rows->len; i++)
		sum += rowTime(self, measureRowAt(self, i));
	return sum;
}

void measureFormatTime(double seconds, char *text, size_t size)
{
	int64_t whole = (int64_t)ceil(seconds);

	if (whole < 60)
		g_snprintf(text, size, "%" PRId64 " s", whole);
	else if (whole < 3600)
		g_snprintf(text, size, "%" PRId64 " min %02" PRId64 " s",
			   whole / 60, whole % 60);
	else
		g_snprintf(text, size, "%" PRId64 " h %02" PRId64 " min",
			   whole / 3600, whole % 3600 / 60);
}

static bool isAllAlone(const struct measure *self)
{
	for (guint i = 0; i < self->plan.rows->len; i++) {
		if (measureRowAt(self, i)->done == 0)
			return false;
	}
	return true;
}

int measureAddPairs(struct measure *self)
{
	char *wrong;

	if (self->isAlone || self->pes < 2)
		return PREDICT_OK;
	wrong = pairsAdd(&self->plan, self->graph, self->platform, self->pes,
			 self->architecture);
	if (wrong)
		predictError(self->predict, "relevant loads: %s", wrong);
	g_free(wrong);
	return wrong ? PREDICT_INVALID : PREDICT_OK;
}

static void measurePrintRow(const struct measure *self,
			    const struct planRow *row)
{
	char text[64];

	measureFormatTime(rowTime(self, row), text, sizeof(text));
	printf("%s: %u of %d batches complete; %s\n", row->key,
	       MIN(row->done, (unsigned int)self->batches), self->batches,
	       text);
}

int measurePrintPlan(struct measure *self)
{
	char text[64];
	int status = PREDICT_OK;
	bool isKnown = isAllAlone(self);

	if (isKnown)
		status = measureAddPairs(self);
	for (guint i = 0; i < self->plan.rows->len; i++)
		measurePrintRow(self, measureRowAt(self, i));
	for (guint i = 0; i < self->plan.files->len; i++)
		measurePrintRow(self, measureFileAt(self, i));
	measureFormatTime(measureTimeOf(self), text, sizeof(text));
	printf("%s%s\n", text,
	       isKnown || self->isAlone || self->pes < 2
		       ? ""
		       : " without loads; the loads are selected after all "
			 "kernels were measured alone");
	return status;
}
