/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is predicted of a point of a sweep; see point.h. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "PredictionLibrary/command/limits.h"
#include "PredictionLibrary/command/mapchoice.h"
#include "PredictionLibrary/command/sweep/point.h"
#include "cli/errors.h"

/* Models of a point, and the first error. */
struct point {
	hdPGraph *graph;
	hdPPlatform *platform;
	hdPResources *resources;
	char *wrong;
};

/* Keep the first error. */
static void sweepPointKeepError(const hdPMessage *message, void *data)
{
	struct point *self = data;

	if (message->isWarning || self->wrong)
		return;
	self->wrong = message->id ? g_strdup_printf("%s: %s", message->id,
						    message->text)
				  : g_strdup(message->text);
}

/* A platform that is generated is read from memory: nothing is left of it if
 * the sweep is killed. */
static int sweepPointMakePlatform(struct point *self,
				  const struct topology *topology)
{
	GString *text = topologyXml(topology);
	int fd = memfd_create("platform", MFD_CLOEXEC), ret = 0;
	char path[48];
	size_t done = 0;

	if (fd < 0)
		ret = -errno;
	while (ret == 0 && done < text->len) {
		ssize_t n = write(fd, text->str + done, text->len - done);

		if (n < 0)
			ret = -errno;
		else
			done += (size_t)n;
	}
	g_snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (ret == 0)
		ret = hdP_readPlatform(path, &self->platform,
				       sweepPointKeepError, self);
	if (fd >= 0)
		close(fd);
	g_string_free(text, TRUE);
	return ret;
}

/* Whether it is the model that cannot be predicted. */
static bool isOfModel(int ret)
{
	return ret == -EINVAL || ret == -EDEADLK || ret == -ENOSPC ||
	       ret == -ERANGE || ret == -EBADMSG;
}

/* What cannot be read is named. */
static int sweepPointReportFile(struct point *self, const char *path, int ret)
{
	if (ret < 0 && !isOfModel(ret) && !self->wrong)
		self->wrong = g_strdup_printf(CLI_TEXT_OPEN, path,
					      cliErrorReason(ret));
	return ret;
}

/* Only a part of the nodes is used. */
static int sweepPointSelect(struct point *self, const char *nodes)
{
	int64_t found = hdP_selectServers(self->platform, nodes);

	if (found == 0)
		self->wrong =
			g_strdup_printf(MAP_CHOICE_NO_NODES, "nodes", nodes,
					hdP_getServerCount(self->platform));
	return found > 0 ? 0 : found < 0 ? (int)found : -EINVAL;
}

static int makeModels(struct point *self, const struct setting *setting)
{
	int ret = setting->graph
			  ? sweepPointReportFile(
				    self, setting->graph,
				    hdP_readGraph(setting->graph, &self->graph,
						  sweepPointKeepError, self))
			  : generationMake(&setting->generation, &self->graph);

	if (ret == 0)
		ret = setting->platform
			      ? sweepPointReportFile(
					self, setting->platform,
					hdP_readPlatform(setting->platform,
							 &self->platform,
							 sweepPointKeepError,
							 self))
			      : sweepPointMakePlatform(self,
						       &setting->topology);
	if (ret == 0)
		ret = sweepPointReportFile(
			self, setting->resources,
			hdP_readResources(setting->resources, &self->resources,
					  sweepPointKeepError, self));
	if (ret == 0)
		ret = hdP_scaleResources(self->resources, 1 / setting->clock,
					 setting->energy);
	if (ret == 0)
		ret = hdP_scaleLinks(self->platform, 1 / setting->links, 1);
	if (ret == 0 && setting->platform && setting->nodes)
		ret = sweepPointSelect(self, setting->nodes);
	return ret;
}

static void setTotals(const hdPTotals *totals, double *values)
{
	double dynamic = totals->computation + totals->communication;

	values[POINT_TASKS] = (double)totals->tasks;
	values[POINT_TIME] = totals->makespan;
	values[POINT_TOTAL] = dynamic + totals->idle;
	values[POINT_DYNAMIC] = dynamic;
	values[POINT_COMPUTATION] = totals->computation;
	values[POINT_COMMUNICATION] = totals->communication;
	values[POINT_IDLE] = totals->idle;
	values[POINT_MESSAGES] = (double)totals->messages;
	values[POINT_BYTES] = totals->bytes;
}

