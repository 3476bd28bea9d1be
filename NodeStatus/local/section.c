/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a node says of itself: sections, and what alarms are about. */
#include "config.h"

#include <string.h>

#include "NodeStatus/local/json.h"
#include "NodeStatus/local/machine.h"
#include "NodeStatus/local/node.h"
#include "PowerTracingLibrary/src/core/sysfile.h"
#include "ResourcesUtilizationTracingLibrary/src/core/kernelfile.h"
#include "common/clock.h"

/* ---- Metrics ----------------------------------------------------------- */

struct gathered {
	struct hdNodeLocal *local;
	double errors, use;       /* Of links. */
	double size;              /* Of the file system before. */
	double freePercent, free; /* The least. */
	double gpuUse;            /* Sum, of so many. */
	unsigned int gpus;
};

/* What an interface is; remembered for a while. */
static const struct nodeLink *nodeSectionLinkOf(const struct hdNodeLocal *local,
						const char *name)
{
	struct nodeLink *link = g_hash_table_lookup(local->links, name);

	if (link)
		return link;
	link = g_new(struct nodeLink, 1);
	link->isHardware =
		rutFileExists(local->root, "/sys/class/net/%s/device", name);
	link->bits = nodeLinkSpeed(local->root, name);
	g_hash_table_insert(local->links, g_strdup(name), link);
	return link;
}

static void addErrors(void *context, const char *unit, double value)
{
	struct gathered *all = context;

	if (isfinite(value) && nodeSectionLinkOf(all->local, unit)->isHardware)
		all->errors = (isfinite(all->errors) ? all->errors : 0) + value;
}

static void nodeSectionAddUse(void *context, const char *unit, double value)
{
	struct gathered *all = context;
	int64_t bits = nodeSectionLinkOf(all->local, unit)->bits;
	double use = bits > 0 ? 100 * 8 * value / (double)bits : NAN;

	if (isfinite(use) && !(all->use >= use))
		all->use = use;
}

static void addSize(void *context, const char *unit, double value)
{
	struct gathered *all = context;
	char *name = g_strconcat("STORAGE_FREE_", unit, NULL);
	double left = nodeSampleValue(&all->local->sample, name);

	g_free(name);
	if (!isfinite(left) || !(value > 0))
		return;
	if (!(all->freePercent <= 100 * left / value))
		all->freePercent = 100 * left / value;
	if (!(all->free <= left))
		all->free = left;
}

static void nodeSectionAddGpu(void *context, const char *unit, double value)
{
	struct gathered *all = context;

	(void)unit;
	if (!isfinite(value))
		return;
	all->gpuUse += value;
	all->gpus++;
}

static double nodeSectionPartOf(double value, double whole)
{
	return whole > 0 ? 100 * value / whole : NAN;
}

static void findCpuMetrics(struct hdNodeLocal *local)
{
	const struct nodeSample *sample = &local->sample;
	double *m = local->metrics;

	m[NODE_cpu_idle_percent] = nodeSampleValue(sample, "CPU_STATE_IDLE");
	m[NODE_cpu_iowait_percent] =
		nodeSampleValue(sample, "CPU_STATE_IOWAIT");
	m[NODE_cpu_steal_percent] = nodeSampleValue(sample, "CPU_STATE_STEAL");
	m[NODE_cpu_busy_percent] = nodeSampleValue(sample, "CPU_STATE_USER") +
				   nodeSampleValue(sample, "CPU_STATE_NICE") +
				   nodeSampleValue(sample, "CPU_STATE_SYSTEM");
	m[NODE_load_1] = nodeSampleValue(sample, "LOAD_1");
	m[NODE_foreign_cpus] = local->foreignCpus;
	m[NODE_job_idle_percent] =
		!local->hasLooked ? NAN
		: local->ourCount == 0
			? 0
			: m[NODE_cpu_idle_percent] + m[NODE_cpu_iowait_percent];
	m[NODE_probes_missed_per_s] = local->missedPerS;
}

static void findMemoryMetrics(struct hdNodeLocal *local)
{
	const struct nodeSample *sample = &local->sample;
	double *m = local->metrics;
	double in = nodeSampleValue(sample, "SWAP_IN");
	double out = nodeSampleValue(sample, "SWAP_OUT");
	double used = nodeSampleValue(sample, "SWAP_USED");

	m[NODE_memory_available_bytes] =
		nodeSampleValue(sample, "MEM_AVAILABLE");
	m[NODE_memory_available_percent] =
		nodeSectionPartOf(m[NODE_memory_available_bytes],
				  nodeSampleValue(sample, "MEM_USED") +
					  nodeSampleValue(sample, "MEM_FREE"));
	m[NODE_swap_used_percent] = nodeSectionPartOf(
		used, used + nodeSampleValue(sample, "SWAP_FREE"));
	m[NODE_swap_in_bytes_per_s] = in;
	m[NODE_swap_out_bytes_per_s] = out;
	m[NODE_swap_thrashing_bytes_per_s] =
		isfinite(in) && isfinite(out) ? fmin(in, out) : NAN;
}

