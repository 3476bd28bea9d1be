/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gauges of servers over time, of a predicted project; see project.h.
 *
 * Group Transfers: how many messages a server has to send, from when their data
 * are there until they have arrived, and the bytes that arrived. Group Memory:
 * bytes in use.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "PredictionLibrary/output/series.h"

const struct hdPredictColumn hdPredictTransferColumns[] = {
	{ "Pending", INT64, "transfers", NULL, "gauge", NULL },
	{ "Bytes", INT64, "B", NULL, "delta", NULL },
};
const struct hdPredictColumn hdPredictMemoryColumns[] = {
	{ "Used", INT64, "B", NULL, "gauge", NULL },
};

/* A number of a server changes; memory becomes what it says. */
struct step {
	double at;
	uint32_t server;
	uint32_t number; /* In the order of the simulation. */
	int64_t pending, bytes;
};

static int byServer(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	if (x->server != y->server)
		return x->server < y->server ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* One group of one server. An entry covers the time before it. */
static int gaugesWriteServer(const struct hdPredictProject *project,
			     uint32_t server, const struct step *step,
			     size_t count, bool isMemory)
{
	struct hdPredictSeries series =
		isMemory ? hdPredictSeriesBegin(project, server, "Memory",
						hdPredictMemoryColumns, 1)
			 : hdPredictSeriesBegin(project, server, "Transfers",
						hdPredictTransferColumns, 2);
	union hdPredictCell cells[] = { { 0 }, { 0 } };

	for (size_t i = 0; i < count && series.isGood;) {
		double at = step[i].at;
		int64_t now = cells[0].integer;

		/* All of one moment, at the precision of files. */
		for (; i < count && step[i].at - at <= 1e-9; i++) {
			now = isMemory ? step[i].pending
				       : now + step[i].pending;
			cells[1].integer += step[i].bytes;
		}
		if (now == cells[0].integer && !cells[1].integer)
			continue;
		if (hdPredictSeriesWrite(&series, at, cells))
			cells[1].integer = 0;
		cells[0].integer = now;
	}
	return hdPredictSeriesEnd(&series, project->result->totals.makespan,
				  cells);
}

static int gaugesWriteAll(const struct hdPredictProject *project,
			  struct step *steps, size_t count, bool isMemory)
{
	uint32_t servers = project->result->platform->serverCount;
	size_t from = 0;
	int ret = 0;

	if (count)
		qsort(steps, count, sizeof(*steps), byServer);
	for (uint32_t s = 0; s < servers && ret == 0; s++) {
		size_t until = from;

		while (until < count && steps[until].server == s)
			until++;
		ret = gaugesWriteServer(project, s, steps + from, until - from,
					isMemory);
		from = until;
	}
	return ret;
}

int hdPredictGauges(const struct hdPredictProject *project)
{
	const hdPResult *result = project->result;
	size_t count = 2 * result->transferCount;
	struct step *steps;
	int ret;

	if (result->fillCount > count)
		count = result->fillCount;
	steps = malloc((count + 1) * sizeof(*steps));
	if (!steps)
		return -ENOMEM;
	for (uint32_t i = 0; i < result->transferCount; i++) {
		const struct hdPredictTransfer *from = &result->transfers[i];
		hdPTransfer about;

		hdP_getTransfer(result, i, &about);
		steps[2 * i] =
			(struct step){ from->ready, from->source, 2 * i, 1, 0 };
		steps[2 * i + 1] =
			(struct step){ from->end, from->source, 2 * i + 1, -1,
				       (int64_t)about.bytes };
	}
	ret = gaugesWriteAll(project, steps, 2 * result->transferCount, false);
	for (uint32_t i = 0; i < result->fillCount; i++)
		steps[i] = (struct step){ result->fills[i].at,
					  result->fills[i].server, i,
					  (int64_t)result->fills[i].used, 0 };
	if (ret == 0)
		ret = gaugesWriteAll(project, steps, result->fillCount, true);
	free(steps);
	return ret;
}
