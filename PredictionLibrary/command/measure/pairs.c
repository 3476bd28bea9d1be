/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which kernels run beside which; see pairs.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "PredictionLibrary/command/measure/pairs.h"
#include "PredictionLibrary/model/resources.h"

/* A task begins or ends. */
struct change {
	double time;
	uint32_t config;
	int64_t server;
	int count; /* 1 or -1; ends are first. */
};

struct pairs {
	const hdPGraph *graph;
	uint32_t kernels;
	double *beside; /* Seconds of a kernel (row) beside one (column). */
	double *busy;   /* Of a kernel. */
	double *config; /* Of a configuration. */
};

/* ---- Models -------------------------------------------------------------- */

static hdPResources *makeResources(const struct plan *plan,
				   const char *architecture)
{
	const hdPGraph *graph = plan->graph;
	hdPResources *resources = hdP_createResources();

	if (resources)
		hdPredictIoFree(resources, architecture);
	for (guint i = 0; resources && i < plan->rows->len; i++) {
		const struct planRow *row =
			&g_array_index(plan->rows, struct planRow, i);
		const struct hdPredictConfig *config =
			&graph->configs[row->config];
		const struct hdPredictKernel *kernel =
			&graph->kernels[config->kernel];
		int64_t entry;

		if (row->load != ROW_ALONE)
			continue;
		entry = hdP_addEntry(resources, kernel->id, architecture,
				     row->seconds, 0, 0, 0);
		hdP_setEntryPes(resources, entry, row->pes);
		for (uint32_t v = 0; entry >= 0 && v < kernel->variableCount;
		     v++)
			hdP_addCondition(resources, entry, kernel->variables[v],
					 graph->values[config->values + v]);
	}
	if (resources && hdP_finishResources(resources, NULL, NULL) == 0)
		return resources;
	hdP_destroyResources(resources);
	return NULL;
}

static hdPPlatform *pairsMakePlatform(int pes, const char *architecture)
{
	hdPPlatform *platform = hdP_createPlatform();
	int64_t node = -1;

	if (platform && hdP_addNodeArchitecture(platform, "node", 0, 0) >= 0)
		node = hdP_addNode(platform, -1, "n0", "node");
	if (node >= 0)
		hdP_addMemory(platform, node, "n0.memory", 1e15);
	for (int i = 0; node >= 0 && i < pes; i++) {
		char *id = g_strdup_printf("n0.%d", i);

		hdP_addPe(platform, node, id, architecture);
		g_free(id);
	}
	if (node >= 0 && hdP_finishPlatform(platform, NULL, NULL) == 0)
		return platform;
	hdP_destroyPlatform(platform);
	return NULL;
}

static void pairsAddMessage(const hdPMessage *message, void *data)
{
	char **wrong = data;

	if (!*wrong && !message->isWarning)
		*wrong = g_strdup_printf(
			"%s%s%s", message->id ? message->id : "",
			message->id ? ": " : "", message->text);
}

/* ---- Overlap ------------------------------------------------------------- */

static int pairsCompareChanges(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->server != y->server)
		return x->server < y->server ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->count - y->count;
}

static GArray *changesOf(const hdPGraph *graph, const hdPPlatform *platform,
			 const hdPResult *result)
{
	GArray *changes = g_array_new(FALSE, FALSE, sizeof(struct change));

	for (uint32_t t = 0; t < graph->taskCount; t++) {
		struct change change = { .config = graph->config[t] };
		hdPTaskTimes times;

		if (hdP_getTaskTimes(result, t, &times) < 0 ||
		    !(times.end > times.start))
			continue;
		change.server = hdP_getPeServer(platform, times.pe);
		change.time = times.start;
		change.count = 1;
		g_array_append_val(changes, change);
		change.time = times.end;
		change.count = -1;
		g_array_append_val(changes, change);
	}
	qsort(changes->data, changes->len, sizeof(struct change),
	      pairsCompareChanges);
	return changes;
}

/* Between two changes of a server so many tasks of each kernel run. */
static void pairsAddTime(struct pairs *self, const int *running, double seconds)
{
	for (uint32_t k = 0; k < self->kernels; k++) {
		if (running[k] == 0)
			continue;
		self->busy[k] += running[k] * seconds;
		for (uint32_t l = 0; l < self->kernels; l++) {
			if (running[l] > (l == k))
				self->beside[(size_t)k * self->kernels + l] +=
					running[k] * seconds;
		}
	}
}

static void addOverlap(struct pairs *self, const GArray *changes)
{
	int *running = g_new0(int, self->kernels);

	for (guint i = 0; i < changes->len; i++) {
		const struct change *now =
			&g_array_index(changes, struct change, i);
		const struct change *next = now + 1;

		running[self->graph->configs[now->config].kernel] += now->count;
		self->config[now->config] -= now->count * now->time;
		if (i + 1 < changes->len && next->server == now->server)
			pairsAddTime(self, running, next->time - now->time);
	}
	g_free(running);
}

/* The configuration of a kernel that takes most time. */
static uint32_t longest(const struct pairs *self, uint32_t kernel)
{
	uint32_t best = 0;
	double most = -1;

	for (uint32_t c = 0; c < self->graph->configCount; c++) {
		if (self->graph->configs[c].kernel == kernel &&
		    self->config[c] > most) {
			most = self->config[c];
			best = c;
		}
	}
	return best;
}

static void addRows(const struct pairs *self, struct plan *plan, int most)
{
	for (uint32_t k = 0; k < self->kernels; k++) {
		for (uint32_t l = 0; l < self->kernels; l++) {
			double beside =
				self->beside[(size_t)k * self->kernels + l];

			if (!(beside > PAIRS_PART * self->busy[k]))
				continue;
			for (int n = 1; n <= most; n++)
				planAddLoaded(plan, longest(self, k),
					      longest(self, l), (uint32_t)n);
		}
	}
}

static void pairsAddPairs(struct plan *plan, const hdPGraph *graph,
			  const hdPPlatform *platform, const hdPResult *result,
			  int most)
{
	struct pairs self = { .graph = graph, .kernels = graph->kernelCount };
	GArray *changes = changesOf(graph, platform, result);

	self.beside = g_new0(double, (gsize)self.kernels *self.kernels);
	self.busy = g_new0(double, self.kernels);
	self.config = g_new0(double, graph->configCount);
	addOverlap(&self, changes);
	addRows(&self, plan, most);
	g_array_unref(changes);
	g_free(self.beside);
	g_free(self.busy);
	g_free(self.config);
}

char *pairsAdd(struct plan *plan, hdPGraph *graph, const hdPPlatform *platform,
	       int pes, const char *architecture)
{
	static const hdPOptions options = { .isWithoutSlowdown = 1 };
	hdPPlatform *own =
		platform ? NULL : pairsMakePlatform(pes, architecture);
	hdPResources *resources = makeResources(plan, architecture);
	hdPResult *result = NULL;
	char *wrong = NULL;
	int ret = -ENOMEM;

	platform = platform ? platform : own;
	if (platform && resources)
		ret = hdP_map(graph, platform, resources, NULL, pairsAddMessage,
			      &wrong);
	if (ret == 0)
		ret = hdP_simulate(graph, platform, resources, &options,
				   &result, pairsAddMessage, &wrong);
	if (ret == 0)
		pairsAddPairs(plan, graph, platform, result, pes - 1);
	else if (!wrong)
		wrong = g_strdup(g_strerror(-ret));
	hdP_destroyResult(result);
	hdP_destroyResources(resources);
	hdP_destroyPlatform(own);
	return wrong;
}