/* Of the samples, where all but the lowest and highest 5 % are. */
static void setSpread(const hdPTotals *totals, size_t count, double *values)
{
	static const double parts[] = { 0.05, 0.95 };
	double *list = g_new(double, count);
	hdPSpread spread;

	for (int i = 0; i < 2; i++) {
		for (size_t k = 0; k < count; k++)
			list[k] = i == 0 ? totals[k].makespan
					 : totals[k].computation +
						   totals[k].communication +
						   totals[k].idle;
		hdP_spread(
			list, count, parts, 2, &spread,
			values + (i == 0 ? POINT_TIME_LOW : POINT_ENERGY_LOW));
	}
	g_free(list);
}

/* That a mapping is ignored is said once, for all points. */
static int sweepPointMap(struct point *self, const struct setting *setting,
			 const hdPOptions *options)
{
	static gint isSaid;
	hdPMapping mapping = setting->mapping;
	int64_t mapped = hdP_getMappedCount(self->graph);

	if (setting->map == 0)
		return 0;
	mapping.simulation = *options;
	if (setting->ignoresMap && mapped &&
	    g_atomic_int_compare_and_exchange(&isSaid, 0, 1))
		outSay(stderr, "hdpredict sweep: " MAP_CHOICE_IGNORED, mapped,
		       mapped == 1 ? "" : "s");
	return hdP_mapAs(self->graph, self->platform, self->resources, &mapping,
			 sweepPointKeepError, self);
}

static int simulate(struct point *self, const struct setting *setting,
		    const struct sampling *sampling, double *values)
{
	hdPOptions options = {
		.isWithoutSlowdown = !setting->slowdown,
		.sharing = setting->comm ? HDP_SHARE : HDP_EXCLUSIVE,
		.isWithoutUnused = setting->off,
		.seed = sampling->seed,
	};
	hdPResult *result = NULL;
	hdPTotals *samples, totals;
	int ret = sweepPointMap(self, setting, &options);

	options.recordsTransfers = true;
	if (ret == 0)
		ret = hdP_simulate(self->graph, self->platform, self->resources,
				   &options, &result, sweepPointKeepError,
				   self);
	if (ret < 0)
		return ret;
	hdP_getTotals(result, &totals);
	setTotals(&totals, values);
	values[POINT_PEAK] = limitsPeak(result);
	values[POINT_MEMORY] = limitsMemory(result);
	values[POINT_PENDING] = (double)totals.pendingMax;
	values[POINT_ASSUMED] = hdP_isIdlePowerAssumed(self->platform);
	hdP_destroyResult(result);
	if (!sampling->count)
		return 0;
	samples = g_new(hdPTotals, sampling->count);
	ret = hdP_sample(self->graph, self->platform, self->resources, &options,
			 sampling->count, 1, samples, sweepPointKeepError,
			 self);
	if (ret == 0)
		setSpread(samples, sampling->count, values);
	g_free(samples);
	return ret;
}

int pointRun(const struct setting *setting, const struct sampling *sampling,
	     double values[POINT_VALUES], char **wrong)
{
	struct point self = { NULL, NULL, NULL, NULL };
	int ret;

	for (int i = 0; i < POINT_VALUES; i++)
		values[i] = NAN;
	if (setting->run)
		return replayPointRun(setting, values, wrong);
	ret = makeModels(&self, setting);
	if (ret == 0)
		ret = simulate(&self, setting, sampling, values);
	for (int i = 0; ret < 0 && i < POINT_VALUES; i++)
		values[i] = NAN;
	hdP_destroyGraph(self.graph);
	hdP_destroyPlatform(self.platform);
	hdP_destroyResources(self.resources);
	if (!self.wrong && isOfModel(ret))
		self.wrong = g_strdup("invalid model");
	if (ret < 0)
		*wrong = g_steal_pointer(&self.wrong);
	g_free(self.wrong);
	return isOfModel(ret) ? 0 : ret;
}
