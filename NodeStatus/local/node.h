/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What is behind struct hdNodeLocal, for the files that are it.
 */
#ifndef HD_NODE_NODE_H
#define HD_NODE_NODE_H

#include <math.h>
#include <pthread.h>

#include "NodeStatus/local/alarms.h"
#include "NodeStatus/local/core/health.h"
#include "NodeStatus/local/core/local.h"
#include "NodeStatus/local/power.h"
#include "NodeStatus/local/processes.h"
#include "NodeStatus/local/sample.h"
#include "common/sampler.h"

struct hdNodeLocal {
	char *name, *root;
	double cpus;
	double fixedIntervalS; /**< 0: as configured. */
	json_t *capabilities;
	uint64_t steps; /**< Of the sampler, in a sample. */
	uint64_t lastNumber;
	struct nodeHealth *health;
	struct nodePower *power;
	struct nodeWatch *watch;
	/** Of its thread alone. */
	struct nodeProcesses *processes;
	/** Held to change the configuration; before the other one. */
	pthread_mutex_t configMutex;
	pthread_mutex_t mutex;     /**< For all below. */
	struct hdSampler *sampler; /**< NULL while its interval changes. */
	struct nodeSample sample;  /**< Its thread reads without it. */
	struct nodeRules rules;
	struct nodeAlarm *alarms; /**< One for each rule. */
	double metrics[NODE_METRIC_COUNT];
	double sinceProcessesS; /**< Since processes were looked at. */
	double processesS;      /**< How long until the next time. */
	bool hasLooked;
	double busyS; /**< CPU time used since processes were looked at. */
	double foreignCpus, foreignOfS;
	size_t ourCount;   /**< Processes that are ours. */
	GHashTable *links; /**< struct nodeLink by name, looked up lately. */
	pid_t *probed;     /**< Processes with probes. */
	size_t probedCount;
	double missedPerS;
};

/** What is known of an interface. */
struct nodeLink {
	bool isHardware;
	int64_t bits; /**< In a second; -1: not known. */
};

/** How old something may be in intervals, but at least a second, before it is
 *  stale: then it says nothing of now. */
#define NODE_STALE_INTERVALS 3

/** Whether something of an age is stale; NaN, not known, is not. */
static inline bool nodeIsStale(double ageS, double intervalS)
{
	return ageS > fmax(NODE_STALE_INTERVALS * intervalS, 1);
}

/** Get the age of the last sample in seconds, or, before the first one, since
 *  when it is waited for; with the mutex. */
double nodeSampleAge(const struct hdNodeLocal *local);

/** Whether it is stale; with the mutex. */
bool nodeSampleIsStale(const struct hdNodeLocal *local);

/** Whether the value of a metric is of a sample, or of the health, that is
 * stale; with the mutex. */
bool nodeMetricIsStale(const struct hdNodeLocal *local, size_t metric);

/** Find the values of all metrics; with the mutex. */
void nodeFindMetrics(struct hdNodeLocal *local);

/** Let all alarms take the values that there are; with the mutex. */
void nodeJudge(struct hdNodeLocal *local);

#endif
