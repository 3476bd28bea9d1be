/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Phases of a load; see core/levels.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "LoadLevels/core/levels.h"

int hdLevelPhasesAdd(struct hdLevelPhases *phases, int64_t lengthNs,
		     double target, bool isCalibration, bool isPause)
{
	int64_t start =
		phases->count ? phases->list[phases->count - 1].endNs : 0;
	struct hdLevelPhase *list = realloc(
		phases->list, (phases->count + 1) * sizeof(*phases->list));

	if (!list)
		return -ENOMEM;
	phases->list = list;
	list[phases->count++] = (struct hdLevelPhase){
		.startNs = start,
		.endNs = start + lengthNs,
		.target = target,
		.isCalibration = isCalibration,
		.isPause = isPause,
	};
	return 0;
}

void hdLevelPhasesClear(struct hdLevelPhases *phases)
{
	free(phases->list);
	*phases = (struct hdLevelPhases){ .count = 0 };
}
