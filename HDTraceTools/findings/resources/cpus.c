/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Findings of CPUs that are too few: for the threads of the run, or because
 * other programs use them.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "HDTraceTools/findings/findings.h"
#include "HDTraceTools/model/mpi/roles.h"
#include "common/format/level.h"

/** The CPUs of a host are busy if they are for so many percent of the time. */
#define RESOURCES_BUSY 90
/** So much of the time of all CPUs matters. */
#define RESOURCES_LEAST 0.05

/** A host. */
struct resourcesHost {
	const hdINode *node;
	uint64_t cpus; /**< 0: not known. */
	double busy;   /**< Of all CPUs, in percent; NaN: not known. */
	double stolen; /**< By other virtual machines, likewise. */
	uint64_t traces;
	uint64_t timed; /**< Traces whose CPU time is known. */
	int64_t active; /**< Time of all traces ... */
	int64_t cpu;    /**< ... and CPU time of those that tell it. */
	/** Time in which traces had no CPU, and are not known to sleep. Of
	 * those that do not tell their CPU time, all such time. */
	int64_t lacked;
};

/** CPU time of a process or a thread. */
struct resourcesTime {
	int64_t all;
	int64_t below; /**< Of these: of its threads that tell theirs. */
};

/** Of all hosts, a finding. */
struct resourcesSum {
	int64_t time;
	GArray *nodes;
	GArray *ranks;
};

/* ---- Hosts ----------------------------------------------------------------
 */

static struct resourcesHost *resourcesHostOf(GHashTable *hosts,
					     const hdINode *node)
{
	struct resourcesHost *host = g_hash_table_lookup(hosts, node);

	if (host)
		return host;
	host = g_new0(struct resourcesHost, 1);
	host->node = node;
	host->busy = host->stolen = NAN;
	g_hash_table_insert(hosts, (gpointer)node, host);
	return host;
}

/** What the values of a group tell of its host. */
static void resourcesReadGroup(struct resourcesHost *host,
			       const struct findingsGroup *group)
{
	for (size_t i = 0; i < group->group->valueCount; i++) {
		const char *name = group->group->values[i].name;
		const struct findingsValue *value = &group->values[i];

		if (strcmp(name, "CPU_TOTAL") == 0)
			host->busy = value->result.mean;
		else if (strcmp(name, "CPU_STATE_STEAL") == 0)
			host->stolen = value->result.mean;
		else if (g_str_has_prefix(name, "CPU_TOTAL_"))
			host->cpus += g_ascii_isdigit(name[10]);
	}
}

/** The CPU time of a rank or thread; -1: not known. */
static int64_t resourcesCpuTime(const struct findingsGroup *group)
{
	for (size_t i = 0; i < group->group->valueCount; i++) {
		double total = group->values[i].total;

		if (strcmp(group->group->values[i].name, "CPU_TIME") == 0 &&
		    total >= 0)
			return (int64_t)(total * 1e9);
	}
	return -1;
}

/** What the groups of processes and threads of a host and below tell: struct
 *  resourcesTime by node. */
static GHashTable *resourcesTimes(const struct findings *findings, int level)
{
	GHashTable *times = g_hash_table_new_full(NULL, NULL, NULL, g_free);

	for (size_t i = 0; i < findings->project->groupCount; i++) {
		const struct findingsGroup *group = &findings->groups[i];
		const hdINode *node = group->group->node;
		int64_t cpu =
			node->level > level ? resourcesCpuTime(group) : -1;
		struct resourcesTime *time;

		if (cpu < 0 || g_hash_table_contains(times, node))
			continue;
		time = g_new0(struct resourcesTime, 1);
		time->all = cpu;
		g_hash_table_insert(times, (gpointer)node, time);
	}
	return times;
}

/** The nearest node at or above one, below the host, that tells its CPU time;
 *  NULL: there is none. */
static const hdINode *resourcesTimed(GHashTable *times, const hdINode *node,
				     int level)
{
	while (node && node->level > level) {
		if (g_hash_table_contains(times, node))
			return node;
		node = node->parent;
	}
	return NULL;
}

/** The CPU time of a process is also that of its threads: count it once. */
static void resourcesAddTimes(GHashTable *times, GHashTable *hosts, int level)
{
	GHashTableIter iterator;
	gpointer key, value;

	g_hash_table_iter_init(&iterator, times);
	while (g_hash_table_iter_next(&iterator, &key, &value)) {
		const hdINode *node = key;
		const struct resourcesTime *time = value;
		const hdINode *above =
			resourcesTimed(times, node->parent, level);
		struct resourcesHost *host =
			g_hash_table_lookup(hosts, rolesAt(node, level));

		if (above)
			((struct resourcesTime *)g_hash_table_lookup(times,
								     above))
				->below += time->all;
		else if (host)
			host->cpu += time->all;
	}
}

/** What a trace tells, when all CPU times are known. */
static void resourcesAddTrace(struct resourcesHost *host,
			      const struct findingTrace *trace,
			      const hdINode *node, GHashTable *times, int level)
{
	const struct resourcesTime *time = g_hash_table_lookup(times, node);
	int64_t active = trace->end - trace->start;
	/* Threads without work, and who waits for files, may sleep. */
	int64_t lacked =
		active - trace->io - trace->waitOpenmp - trace->waitIdle;

	host->traces++;
	host->active += active;
	if (time)
		lacked -= MAX(time->all - time->below, 0);
	/* Threads whose process alone tells its CPU time may have had it. */
	if (resourcesTimed(times, node, level)) {
		host->timed++;
		lacked = time ? lacked : 0;
	}
	host->lacked += MAX(lacked, 0);
}

