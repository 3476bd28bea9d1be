/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Power of servers over time, of a predicted project; see project.h. */
#include "config.h"

#include <errno.h>

#include "PredictionLibrary/output/series.h"
#include "PredictionLibrary/simulation/power.h"

static const struct hdPredictColumn columns[] = {
	{ "P", DOUBLE, "W", "Power", "gauge" },
};

/* An entry covers the time before it. */
static int writeServer(const struct hdPredictProject *project, uint32_t server,
		       const struct hdPredictChange *change, size_t count)
{
	const hdPResult *result = project->result;
	struct hdPredictSeries series =
		hdPredictSeriesBegin(project, server, "Energy", columns, 1);
	double idle = hdPredictIdleOf(result, server), power = 0;
	union hdPredictCell cell = { .number = idle };
	size_t running = 0;

	for (size_t i = 0; i < count && series.isGood; i++) {
		hdPredictSeriesWrite(&series, change[i].at, &cell);
		power += change[i].power;
		/* What was added up is gone when nothing runs. */
		running += change[i].power > 0 ? 1 : (size_t)-1;
		if (running == 0)
			power = 0;
		cell.number = idle + power;
	}
	return hdPredictSeriesEnd(&series, result->totals.makespan, &cell);
}

int hdPredictPowers(const struct hdPredictProject *project)
{
	const hdPResult *result = project->result;
	const struct hdPredictChanges *changes = hdPredictChangesOf(result);
	int ret = changes ? 0 : -ENOMEM;

	for (uint32_t s = 0; s < result->platform->serverCount && ret == 0;
	     s++) {
		size_t first = changes->first[s];

		ret = writeServer(project, s, changes->list + first,
				  changes->first[s + 1] - first);
	}
	return ret;
}
