/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a node says of itself: the thread that looks; see local.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "NodeStatus/local/node.h"
#include "NodeStatus/local/machine.h"
#include "NodeStatus/local/smart.h"
#include "NodeStatus/local/watch.h"
#include "common/clock.h"

/* Samples are no longer than this, for counters of 32 bit may wrap. */
#define FOLLOW_S 1.0
/* ---- Samples ----------------------------------------------------------- */

/* CPU time that was used in the interval that has ended. */
static void addBusy(struct hdNodeLocal *local)
{
	double percent = nodeSampleValue(&local->sample, "CPU_STATE_USER") +
			 nodeSampleValue(&local->sample, "CPU_STATE_NICE") +
			 nodeSampleValue(&local->sample, "CPU_STATE_SYSTEM");

	if (isfinite(percent))
		local->busyS +=
			percent / 100 * local->cpus * local->sample.lengthS;
	local->sinceProcessesS += local->sample.lengthS;
}

static int64_t cpusOf(const json_t *capabilities)
{
	json_int_t cpus =
		json_integer_value(json_object_get(capabilities, "cpus"));

	return cpus > 0 ? cpus : 1;
}

static json_t *nodeLocalDescribe(const struct hdNodeLocal *local)
{
	json_t *capabilities = nodeMachineRead(local->name, local->root);

	json_object_set_new(capabilities, "gpus",
			    nodeSampleGpus(&local->sample));
	return capabilities;
}

/* A unit has come or gone, a link is up, a driver is loaded: what the node is
 * has changed. */
static void readCapabilities(struct hdNodeLocal *local)
{
	json_t *capabilities;

	capabilities = nodeLocalDescribe(local);
	pthread_mutex_lock(&local->mutex);
	json_decref(local->capabilities);
	local->capabilities = capabilities;
	local->cpus = (double)cpusOf(capabilities);
	g_hash_table_remove_all(local->links);
	pthread_mutex_unlock(&local->mutex);
}

static void nodeLocalBeginThread(void *context)
{
	(void)context;
}

static void nodeLocalTakeSample(void *context, uint64_t number, bool isLast)
{
	struct hdNodeLocal *local = context;
	bool isNew, isDue;

	if (isLast)
		return;
	if (number / local->steps == local->lastNumber) {
		nodeSampleFollow(&local->sample);
		return;
	}
	local->lastNumber = number / local->steps;
	/* It may take long, and nobody who asks is to wait for that. */
	nodeSampleRead(&local->sample);
	pthread_mutex_lock(&local->mutex);
	isNew = nodeSampleTake(&local->sample);
	addBusy(local);
	isDue = local->sinceProcessesS >= local->processesS;
	pthread_mutex_unlock(&local->mutex);
	if (isNew)
		readCapabilities(local);
	if (isDue)
		nodeWatchLook(local->watch);
	pthread_mutex_lock(&local->mutex);
	nodeFindMetrics(local);
	nodeJudge(local);
	pthread_mutex_unlock(&local->mutex);
}

static const struct hdSamplerCalls samplerCalls = { nodeLocalBeginThread,
						    nodeLocalTakeSample };

/* ---- Configuration ----------------------------------------------------- */

static int nodeLocalStartSampler(struct hdNodeLocal *local, double intervalS)
{
	struct hdSampler *sampler;
	uint64_t steps = 1;
	int ret;

	while (intervalS / (double)steps > FOLLOW_S)
		steps++;
	local->steps = steps;
	local->lastNumber = 0;
	ret = hdSamplerCreate((int64_t)(intervalS * 1e9 / (double)steps),
			      &samplerCalls, local, &sampler);
	if (ret < 0)
		return ret;
	pthread_mutex_lock(&local->mutex);
	local->sampler = sampler;
	pthread_mutex_unlock(&local->mutex);
	hdSamplerStart(sampler);
	return 0;
}

static bool nodeLocalIsSame(const struct nodeRule *a, const struct nodeRule *b)
{
	return strcmp(a->name, b->name) == 0 && a->metric == b->metric &&
	       a->isAbove == b->isAbove && a->threshold == b->threshold &&
	       a->hysteresis == b->hysteresis && a->holdS == b->holdS;
}

/* Alarms of rules that stay as they were go on. */
static void takeRules(struct hdNodeLocal *local, struct nodeRules *rules)
{
	struct nodeAlarm *alarms = g_new0(struct nodeAlarm, rules->count + 1);

	for (size_t i = 0; i < rules->count; i++) {
		alarms[i].state = NODE_ALARM_UNKNOWN;
		alarms[i].value = NAN;
		for (size_t k = 0; k < local->rules.count; k++)
			if (nodeLocalIsSame(&rules->list[i],
					    &local->rules.list[k]))
				alarms[i] = local->alarms[k];
	}
	nodeRulesClear(&local->rules);
	g_free(local->alarms);
	local->rules = *rules;
	local->alarms = alarms;
	nodeJudge(local);
}

static double nodeLocalIntervalOf(const struct hdNodeLocal *local,
				  const struct nodeRules *rules)
{
	return local->fixedIntervalS > 0 ? local->fixedIntervalS
					 : rules->intervalS;
}