static GHashTable *resourcesHosts(const struct findings *findings)
{
	const hdIProject *project = findings->project;
	GHashTable *hosts = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	int level = MAX(rolesLevel(project, HD_LEVEL_HOST), 1);
	GHashTable *times = resourcesTimes(findings, level);

	for (size_t i = 0; i < project->traceCount; i++)
		resourcesHostOf(hosts,
				rolesAt(project->traces[i]->node, level));
	resourcesAddTimes(times, hosts, level);
	for (size_t i = 0; i < project->traceCount; i++) {
		const struct findingTrace *trace = &findings->traces[i];
		const hdINode *node = project->traces[i]->node;

		if (trace->start < trace->end)
			resourcesAddTrace(g_hash_table_lookup(
						  hosts, rolesAt(node, level)),
					  trace, node, times, level);
	}
	for (size_t i = 0; i < project->groupCount; i++) {
		const hdINode *node = project->groups[i]->node;
		struct resourcesHost *host = g_hash_table_lookup(hosts, node);

		if (host)
			resourcesReadGroup(host, &findings->groups[i]);
	}
	g_hash_table_destroy(times);
	return hosts;
}

/* ---- Findings -------------------------------------------------------------
 */

/** Time in which threads of a host could run, and no CPU was free for them. */
static int64_t resourcesOversubscribed(const struct resourcesHost *host)
{
	double missing;

	if (!host->cpus || host->traces <= host->cpus ||
	    !(host->busy >= RESOURCES_BUSY))
		return 0;
	if (host->timed >= host->traces)
		return MAX(host->active - host->cpu, 0);
	missing = 1 - (double)host->cpus / (double)host->traces;
	return (int64_t)(missing * (double)host->active);
}

/** CPU time that other programs and virtual machines had while ranks lacked
 *  it. */
static int64_t resourcesForeign(const struct resourcesHost *host, int64_t run)
{
	double all = (double)host->cpus * (double)run;
	double foreign = 0;

	if (host->timed >= host->traces && host->busy >= RESOURCES_BUSY)
		foreign = all * host->busy / 100 - (double)host->cpu;
	/* CPU_TOTAL contains what was stolen. */
	if (host->stolen > 0)
		foreign = MAX(foreign, all * host->stolen / 100);
	foreign = MIN(foreign, (double)host->lacked);
	return foreign > RESOURCES_LEAST * all ? (int64_t)foreign : 0;
}

static void resourcesAdd(struct resourcesSum *sum,
			 const struct findings *findings,
			 const struct resourcesHost *host, int64_t time)
{
	int level = MAX(rolesLevel(findings->project, HD_LEVEL_HOST), 1);
	const struct findingShare share = {
		.rank = -1,
		.node = host->node,
		.time = time,
	};

	if (time <= 0)
		return;
	sum->time += time;
	g_array_append_val(sum->nodes, share);
	for (size_t i = 0; i < findings->project->traceCount; i++) {
		const struct findingTrace *trace = &findings->traces[i];
		const hdINode *node = findings->project->traces[i]->node;
		const struct findingShare rank = {
			.rank = trace->rank,
			.time = trace->end - trace->start,
		};

		if (trace->rank >= 0 && trace->start < trace->end &&
		    rolesAt(node, level) == host->node)
			g_array_append_val(sum->ranks, rank);
	}
}

static void resourcesList(struct findings *findings, struct resourcesSum *sum,
			  struct finding finding)
{
	findingSortShares(sum->nodes, sum->time);
	findingSortShares(sum->ranks, 0);
	finding.waits = WAIT_NONE;
	finding.count = sum->nodes->len;
	finding.time = sum->time;
	finding.waiting = sum->ranks;
	finding.causing = findingShares();
	finding.nodes = sum->nodes;
	finding.threads = findingShares();
	finding.from = findings->start;
	finding.to = findings->end;
	finding.confidence = findingConfidenceOf(findings, sum->time);
	finding.command = findingCommand(findings, finding.kind, finding.from,
					 finding.to);
	g_array_append_val(findings->list, finding);
}

static void resourcesEnd(struct findings *findings, struct resourcesSum *sum,
			 struct finding finding)
{
	/* Less than 1 % of all time is nothing to be told. */
	if (sum->time > findings->account.total / 100) {
		resourcesList(findings, sum, finding);
		return;
	}
	g_array_unref(sum->nodes);
	g_array_unref(sum->ranks);
}

void findingsFindResources(struct findings *findings)
{
	struct resourcesSum over = { 0, findingShares(), findingShares() };
	struct resourcesSum foreign = { 0, findingShares(), findingShares() };
	GHashTable *hosts = resourcesHosts(findings);
	int64_t run = findingsRunTime(findings);
	GHashTableIter iterator;
	gpointer host;

	g_hash_table_iter_init(&iterator, hosts);
	while (findings->path &&
	       g_hash_table_iter_next(&iterator, NULL, &host)) {
		resourcesAdd(&over, findings, host,
			     resourcesOversubscribed(host));
		resourcesAdd(&foreign, findings, host,
			     resourcesForeign(host, run));
	}
	g_hash_table_destroy(hosts);
	resourcesEnd(
		findings, &over,
		(struct finding){
			.kind = FINDING_OVERSUBSCRIPTION,
			.title = "More threads run than there are CPUs, so "
				 "that they wait for these",
			.advice = "Use fewer ranks or threads on each node, or "
				  "more nodes; then look at the other "
				  "findings.",
			.isFirst = true,
		});
	resourcesEnd(findings, &foreign,
		     (struct finding){
			     .kind = FINDING_STEAL,
			     .title = "Other programs or virtual machines use "
				      "the CPUs",
			     .advice = "Run the program on nodes of its own, "
				       "or leave a CPU free for services; then "
				       "look at the other findings.",
			     .isFirst = true,
		     });
}
