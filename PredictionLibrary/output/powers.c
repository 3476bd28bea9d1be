/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Power of servers over time, of a predicted project; see project.h. */
#include "config.h"

#include <errno.h>

#include "PredictionLibrary/output/series.h"
#include "PredictionLibrary/simulation/power.h"

/* An entry covers the time before it. */
static int powerWriteWriteServer(const struct hdPredictProject *project,
				 uint32_t server,
				 const struct hdPredictChange *change,
				 size_t count)
{
	const hdPResult *result = project->result;
	double idle = hdPredictIdleOf(result, server), power = 0;
	const double(*in)[2] = result->interval;
	const struct hdPredictAttribute attributes[] = {
		{ "idle", idle },
		{ result->hasInterval ? "timeLow" : NULL, in[0][0] },
		{ "timeHigh", in[0][1] },
		{ "dynamicLow", in[1][0] },
		{ "dynamicHigh", in[1][1] },
		{ "totalLow", in[2][0] },
		{ "totalHigh", in[2][1] },
		{ NULL, 0 },
	};
	const struct hdPredictColumn column = { "P",     DOUBLE,  "W",
						"Power", "gauge", attributes };
	struct hdPredictSeries series =
		hdPredictSeriesBegin(project, server, "Energy", &column, 1);
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

		ret = powerWriteWriteServer(project, s, changes->list + first,
					    changes->first[s + 1] - first);
	}
	return ret;
}