int hdNodeLocalConfigure(struct hdNodeLocal *local, const char *ini,
			 size_t length, char **error)
{
	struct nodeRules rules;
	int ret = nodeRulesParse(ini, length, &rules, error);
	struct hdSampler *sampler;
	double before, after, health;

	if (ret < 0)
		return ret;
	pthread_mutex_lock(&local->configMutex);
	pthread_mutex_lock(&local->mutex);
	before = nodeLocalIntervalOf(local, &local->rules);
	health = local->rules.healthIntervalS;
	takeRules(local, &rules);
	after = nodeLocalIntervalOf(local, &local->rules);
	pthread_mutex_unlock(&local->mutex);
	if (local->rules.healthIntervalS != health)
		nodeHealthSetInterval(
			local->health,
			(int64_t)(local->rules.healthIntervalS * 1e9));
	if (before != after) {
		pthread_mutex_lock(&local->mutex);
		sampler = local->sampler;
		local->sampler = NULL;
		pthread_mutex_unlock(&local->mutex);
		/* It may be waiting for the mutex, or for a disk. */
		hdSamplerDestroy(sampler);
		ret = nodeLocalStartSampler(local, after);
	}
	pthread_mutex_unlock(&local->configMutex);
	return ret;
}

/* ---- Begin and end ----------------------------------------------------- */

static void sayErrors(const struct hdNodeSetup *setup, const char *errors)
{
	const char *file = setup->file ? setup->file : "configuration";
	const struct hdLogger *logger = setup->logger;
	char **lines = g_strsplit(errors, "\n", -1);

	for (size_t i = 0; logger && lines[i]; i++)
		if (*lines[i])
			hdLog(logger, HD_LOG_ERROR, "%s:%s", file, lines[i]);
	g_strfreev(lines);
}

static struct hdNodeLocal *nodeLocalCreate(const struct hdNodeSetup *setup,
					   struct nodeRules *rules)
{
	struct hdNodeLocal *local = g_new0(struct hdNodeLocal, 1);
	const char *root = setup->root ? setup->root : "";

	local->name = g_strdup(setup->name ? setup->name : g_get_host_name());
	local->root = g_strdup(root);
	local->fixedIntervalS = (double)setup->intervalNs / 1e9;
	nodeSampleBegin(&local->sample, root);
	local->capabilities = nodeLocalDescribe(local);
	local->cpus = (double)cpusOf(local->capabilities);
	local->processes = nodeProcessesCreate(root);
	local->links =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	local->foreignCpus = local->missedPerS = NAN;
	for (size_t i = 0; i < NODE_METRIC_COUNT; i++)
		local->metrics[i] = NAN;
	pthread_mutex_init(&local->mutex, NULL);
	pthread_mutex_init(&local->configMutex, NULL);
	takeRules(local, rules);
	local->power = nodePowerStart(local->name, root, setup->power);
	return local;
}

int hdNodeLocalStart(const struct hdNodeSetup *setup,
		     struct hdNodeLocal **result)
{
	const char *ini = setup->ini ? setup->ini : nodeRulesBuiltIn;
	struct hdNodeLocal *local;
	struct nodeRules rules;
	char *error;
	int ret = nodeRulesParse(ini, strlen(ini), &rules, &error);

	if (ret < 0) {
		if (error)
			sayErrors(setup, error);
		free(error);
		return ret;
	}
	local = nodeLocalCreate(setup, &rules);
	ret = nodeHealthStart(local->root, setup->smartctl,
			      (int64_t)(local->rules.healthIntervalS * 1e9),
			      NODE_SMART_LIMIT_NS, &local->health);
	if (ret == 0)
		ret = nodeWatchStart(local, &local->watch);
	if (ret == 0)
		ret = nodeLocalStartSampler(
			local, nodeLocalIntervalOf(local, &local->rules));
	if (ret < 0) {
		hdNodeLocalStop(local);
		return ret;
	}
	*result = local;
	return 0;
}

void hdNodeLocalStop(struct hdNodeLocal *local)
{
	if (!local)
		return;
	hdSamplerDestroy(local->sampler);
	nodeWatchStop(local->watch);
	nodeHealthStop(local->health);
	nodePowerStop(local->power);
	nodeSampleEnd(&local->sample);
	nodeProcessesFree(local->processes);
	g_hash_table_unref(local->links);
	nodeRulesClear(&local->rules);
	pthread_mutex_destroy(&local->mutex);
	pthread_mutex_destroy(&local->configMutex);
	json_decref(local->capabilities);
	free(local->probed);
	g_free(local->alarms);
	g_free(local->name);
	g_free(local->root);
	g_free(local);
}

/* ---- Probes ------------------------------------------------------------ */

void hdNodeLocalAskProbes(struct hdNodeLocal *local, bool isReset,
			  hdNodeProbesDone *done, void *context)
{
	nodeWatchAsk(local->watch, isReset, done, context);
}

/* Somebody who waits for probes. */
struct waiting {
	pthread_mutex_t mutex;
	pthread_cond_t done;
	bool isDone;
	json_t *probes;
};

static void probesDone(void *context, json_t *probes)
{
	struct waiting *waiting = context;

	/* Others may have a reference, and give it back in their threads. */
	json_t *own = json_deep_copy(probes);

	json_decref(probes);
	pthread_mutex_lock(&waiting->mutex);
	waiting->probes = own;
	waiting->isDone = true;
	pthread_cond_signal(&waiting->done);
	pthread_mutex_unlock(&waiting->mutex);
}

json_t *hdNodeLocalProbes(struct hdNodeLocal *local, bool isReset)
{
	struct waiting waiting = { .mutex = PTHREAD_MUTEX_INITIALIZER,
				   .done = PTHREAD_COND_INITIALIZER };

	nodeWatchAsk(local->watch, isReset, probesDone, &waiting);
	pthread_mutex_lock(&waiting.mutex);
	while (!waiting.isDone)
		pthread_cond_wait(&waiting.done, &waiting.mutex);
	pthread_mutex_unlock(&waiting.mutex);
	return waiting.probes;
}
