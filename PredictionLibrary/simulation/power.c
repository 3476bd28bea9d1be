/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Power over time, and whether it passes a limit; see power.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/mapping/routes.h"
#include "PredictionLibrary/simulation/power.h"

uint32_t hdPredictBridgeServer(const hdPPlatform *platform, uint32_t edge)
{
	uint32_t node = platform->bridges[platform->edges[edge].bridge].node;

	return node == HD_PREDICT_NONE ? HD_PREDICT_NONE
				       : platform->nodes[node].server;
}

double hdPredictIdleOf(const hdPResult *result, uint32_t server)
{
	return result->isWithoutUnused &&
			       !result->uses[HDP_SERVERS][server].tasks
		       ? 0
		       : result->platform->servers[server].idlePower;
}

double hdPredictIdleOfAll(const hdPResult *result)
{
	double idle = 0;

	for (uint32_t s = 0; s < result->platform->serverCount; s++)
		idle += hdPredictIdleOf(result, s);
	return idle;
}

static void simPowerAddChange(struct hdPredictChanges *changes,
			      struct hdPredictChange about, double until,
			      double energy)
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

static void simPowerAddTask(const hdPResult *result,
			    struct hdPredictChanges *changes, uint32_t task)
{
	const struct hdPredictKernel *kernel =
		hdPredictKernelOf(result->graph, task);
	struct hdPredictChange about = {
		.at = result->start[task],
		.server = result->platform->pes[result->plan.pe[task]].server,
		.task = task
	};
	double start = about.at, length = result->end[task] - start;
	double sum = 0, from = 0;

	if (!kernel->phaseCount) {
		simPowerAddChange(changes, about, result->end[task],
				  result->energy[task]);
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

		simPowerAddChange(changes, about, until,
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
			simPowerAddChange(changes, change, transfer->end,
					  hdPredictPackets(edge, about.bytes) *
						  edge->energy * 1e-9);
	}
}

/* By time; then what ends. */
static int simPowerByTime(const void *a, const void *b)
{
	const struct hdPredictChange *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (x->power != y->power)
		return x->power < y->power ? -1 : 1;
	return (x->task > y->task) - (x->task < y->task);
}

/* Sort changes by server, and those of each server by time. */
static int sortChanges(struct hdPredictChanges *self, uint32_t servers)
{
	struct hdPredictChange *list =
		malloc((self->count + 1) * sizeof(*list));
	size_t *first = calloc((size_t)servers + 2, sizeof(*first));

	if (!list || !first) {
		free(list);
		free(first);
		return -ENOMEM;
	}
	/* Counted one further on, so that filling leaves the starts. */
	for (size_t i = 0; i < self->count; i++)
		first[self->list[i].server + 2]++;
	for (size_t s = 2; s < (size_t)servers + 2; s++)
		first[s] += first[s - 1];
	for (size_t i = 0; i < self->count; i++)
		list[first[self->list[i].server + 1]++] = self->list[i];
	free(self->list);
	self->list = list;
	self->first = first;
	for (uint32_t s = 0; s < servers; s++) {
		if (first[s + 1] > first[s])
			qsort(list + first[s], first[s + 1] - first[s],
			      sizeof(*list), simPowerByTime);
	}
	return 0;
}

static struct hdPredictChanges *findChanges(const hdPResult *result)
{
	struct hdPredictChanges *self = calloc(1, sizeof(*self));
	struct hdPredictRoutes *routes = hdPredictRoutesNew(result->platform);

