/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Power models of hosts; see nodepower.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "PredictionLibrary/command/errors.h"
#include "PredictionLibrary/command/nodepower.h"

struct nodePowerFile {
	struct predict *predict;
	const char *path;
};

static void nodePowerTakeError(void *context, long line, const char *text)
{
	const struct nodePowerFile *file = context;

	predictError(file->predict, "%s:%ld: %s", file->path, line, text);
}

int nodePowerRead(struct predict *predict, const char *path,
		  struct hdPowerModel *model)
{
	struct nodePowerFile file = { predict, path };
	int ret = hdPowerModelRead(path, nodePowerTakeError, &file, model);

	if (ret < 0 && ret != -EINVAL)
		return predictErrorRead(predict, path, ret);
	return ret < 0 ? PREDICT_FAILED : PREDICT_OK;
}

double nodePowerPeak(const struct hdPowerModel *model)
{
	double peak = nodePowerCpu(model, 1, 1);

	for (size_t i = 0; i < model->count; i++) {
		const struct hdPowerComponent *part = &model->components[i];

		if (strncmp(part->name, "cpu", 3) != 0)
			peak += fmax(0, hdPowerComponentWatts(part, 100));
	}
	return peak;
}

double nodePowerCpu(const struct hdPowerModel *model, double load, double clock)
{
	const struct hdPowerComponent *cpu = hdPowerModelCpu(model);
	double factor =
		cpu && cpu->clockMhz > 0 ? pow(clock, cpu->clockExponent) : 1;

	return cpu ? model->idle + factor * fmax(0, hdPowerComponentWatts(
							    cpu, 100 * load))
		   : model->idle;
}
