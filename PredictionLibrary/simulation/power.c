/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Power over time, and whether it passes a limit; see power.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "PredictionLibrary/mapping/routes.h"
#include "PredictionLibrary/simulation/power.h"

uint32_t hdPredictBridgeServer(const hdPPlatform *platform, uint32_t edge)
{
	uint32_t node = platform->bridges[platform->edges[edge].bridge].node;

	return node == HD_PREDICT_NONE ? HD_PREDICT_NONE
				       : platform->nodes[node].server;
}

static void add(struct hdPredictChanges *changes, struct hdPredictChange about,
		double until, double energy)
{
	double power = energy / (until - about.at);

	if (!(until > about.at) || energy == 0)
		return;
	for (int i = 0; i < 2; i++) {
		if (hdPredictGrow(&changes->list, changes->count,
				  &changes->room,
				  sizeof(struct hdPredictChange)) < 0) {
			changes->isShort = true;
			return;
		}
		about.power = i ? -power : power;
		about.at = i ? until : about.at;
		changes->list[changes->count++] = about;
	}
}

static void addTask(const hdPResult *result, struct hdPredictChanges *changes,
		    uint32_t task)
{
	const struct hdPredictKernel *kernel =
		hdPredictKernelOf(result->graph, task);
	struct hdPredictChange about = {
		.at = result->start[task],
		.server = result->platform->pes[result->pe[task]].server,
		.task = task
	};
	double start = about.at, length = result->end[task] - start;
	double sum = 0, from = 0;

	if (!kernel->phaseCount) {
		add(changes, about, result->end[task], result->energy[task]);
		return;
	}
	for (uint32_t i = 0; i < kernel->phaseCount; i++) {
		sum += (kernel->phases[i].until - from) *
		       kernel->phases[i].weight;
		from = kernel->phases[i].until;
	}
	from = 0;
	for (uint32_t i = 0; i < kernel->phaseCount; i++) {
		const struct hdPredictPhase *phase = &kernel->phases[i];
		/* The last one ends when the task does, to the bit. */
		double until = i + 1 == kernel->phaseCount
				       ? result->end[task]
				       : start + phase->until * length;

		add(changes, about, until,
		    result->energy[task] * (phase->until - from) *
			    phase->weight / sum);
		about.at = until;
		from = phase->until;
	}
}

static void addTransfer(const hdPResult *result, struct hdPredictRoutes *routes,
			struct hdPredictChanges *changes, size_t number)
{
	const struct hdPredictTransfer *transfer = &result->transfers[number];
	const uint32_t *edges;
	hdPTransfer about;
	int count = hdPredictRoute(routes, transfer->source,
				   transfer->destination, &edges);

	hdP_getTransfer(result, (int64_t)number, &about);
	if (count < 0)
		changes->isShort = true;
	for (int i = 0; i < count; i++) {
		const struct hdPredictEdgeOf *edge =
			&result->platform->edges[edges[i]];
		struct hdPredictChange change = {
			.at = transfer->start,
			.server = hdPredictBridgeServer(result->platform,
							edges[i]),
			.task = (uint32_t)about.producer,
			.isMessage = true
		};

		if (change.server != HD_PREDICT_NONE)
			add(changes, change, transfer->end,
			    hdPredictPackets(edge, about.bytes) * edge->energy *
				    1e-9);
	}
}

int hdPredictChangesOf(const hdPResult *result,
		       struct hdPredictChanges *changes)
{
	struct hdPredictRoutes *routes = hdPredictRoutesNew(result->platform);

	*changes = (struct hdPredictChanges){ 0 };
	if (!routes)
		return -ENOMEM;
	for (uint32_t t = 0; t < result->graph->taskCount; t++)
		addTask(result, changes, t);
	for (size_t i = 0; i < result->transferCount; i++)
		addTransfer(result, routes, changes, i);
	hdPredictRoutesFree(routes);
	if (!changes->isShort)
		return 0;
	free(changes->list);
	*changes = (struct hdPredictChanges){ 0 };
	return -ENOMEM;
}

/* ---- Limits ------------------------------------------------------------- */

/* By time; then what ends. */
static int byTime(const void *a, const void *b)
{
	const struct hdPredictChange *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (x->power != y->power)
		return x->power < y->power ? -1 : 1;
	return (x->task > y->task) - (x->task < y->task);
}

