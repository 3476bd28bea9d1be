/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hosts: their idle power, and how those of one architecture compare.
 *
 * Power of a host is brought to that of a reference by a line through what both
 * drew: idle, and while the same kernels ran alone (Walter 2020, section
 * 10.4.2).
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "PredictionLibrary/characterize/learn.h"
#include "cli/known.h"

/* ---- Idle power --------------------------------------------------------- */

static void addPause(const struct learntMeter *meter, GArray *powers,
		     int64_t start, int64_t end)
{
	int64_t edge = learnEdge(meter);
	struct powerAmount amount;
	struct known known;
	double power;

	start += edge;
	end -= edge;
	if (end - start < 4 * meter->cycle)
		return;
	amount = powerCursorGet(meter->cursor, start + meter->late,
				end + meter->late);
	known = (struct known){ amount.measured, end - start };
	if (!knownHasMean(known))
		return;
	power = amount.energy / ((double)amount.measured / 1e9);
	g_array_append_val(powers, power);
}

/* Power while nothing ran: a value for each pause. */
static void addPauses(const struct learntMeter *meter, GArray *powers)
{
	int64_t before, last;

	if (!meter->power || meter->cycle <= 0 ||
	    !powerSeriesRange(meter->power, &before, &last))
		return;
	before -= meter->late;
	for (guint i = 0; i < meter->busy->len; i++) {
		const struct learntSpan *span =
			&g_array_index(meter->busy, struct learntSpan, i);

		addPause(meter, powers, before, span->start);
		before = MAX(before, span->end);
	}
	addPause(meter, powers, before, last - meter->late);
}

static void findIdle(struct learnt *self, size_t number)
{
	struct learntHost *host = learntHostOf(self, number);
	GArray *powers = g_array_new(FALSE, FALSE, sizeof(double));
	struct learntNumber idle;

	for (guint i = 0; i < self->meters->len; i++) {
		if (learntMeterOf(self, i)->host == number)
			addPauses(learntMeterOf(self, i), powers);
	}
	idle = learntMean((const double *)(void *)powers->data, powers->len);
	host->idle = idle.mean;
	host->idleSpread = idle.deviation;
	host->pauses = powers->len;
	g_array_unref(powers);
}

/* ---- Architectures ------------------------------------------------------ */

/* A host is known by the architectures of its PEs. */
static void nameHost(struct learntHost *host)
{
	GString *name = g_string_new(NULL);
	GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);

	if (!host->pes->len && host->exchanger) {
		g_ptr_array_add(host->pes, g_strdup(host->exchanger));
		g_ptr_array_add(host->peKinds, (char *)host->exchangerKind);
	}
	for (guint i = 0; i < host->peKinds->len; i++) {
		char *kind = g_ptr_array_index(host->peKinds, i);

		if (g_hash_table_add(seen, kind))
			g_string_append_printf(name, "%s%s",
					       name->len ? "+" : "", kind);
	}
	g_hash_table_unref(seen);
	if (!name->len)
		g_string_append(name, "host");
	host->architecture = g_string_free(name, FALSE);
}

/* ---- Comparison --------------------------------------------------------- */

/* Mean power of a host while a configuration ran; NaN: it did not. */
static double powerWhile(const struct learnt *self, size_t host, size_t config)
{
	const struct learntEntry *entry = self->entries->pdata[config];
	double sum = 0;
	size_t count = 0;

	for (guint i = 0; i < entry->list->len; i++) {
		const struct learntRun *run = learntRunOf(
			self, g_array_index(entry->list, size_t, i));

		if (run->refusal != RUN_GOOD ||
		    learntMeterOf(self, run->meter)->host != host)
			continue;
		sum += run->power;
		count++;
	}
	return count ? sum / (double)count : NAN;
}

/* Points of a line. */
struct points {
	size_t count;
	double x, y, xx, xy;
	double *list; /* Pairs. */
};

static void boardsAddPoint(struct points *points, double x, double y)
{
	if (isnan(x) || isnan(y))
		return;
	points->list[2 * points->count] = x;
	points->list[2 * points->count + 1] = y;
	points->count++;
	points->x += x;
	points->y += y;
}

static void fitPoints(struct points *points, struct learntHost *host)
{
	double n = (double)points->count;

	for (size_t i = 0; i < points->count; i++) {
		double x = points->list[2 * i] - points->x / n;

		points->xx += x * x;
		points->xy += x * (points->list[2 * i + 1] - points->y / n);
	}
	if (points->count < 2 || !(points->xx > 0) || !(points->xy > 0))
		return;
	host->scale = points->xy / points->xx;
	host->offset = (points->y - host->scale * points->x) / n;
	host->points = points->count;
	host->residual = 0;
	for (size_t i = 0; i < points->count; i++) {
		double y = points->list[2 * i + 1];

		host->residual = fmax(host->residual,
				      fabs(host->scale * points->list[2 * i] +
					   host->offset - y) /
					      fabs(y));
	}
}

static void compareHosts(struct learnt *self, size_t number, size_t reference)
{
	struct learntHost *host = learntHostOf(self, number);
	struct points points = { .list = g_new(double,
					       2 * (self->entries->len + 1)) };

	boardsAddPoint(&points, host->idle,
		       learntHostOf(self, reference)->idle);
	for (guint i = 0; i < self->entries->len; i++)
		boardsAddPoint(&points, powerWhile(self, number, i),
			       powerWhile(self, reference, i));
	fitPoints(&points, host);
	g_free(points.list);
	if (!host->points && !isnan(host->idle))
		learntSay(self, true, NULL, host->label,
			  "fewer than two powers in common with %s; not "
			  "converted",
			  learntHostOf(self, reference)->label);
}

/* The host that others of its architecture are compared with: the one that was
 * asked for, else the first with power. */
static size_t referenceOf(const struct learnt *self, const char *architecture)
{
	size_t reference = self->hosts->len;

	for (guint i = 0; i < self->hosts->len; i++) {
		const struct learntHost *host = learntHostOf(self, i);

		if (strcmp(host->architecture, architecture) != 0 ||
		    isnan(host->idle))
			continue;
		if (reference == self->hosts->len ||
		    (self->choice.reference &&
		     strcmp(host->label, self->choice.reference) == 0))
			reference = i;
	}
	return reference;
}

void learnBoards(struct learnt *self)
{
	for (guint i = 0; i < self->hosts->len; i++) {
		findIdle(self, i);
		nameHost(learntHostOf(self, i));
	}
	for (guint i = 0; i < self->hosts->len; i++) {
		size_t reference =
			referenceOf(self, learntHostOf(self, i)->architecture);

		if (reference != i && reference < self->hosts->len)
			compareHosts(self, i, reference);
	}
}
