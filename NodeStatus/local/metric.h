/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The metrics that alarms are about: one number each, or NaN.
 */
#ifndef HD_NODE_METRIC_H
#define HD_NODE_METRIC_H

#include <stddef.h>

/** NAME, what it is called by Prometheus, the unit there, and what it is. */
#define NODE_METRICS(X)                                                        \
	X(cpu_busy_percent, "cpu_busy_percent", "percent",                     \
	  "Time of all CPUs that is neither idle nor waiting for disks")       \
	X(cpu_idle_percent, "cpu_idle_percent", "percent",                     \
	  "Time of all CPUs that is idle")                                     \
	X(cpu_iowait_percent, "cpu_iowait_percent", "percent",                 \
	  "Time of all CPUs that is idle while a disk is waited for")          \
	X(cpu_steal_percent, "cpu_steal_percent", "percent",                   \
	  "Time of all CPUs that other virtual machines had")                  \
	X(foreign_cpus, "foreign_cpus", "cpus",                                \
	  "CPUs that are busy with what is no job of ours")                    \
	X(job_idle_percent, "job_idle_percent", "percent",                     \
	  "Idle time of all CPUs while a job of ours runs; 0 without one")     \
	X(load_1, "load_1_tasks", "tasks",                                     \
	  "Tasks that run or wait, mean of a minute")                          \
	X(memory_available_bytes, "memory_available_bytes", "bytes",           \
	  "Memory that programs can have without swapping")                    \
	X(memory_available_percent, "memory_available_percent", "percent",     \
	  "Memory that programs can have without swapping, of all")            \
	X(swap_used_percent, "swap_used_percent", "percent", "Swap in use")    \
	X(swap_in_bytes_per_s, "swap_in_bytes_per_second", "bytes_per_second", \
	  "What comes back from swap")                                         \
	X(swap_out_bytes_per_s, "swap_out_bytes_per_second",                   \
	  "bytes_per_second", "What goes to swap")                             \
	X(swap_thrashing_bytes_per_s, "swap_thrashing_bytes_per_second",       \
	  "bytes_per_second",                                                  \
	  "The smaller one of what comes from swap and what goes to it")       \
	X(storage_free_bytes, "storage_free_bytes", "bytes",                   \
	  "What is left in the local file system with the least of it")        \
	X(storage_free_percent, "storage_free_percent", "percent",             \
	  "What is left in the local file system that is fullest")             \
	X(temperature_celsius, "temperature_celsius", "celsius",               \
	  "The hottest sensor of all CPU packages")                            \
	X(smart_failing, "smart_failing_disks", "disks",                       \
	  "Disks that say that they are failing")                              \
	X(memory_corrected_errors, "memory_corrected_errors", "errors",        \
	  "Errors of memory that were corrected")                              \
	X(memory_uncorrected_errors, "memory_uncorrected_errors", "errors",    \
	  "Errors of memory that were not corrected")                          \
	X(link_errors_per_s, "link_errors_per_second", "errors_per_second",    \
	  "Errors of all network interfaces that are hardware")                \
	X(link_use_percent, "link_use_percent", "percent",                     \
	  "Use of the busiest link in its busier direction")                   \
	X(probes_missed_per_s, "probes_missed_deadlines_per_second",           \
	  "deadlines_per_second", "Deadlines that probes have missed")         \
	X(power_watts, "power_watts", "watts", "What the node draws")          \
	X(gpu_use_percent, "gpu_use_percent", "percent", "Mean use of GPUs")

/** A metric. */
enum nodeMetric {
#define NODE_METRIC(name, prometheus, unit, help) NODE_##name,
	NODE_METRICS(NODE_METRIC)
#undef NODE_METRIC
		NODE_METRIC_COUNT,
};

/** What is known of a metric, whatever the node. */
struct nodeMetricInfo {
	const char *name;
	const char *prometheus; /**< With hdtrace_node_ in front. */
	const char *unit;       /**< The end of that. */
	const char *help;
};

/** All metrics. */
extern const struct nodeMetricInfo nodeMetrics[NODE_METRIC_COUNT];

/** Find a metric; NODE_METRIC_COUNT if there is none of this name. */
enum nodeMetric nodeMetricFind(const char *name);

#endif