/* Power that is passed by what rounding may do, is not. */
static bool isOver(double power, double limit)
{
	return power > limit * (1 + 1e-12);
}

/* What made it pass the limit: of what begins now, that with most power. */
static void blame(const hdPResult *result, const struct hdPredictChange *from,
		  const struct hdPredictChange *end, hdPExcess *excess)
{
	const struct hdPredictChange *most = NULL;

	for (; from < end; from++) {
		if (from->power > 0 && (!most || from->power > most->power))
			most = from;
	}
	excess->task = excess->server = excess->pe = -1;
	if (!most)
		return;
	excess->task = most->task;
	excess->isMessage = most->isMessage;
	excess->server = most->server;
	if (!most->isMessage)
		excess->pe = result->pe[most->task];
}

/* Power until a time: from the one before. */
struct meter {
	double power, last;
	hdPExcess now; /* The limit is passed if its start is not NaN. */
};

static void account(hdPPower *about, struct meter *meter, double at,
		    hdPExcess *list, size_t room)
{
	if (isnan(meter->now.start) || at <= meter->last)
		return;
	about->over += at - meter->last;
	if (meter->power > meter->now.peak)
		meter->now.peak = meter->power;
	meter->now.end = at;
	if (about->excesses < room)
		list[about->excesses] = meter->now;
}

static double idleOf(const hdPResult *result, int64_t server)
{
	const hdPPlatform *platform = result->platform;
	double idle = 0;

	for (uint32_t s = 0; s < platform->serverCount; s++) {
		if ((server < 0 || s == server) &&
		    (!result->isWithoutUnused ||
		     result->uses[HDP_SERVERS][s].tasks))
			idle += platform->servers[s].idlePower;
	}
	return idle;
}

static void watch(const hdPResult *result, int64_t server, double limit,
		  const struct hdPredictChanges *changes, hdPPower *about,
		  hdPExcess *list, size_t room)
{
	double idle = idleOf(result, server),
	       makespan = result->totals.makespan;
	struct meter meter = { .power = idle, .now = { .start = NAN } };
	size_t running = 0;

	about->peak = idle;
	if (limit > 0 && isOver(idle, limit) && makespan > 0) {
		meter.now = (hdPExcess){ 0 };
		blame(result, NULL, NULL, &meter.now);
	}
	for (size_t i = 0, next; i < changes->count; i = next) {
		double at = changes->list[i].at;

		account(about, &meter, at, list, room);
		for (next = i;
		     next < changes->count && changes->list[next].at == at;
		     next++) {
			meter.power += changes->list[next].power;
			running +=
				changes->list[next].power > 0 ? 1 : (size_t)-1;
		}
		/* What was added up is gone when nothing runs. */
		if (running == 0)
			meter.power = idle;
		meter.last = at;
		if (meter.power > about->peak) {
			about->peak = meter.power;
			about->peakAt = at;
		}
		if (limit > 0 && isOver(meter.power, limit)) {
			if (!isnan(meter.now.start))
				continue;
			meter.now = (hdPExcess){ .start = at };
			blame(result, changes->list + i, changes->list + next,
			      &meter.now);
		} else if (!isnan(meter.now.start)) {
			about->excesses++;
			meter.now.start = NAN;
		}
	}
	account(about, &meter, makespan, list, room);
	about->excesses += !isnan(meter.now.start);
}

int hdP_getPower(const hdPResult *result, int64_t server, double limit,
		 hdPPower *power, hdPExcess *list, size_t room)
{
	struct hdPredictChanges changes;
	size_t kept = 0;
	int ret;

	if (!result || !power || !result->energy || (room && !list) ||
	    server < -1 || server >= (int64_t)result->platform->serverCount ||
	    !(limit >= 0))
		return -EINVAL;
	ret = hdPredictChangesOf(result, &changes);
	if (ret < 0)
		return ret;
	for (size_t i = 0; i < changes.count; i++) {
		if (server < 0 || changes.list[i].server == server)
			changes.list[kept++] = changes.list[i];
	}
	changes.count = kept;
	if (kept)
		qsort(changes.list, kept, sizeof(*changes.list), byTime);
	*power = (hdPPower){ 0 };
	watch(result, server, limit, &changes, power, list, room);
	free(changes.list);
	return 0;
}
