/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Power of servers over time, of a predicted project; see project.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include <hdStats.h>
#include "PredictionLibrary/output/project.h"
#include "PredictionLibrary/simulation/power.h"

#define FLUSH 500

static int byServer(const void *a, const void *b)
{
	const struct hdPredictChange *x = a, *y = b;

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
		       const struct hdPredictChange *change, size_t count)
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
	struct hdPredictChanges changes = { 0 };
	size_t from = 0;
	int ret = 0;

	ret = hdPredictChangesOf(result, &changes);
	if (ret < 0)
		return ret;
	if (changes.count)
		qsort(changes.list, changes.count,
		      sizeof(struct hdPredictChange), byServer);
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