	if (!self || !routes)
		goto fail;
	for (uint32_t t = 0; t < result->graph->taskCount; t++)
		simPowerAddTask(result, self, t);
	for (size_t i = 0; i < result->transferCount; i++)
		addTransfer(result, routes, self, i);
	if (self->isShort ||
	    sortChanges(self, result->platform->serverCount) < 0)
		goto fail;
	hdPredictRoutesFree(routes);
	return self;

fail:
	hdPredictRoutesFree(routes);
	hdPredictChangesFree(self);
	return NULL;
}

const struct hdPredictChanges *hdPredictChangesOf(const hdPResult *result)
{
	if (!*result->changes)
		*result->changes = findChanges(result);
	return *result->changes;
}

void hdPredictChangesFree(struct hdPredictChanges *self)
{
	if (!self)
		return;
	free(self->list);
	free(self->first);
	free(self);
}

/* ---- Limits ------------------------------------------------------------- */

/* Power that is passed by what rounding may do, is not. */
static bool simPowerIsOver(double power, double limit)
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
		excess->pe = result->plan.pe[most->task];
}

/* Power until a time: from the one before. */
struct meter {
	double power, last;
	hdPExcess now; /* The limit is passed if its start is not NaN. */
};

static void simPowerAccountTime(hdPPower *about, struct meter *meter, double at,
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

/* Changes are by time; power is @p idle before the first. */
static void simPowerWatchLimit(const hdPResult *result, double idle,
			       double limit,
			       const struct hdPredictChange *changes,
			       size_t count, hdPPower *about, hdPExcess *list,
			       size_t room)
{
	double makespan = result->totals.makespan;
	struct meter meter = { .power = idle, .now = { .start = NAN } };
	size_t running = 0;

	about->peak = idle;
	/* Also if no time passes, as without tasks. */
	if (limit > 0 && simPowerIsOver(idle, limit)) {
		meter.now = (hdPExcess){ .peak = idle };
		blame(result, NULL, NULL, &meter.now);
		if (room)
			list[0] = meter.now;
	}
	for (size_t i = 0, next; i < count; i = next) {
		double at = changes[i].at;

		simPowerAccountTime(about, &meter, at, list, room);
		for (next = i; next < count && changes[next].at == at; next++) {
			meter.power += changes[next].power;
			running += changes[next].power > 0 ? 1 : (size_t)-1;
		}
		/* What was added up is gone when nothing runs. */
		if (running == 0)
			meter.power = idle;
		meter.last = at;
		if (meter.power > about->peak) {
			about->peak = meter.power;
			about->peakAt = at;
		}
		if (limit > 0 && simPowerIsOver(meter.power, limit)) {
			if (!isnan(meter.now.start))
				continue;
			meter.now = (hdPExcess){ .start = at };
			blame(result, changes + i, changes + next, &meter.now);
		} else if (!isnan(meter.now.start)) {
			about->excesses++;
			meter.now.start = NAN;
		}
	}
	simPowerAccountTime(about, &meter, makespan, list, room);
	about->excesses += !isnan(meter.now.start);
}

/* Changes of all servers, by time; to be freed. NULL: no memory. */
static struct hdPredictChange *ofAll(const struct hdPredictChanges *changes)
{
	size_t size = changes->count * sizeof(*changes->list);
	struct hdPredictChange *list = malloc(size + 1);

	if (!list || !size)
		return list;
	memcpy(list, changes->list, size);
	qsort(list, changes->count, sizeof(*list), simPowerByTime);
	return list;
}

int hdP_getPower(const hdPResult *result, int64_t server, double limit,
		 hdPPower *power, hdPExcess *list, size_t room)
{
	const struct hdPredictChanges *changes;

	if (!result || !power || !result->energy || (room && !list) ||
	    server < -1 || server >= (int64_t)result->platform->serverCount ||
	    !(limit >= 0))
		return -EINVAL;
	changes = hdPredictChangesOf(result);
	if (!changes)
		return -ENOMEM;
	*power = (hdPPower){ 0 };
	if (server < 0) {
		struct hdPredictChange *all = ofAll(changes);

		if (!all)
			return -ENOMEM;
		simPowerWatchLimit(result, hdPredictIdleOfAll(result), limit,
				   all, changes->count, power, list, room);
		free(all);
	} else {
		size_t first = changes->first[server];

		simPowerWatchLimit(
			result, hdPredictIdleOf(result, (uint32_t)server),
			limit, changes->list + first,
			changes->first[server + 1] - first, power, list, room);
	}
	return 0;
}
