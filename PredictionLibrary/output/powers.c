/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Power of servers over time, of a predicted project; see project.h.
 *
 * Idle power, and the energy of each task spread over its run by the profile of
 * its kernel, and of packets over their messages. What takes no time has no
 * power.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include <hdStats.h>
#include "PredictionLibrary/mapping/routes.h"
#include "PredictionLibrary/output/project.h"

#define FLUSH 500

/* The power of a server changes. */
struct change {
	double at;
	double power;
	uint32_t server;
};

struct changes {
	struct change *list;
	size_t count, room;
	bool isShort; /* Of memory. */
};

static void add(struct changes *changes, uint32_t server, double from,
		double until, double energy)
{
	double power = energy / (until - from);

	if (!(until > from) || energy == 0)
		return;
	for (int i = 0; i < 2; i++) {
		if (hdPredictGrow(&changes->list, changes->count,
				  &changes->room, sizeof(struct change)) < 0) {
			changes->isShort = true;
			return;
		}
		changes->list[changes->count++] =
			(struct change){ i ? until : from, i ? -power : power,
					 server };
	}
}

static void addTask(const hdPResult *result, struct changes *changes,
		    uint32_t task)
{
	const struct hdPredictKernel *kernel =
		hdPredictKernelOf(result->graph, task);
	uint32_t server = result->platform->pes[result->pe[task]].server;
	double start = result->start[task];
	double length = result->end[task] - start, sum = 0, from = 0;

	if (!kernel->phaseCount) {
		add(changes, server, start, result->end[task],
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

		add(changes, server, start + from * length,
		    start + phase->until * length,
		    result->energy[task] * (phase->until - from) *
			    phase->weight / sum);
		from = phase->until;
	}
}

static void addTransfer(const struct hdPredictProject *project,
			struct changes *changes, size_t number)
{
	const hdPResult *result = project->result;
	const struct hdPredictTransfer *transfer = &result->transfers[number];
	const uint32_t *edges;
	hdPTransfer about;
	int count = hdPredictRoute(project->routes, transfer->source,
				   transfer->destination, &edges);

	hdP_getTransfer(result, (int64_t)number, &about);
	for (int i = 0; i < count; i++) {
		const struct hdPredictEdgeOf *edge =
			&result->platform->edges[edges[i]];
		uint32_t server =
			hdPredictBridgeServer(result->platform, edges[i]);

		if (server != HD_PREDICT_NONE)
			add(changes, server, transfer->start, transfer->end,
			    hdPredictPackets(edge, about.bytes) * edge->energy *
				    1e-9);
	}
}

static int byServer(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->server != y->server)
		return x->server < y->server ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->power > y->power) - (x->power < y->power);
}

static bool writeEntry(hdStatsGroup *group, double at, double power,
		       uint32_t *count)
{
	struct timespec when = hdPredictTime(at);

	return hdS_setEntryTime(group, &when) == 0 &&
	       hdS_writeDoubleValue(group, power) == 0 &&
	       (++*count % FLUSH || hdS_flush(group) == 0);
}

static hdStatsGroup *create(const struct hdPredictProject *project,
			    uint32_t server)
{
	hdTopoNode *node = hdPredictTopoNode(project, server, HD_PREDICT_NONE);
	hdStatsGroup *group = node ? hdS_createGroup("Energy", node, 1) : NULL;
	struct timespec start = hdPredictTime(0);

	if (node)
		hdT_destroyTopoNode(node);
	if (!group)
		return NULL;
	if (hdS_addValue(group, "P", DOUBLE, "W", "Power") == 0 &&
	    hdS_addAttribute(group, "kind", "gauge") == 0 &&
	    hdS_addAttribute(group, "written", "change") == 0 &&
	    hdS_addAttribute(group, "source", "hdpredict") == 0 &&
	    hdS_addAttribute(group, "simulated", "yes") == 0 &&
	    hdS_commitGroup(group) == 0 &&
	    hdS_enableGroupAt(group, &start) >= 0)
		return group;
	hdS_finalize(group);
	return NULL;
}

/* An entry covers the time before it; times in files are whole ns. */
static int writeServer(const struct hdPredictProject *project, uint32_t server,
		       const struct change *change, size_t count)
{
	const hdPResult *result = project->result;
	hdStatsGroup *group = create(project, server);
	double idle = result->platform->servers[server].idlePower;
	double power = 0, last = 0, makespan = result->totals.makespan;
	hdLosses losses = { 0, 0 };
	uint32_t written = 0;
	bool isGood = group != NULL;
	size_t running = 0;

	if (!group)
		return -EIO;
	for (size_t i = 0; i < count && isGood; i++) {
		if (change[i].at - last > 1e-9) {
			isGood = writeEntry(group, change[i].at, idle + power,
					    &written);
			last = change[i].at;
		}
		power += change[i].power;
		/* What was added up is gone when nothing runs. */
		running += change[i].power > 0 ? 1 : (size_t)-1;
		if (running == 0)
			power = 0;
	}
	if (isGood && makespan > last)
		isGood = writeEntry(group, makespan, idle + power, &written);
	if (isGood)
		isGood = hdS_flush(group) == 0 &&
			 hdS_getLosses(group, &losses) == 0;
	return hdS_finalize(group) != 0 || !isGood || losses.records ? -EIO : 0;
}

int hdPredictPowers(const struct hdPredictProject *project)
{
	const hdPResult *result = project->result;
	struct changes changes = { 0 };
	size_t from = 0;
	int ret = 0;

	for (uint32_t t = 0; t < result->graph->taskCount; t++)
		addTask(result, &changes, t);
	for (size_t i = 0; i < result->transferCount; i++)
		addTransfer(project, &changes, i);
	if (changes.isShort) {
		free(changes.list);
		return -ENOMEM;
	}
	if (changes.count)
		qsort(changes.list, changes.count, sizeof(struct change),
		      byServer);
	for (uint32_t s = 0; s < result->platform->serverCount && ret == 0;
	     s++) {
		size_t until = from;

		while (until < changes.count && changes.list[until].server == s)
			until++;
		ret = writeServer(project, s, changes.list + from,
				  until - from);
		from = until;
	}
	free(changes.list);
	return ret;
}