void nodeFindMetrics(struct hdNodeLocal *local)
{
	struct gathered all = { local, NAN, NAN, NAN, NAN, NAN, 0, 0 };
	struct nodeHealthNumbers health;
	double *m = local->metrics, joules;

	findCpuMetrics(local);
	findMemoryMetrics(local);
	nodeSampleEach(&local->sample, "NET_ERRORS_IN_", addErrors, &all);
	nodeSampleEach(&local->sample, "NET_ERRORS_OUT_", addErrors, &all);
	nodeSampleEach(&local->sample, "NET_IN_", nodeSectionAddUse, &all);
	nodeSampleEach(&local->sample, "NET_OUT_", nodeSectionAddUse, &all);
	nodeSampleEach(&local->sample, "STORAGE_SIZE_", addSize, &all);
	nodeSampleEach(&local->sample, "GPU_UTIL_", nodeSectionAddGpu, &all);
	m[NODE_link_errors_per_s] = all.errors;
	m[NODE_link_use_percent] = all.use;
	m[NODE_gpu_use_percent] = all.gpus ? all.gpuUse / all.gpus : NAN;
	m[NODE_storage_free_percent] = all.freePercent;
	m[NODE_storage_free_bytes] = all.free;
	m[NODE_power_watts] = nodePowerWatts(local->power, &joules);
	nodeHealthGet(local->health, &health);
	m[NODE_temperature_celsius] = health.hottestCelsius;
	m[NODE_smart_failing] = health.failingDisks;
	m[NODE_memory_corrected_errors] = health.corrected;
	m[NODE_memory_uncorrected_errors] = health.uncorrected;
}

/* ---- Age ----------------------------------------------------------------- */

static double nodeSectionIntervalOf(const struct hdNodeLocal *local)
{
	return local->fixedIntervalS > 0 ? local->fixedIntervalS
					 : local->rules.intervalS;
}

double nodeSampleAge(const struct hdNodeLocal *local)
{
	const struct nodeSample *sample = &local->sample;

	return (double)(hdMonotonicNow() - sample->beganNs) / 1e9;
}

bool nodeSampleIsStale(const struct hdNodeLocal *local)
{
	return nodeIsStale(nodeSampleAge(local), nodeSectionIntervalOf(local));
}

bool nodeMetricIsStale(const struct hdNodeLocal *local, size_t metric)
{
	bool isStale;

	switch (metric) {
	case NODE_temperature_celsius:
	case NODE_smart_failing:
	case NODE_memory_corrected_errors:
	case NODE_memory_uncorrected_errors:
		nodeHealthAge(local->health, &isStale);
		return isStale || nodeSampleIsStale(local);
	default:
		return nodeSampleIsStale(local);
	}
}

void nodeJudge(struct hdNodeLocal *local)
{
	int64_t now = hdMonotonicNow(), wall = hdWallNow();

	for (size_t i = 0; i < local->rules.count; i++)
		nodeAlarmTake(&local->alarms[i], &local->rules.list[i],
			      local->metrics[local->rules.list[i].metric], now,
			      wall);
}

/* ---- Sections ---------------------------------------------------------- */

static const char *const sectionNames[HD_NODE_SECTIONS] = {
	[HD_NODE_CAPABILITIES] = "capabilities",
	[HD_NODE_STATUS] = "status",
	[HD_NODE_HEALTH] = "health",
	[HD_NODE_ALARMS] = "alarms",
	[HD_NODE_PROBES] = "probes",
	[HD_NODE_CONFIG] = "config",
};

const char *hdNodeSectionName(enum hdNodeSection section)
{
	return sectionNames[section];
}

static json_t *uptime(const struct hdNodeLocal *local)
{
	char line[64];

	if (ptSysGetLine(line, sizeof(line), local->root, "/proc/uptime") < 0)
		return json_null();
	return nodeJsonReal(g_ascii_strtod(line, NULL));
}

/* Errors in a second, and how much of the link is used, of each interface. */
static void describeNics(const struct hdNodeLocal *local, json_t *nics)
{
	for (size_t i = 0; i < json_array_size(nics); i++) {
		json_t *nic = json_array_get(nics, i);
		const char *name =
			json_string_value(json_object_get(nic, "name"));
		int64_t bits = nodeSectionLinkOf(local, name ? name : "")->bits;
		const json_t *in = json_object_get(nic, "in_bytes_per_s");
		const json_t *out = json_object_get(nic, "out_bytes_per_s");

		json_object_set_new(
			nic, "use_percent",
			bits > 0 && json_is_number(in) && json_is_number(out)
				? json_real(800 *
					    fmax(json_number_value(in),
						 json_number_value(out)) /
					    (double)bits)
				: json_null());
	}
}

