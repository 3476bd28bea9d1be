/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What a node says of itself: what it is, how it is, and what is wrong.
 *
 * A thread takes a sample of libRUT's sources at every interval, and looks at
 * the alarms; another one asks what may hang (disks, by smartctl), and a third
 * one looks at what belongs to users: processes and their probes. Who asks
 * gets a copy of what they have found last; nobody waits for a disk.
 *
 * Everything is said as JSON, by section. A key whose value is not known on
 * this node is null, never 0 and never left out; keys are not renamed, and
 * further ones may come. Units are in the names: `_bytes`, `_percent` (from 0
 * to 100 of all CPUs), `_per_s` (by the time that was measured, not the one
 * that was planned), `_s` (seconds; stamps are seconds since the epoch, by the
 * node's clock), `_celsius`, `_watts`.
 *
 * - **capabilities**: `name`, `kernel`, `architecture`, `boot_id`, `cpus`
 *   (online), `cpus_present`, `packages`, `cores`, `threads_per_core`, `model`,
 *   `vendor`, `flags`, `mhz_nominal`, `mhz_max`, `numa_nodes`, `is_virtual`,
 *   `memory_bytes`, `swap_bytes`, `cpu` (of each: `cpu`, `package`, `core`,
 *   `online`, `mhz`), `disks` (`name`, `bytes`, `model`, `rotates`), `nics`
 *   (`name`, `bits_per_s`, `is_hardware`), `gpus` (`name`, `memory_bytes`),
 *   `topology_source` ("hwloc" or "kernel").
 * - **status**: `stamp_s`, `age_s` (of the sample, when it is asked for; null
 *   before the first one), `stale` (whether that is more than three intervals,
 *   and a second at least), `interval_s`, `uptime_s`, `cpu` (`user_percent`,
 *   `nice_percent`, `system_percent`, `idle_percent`, `iowait_percent`,
 *   `steal_percent`, `busy_cpus`, `foreign_cpus` with `foreign_of_s`, the time
 *   it was measured over, and `job_processes`; see processes.h), `cpus` (the
 *   same percents of each, with its number in `cpu`), `load` (of 1, 5 and 15
 *   minutes), `memory` (`total_bytes`, `used_bytes`, `free_bytes`,
 *   `available_bytes`, `buffer_bytes`, `cached_bytes`, `shared_bytes`), `swap`
 *   (`total_bytes`, `used_bytes`, `free_bytes`, and as interfaces have them
 *   `in_bytes_per_s`, `out_bytes_per_s`), `nics` (`name`, `in_bytes_per_s`,
 *   `out_bytes_per_s`, `in_errors_per_s`, `out_errors_per_s`,
 *   `in_drops_per_s`, `out_drops_per_s`, the sums of all these since hdnode
 *   began without `_per_s`, and `use_percent` of the link in its busier
 *   direction), `disks` (`name`, `reads_per_s`, `writes_per_s`,
 *   `read_bytes_per_s`, `written_bytes_per_s`, `busy_percent`, and sums),
 *   `storage` (`path`, `total_bytes`, `free_bytes`; not older than five
 * seconds), `gpus` (`gpu`, its number, `name`, `use_percent`,
 * `memory_used_bytes`, `memory_bytes`), `power` (null, or `watts`, `joules`
 * since hdnode began, `source`, `age_s`), `probes_missed_per_s`, `sampler`
 *   (`samples`, `late`, `cpu_s`, `waits_for`: the source that is
 *   being read, or null). Rates are null until the first interval ends.
 * - **health**: `stamp_s`, `age_s`, `stale`, `disks` (`name`, `state`,
 * `reasons`, `bits`, `temperature_celsius`, `stamp_s`; see smart.h),
 * `temperatures` (`package`, `hottest_celsius`, `sensor`), `memory_errors`
 * (null, or `corrected`, `uncorrected`), `links` (`name`, `up`, `bits_per_s`,
 * `errors`, `changes`).
 * - **alarms**: an array of `name`, `state` ("ok", "raised", "unknown"; unknown
 * if the sample or the health is stale), `metric`, `value`, `comparator`,
 * `threshold`, `since_s`.
 * - **probes**: `processes`: of each `pid`, `uid`, `name`, `error` (null),
 *   `clock`, `seconds`, `lost`, `skipped` (counters that could not be read) and
 *   `probes` (`name`, `to`, `kind`, `count`, `missed`, `mean`, ...; times in
 *   seconds; null where a counter was skipped).
 * - **config**: `ini`, the text that holds, and `rules`, what it means.
 */
#ifndef HD_NODE_LOCAL_H
#define HD_NODE_LOCAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "common/log.h"

struct hdNodeLocal;

/** What can be asked for. */
enum hdNodeSection {
	HD_NODE_CAPABILITIES,
	HD_NODE_STATUS,
	HD_NODE_HEALTH,
	HD_NODE_ALARMS,
	HD_NODE_PROBES,
	HD_NODE_CONFIG,
	HD_NODE_SECTIONS,
};

/** What a node is to say, and by what; texts are copied. */
struct hdNodeSetup {
	/** How the node is called; NULL: as its host is. */
	const char *name;
	/** In front of /proc and /sys: NULL or "" but for tests. */
	const char *root;
	/** How often samples are taken; 0: as the configuration says, else once
	 *  a second. */
	int64_t intervalNs;
	/** The program that asks disks; NULL: "smartctl" in PATH and in the
	 *  usual places; "" for none. */
	const char *smartctl;
	/** The configuration, of hdnode.conf(5); NULL: that which is built in.
	 */
	const char *ini;
	/** Name of its file for messages; NULL: "configuration". */
	const char *file;
	/** Where a power service is, as of `pt --server`; NULL: where it
	 *  usually is, if it is there; "" for none. */
	const char *power;
	/** Who says what cannot be read; NULL: nobody. */
	const struct hdLogger *logger;
};

/**
 * Begin to look.
 *
 * When this returns the capabilities are known, and the first interval of the
 * status has begun; what is not known by then is null.
 *
 * @param[out] result To be given to hdNodeLocalStop().
 *
 * @retval -EINVAL The configuration is wrong; the logger was told.
 * @retval -ENOMEM Out of memory.
 * @retval -EAGAIN No thread could be created.
 */
int hdNodeLocalStart(const struct hdNodeSetup *setup,
		     struct hdNodeLocal **result);

/** End it and free all, within a second; takes NULL. */
void hdNodeLocalStop(struct hdNodeLocal *local);

/**
 * Get a section.
 *
 * Any thread; waits for nothing but a lock that is held for a copy. (Of
 * HD_NODE_PROBES as hdNodeLocalProbes().)
 *
 * @return A new reference, of the caller alone; NULL without memory.
 */
json_t *hdNodeLocalSection(struct hdNodeLocal *local,
			   enum hdNodeSection section);

/** Get the word of a section: "capabilities". */
const char *hdNodeSectionName(enum hdNodeSection section);

/** Takes a reference to probes that were read, and gives it back before it
 *  returns; others may have one, so nobody changes them. NULL without memory.
 * In a thread of hdNodeLocal, which is not to be kept long. */
typedef void hdNodeProbesDone(void *context, json_t *probes);

/**
 * Read the probes of the programs on this node (libhdProbe), and call when that
 * is done.
 *
 * Any thread; waits for nothing. Programs of other users are seen by root only.
 * It takes half a second at most, and who else asks meanwhile, as long again.
 *
 * @param isReset Whether they begin anew, without losing anything.
 */
void hdNodeLocalAskProbes(struct hdNodeLocal *local, bool isReset,
			  hdNodeProbesDone *done, void *context);

/**
 * The same, and wait.
 *
 * Any thread but that of @p done. Programs of other users are seen by root
 * only.
 *
 * @param isReset Whether they begin anew, without losing anything.
 *
 * @return As hdNodeLocalSection().
 */
json_t *hdNodeLocalProbes(struct hdNodeLocal *local, bool isReset);

/**
 * Take another configuration: all of it, or nothing if it is wrong.
 *
 * Any thread. Alarms begin anew where their rule has changed.
 *
 * @param[out] error What is wrong, "3: text" for each line, to be freed; NULL
 *             without an error.
 *
 * @retval -EINVAL It is wrong; the old one stays.
 * @retval -ENOMEM Out of memory; the old one stays.
 */
int hdNodeLocalConfigure(struct hdNodeLocal *local, const char *ini,
			 size_t length, char **error);

/** A sample of a metric. */
struct hdNodeMetric {
	const char *name; /**< "hdtrace_node_load1"; of counters without _total.
			   */
	const char *help; /**< One line. */
	const char *unit; /**< "bytes"; the end of the name; NULL: none. */
	bool isCounter;   /**< Else a gauge. */
	/** Pairs of a label and its value; ends with NULL. */
	const char *const *labels;
	double value;  /**< NaN: not known; it is left out. */
	int64_t stamp; /**< Nanoseconds since the epoch. */
};

/** Takes a sample; those of one name come one after the other. */
typedef void hdNodeMetricTake(void *context, const struct hdNodeMetric *metric);

/**
 * Get all metrics: libRUT's values by the names that `hdtrace export --to
 * openmetrics` gives them, power by those of pt's service, and what alarms are
 * made of as `hdtrace_node_...`.
 *
 * Any thread; @p take is called with no lock held.
 */
void hdNodeLocalMetrics(struct hdNodeLocal *local, hdNodeMetricTake *take,
			void *context);

#endif