static json_t *makeStatus(struct hdNodeLocal *local)
{
	json_t *status = nodeSampleJson(&local->sample);
	json_t *cpu = json_object_get(status, "cpu");
	struct hdSamplerCounts counts = { 0 };

	/* There is none while its interval changes. */
	if (local->sampler)
		hdSamplerGetCounts(local->sampler, &counts);
	json_object_set_new(status, "uptime_s", uptime(local));
	json_object_set_new(cpu, "busy_cpus",
			    nodeJsonReal(local->metrics[NODE_cpu_busy_percent] *
					 local->cpus / 100));
	json_object_set_new(cpu, "foreign_cpus",
			    nodeJsonReal(local->foreignCpus));
	json_object_set_new(cpu, "foreign_of_s",
			    nodeJsonReal(local->foreignOfS));
	json_object_set_new(cpu, "job_processes",
			    local->hasLooked
				    ? json_integer((json_int_t)local->ourCount)
				    : json_null());
	describeNics(local, json_object_get(status, "nics"));
	json_object_set_new(status, "power", nodePowerJson(local->power));
	json_object_set_new(status, "probes_missed_per_s",
			    nodeJsonReal(local->missedPerS));
	json_object_set_new(status, "age_s",
			    local->sample.endedNs
				    ? nodeJsonReal(nodeSampleAge(local))
				    : json_null());
	json_object_set_new(status, "stale",
			    json_boolean(nodeSampleIsStale(local)));
	json_object_set_new(status, "sampler",
			    json_pack("{sI sI sf so}", "samples",
				      (json_int_t)counts.samples, "late",
				      (json_int_t)counts.late, "cpu_s",
				      (double)counts.cpuNs / 1e9, "waits_for",
				      nodeJsonText(atomic_load(
					      &local->sample.used.reading))));
	return status;
}

static json_t *makeAlarms(const struct hdNodeLocal *local)
{
	json_t *list = json_array();

	for (size_t i = 0; i < local->rules.count; i++) {
		const struct nodeRule *rule = &local->rules.list[i];
		const struct nodeAlarm *alarm = &local->alarms[i];
		bool isStale = nodeMetricIsStale(local, rule->metric);

		json_array_append_new(
			list,
			json_pack("{ss ss ss so ss sf so}", "name", rule->name,
				  "state",
				  nodeAlarmWord(isStale ? NODE_ALARM_UNKNOWN
							: alarm->state),
				  "metric", nodeMetrics[rule->metric].name,
				  "value",
				  nodeJsonReal(isStale ? NAN : alarm->value),
				  "comparator", nodeRuleComparator(rule),
				  "threshold", rule->threshold, "since_s",
				  nodeJsonReal((double)alarm->changeNs / 1e9)));
	}
	return list;
}

static json_t *makeConfig(const struct hdNodeLocal *local)
{
	json_t *rules = json_array();

	for (size_t i = 0; i < local->rules.count; i++) {
		const struct nodeRule *rule = &local->rules.list[i];

		json_array_append_new(
			rules,
			json_pack("{ss ss ss ss sf sf sf}", "name", rule->name,
				  "metric", nodeMetrics[rule->metric].name,
				  "prometheus",
				  nodeMetrics[rule->metric].prometheus,
				  "comparator", nodeRuleComparator(rule),
				  "threshold", rule->threshold, "hold_s",
				  rule->holdS, "hysteresis", rule->hysteresis));
	}
	return json_pack("{so sf sf so}", "ini", nodeJsonText(local->rules.ini),
			 "interval_s",
			 local->fixedIntervalS > 0 ? local->fixedIntervalS
						   : local->rules.intervalS,
			 "health_interval_s", local->rules.healthIntervalS,
			 "rules", rules);
}

json_t *hdNodeLocalSection(struct hdNodeLocal *local,
			   enum hdNodeSection section)
{
	json_t *result = NULL;

	if (section == HD_NODE_PROBES)
		return hdNodeLocalProbes(local, false);
	if (section == HD_NODE_HEALTH)
		return nodeHealthJson(local->health);
	pthread_mutex_lock(&local->mutex);
	if (section == HD_NODE_CAPABILITIES)
		result = json_deep_copy(local->capabilities);
	else if (section == HD_NODE_STATUS)
		result = makeStatus(local);
	else if (section == HD_NODE_ALARMS)
		result = makeAlarms(local);
	else if (section == HD_NODE_CONFIG)
		result = makeConfig(local);
	pthread_mutex_unlock(&local->mutex);
	return result;
}
