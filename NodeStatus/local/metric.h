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
	  "Fraction of CPU time that is neither idle nor waiting for disks")   \
	X(cpu_idle_percent, "cpu_idle_percent", "percent",                     \
	  "Fraction of CPU time that is idle")                                 \
	X(cpu_iowait_percent, "cpu_iowait_percent", "percent",                 \
	  "Fraction of CPU time that is idle while waiting for disks")         \
	X(cpu_steal_percent, "cpu_steal_percent", "percent",                   \
	  "Fraction of CPU time taken by other virtual machines")              \
	X(foreign_cpus, "foreign_cpus", "cpus",                                \
	  "CPUs that are busy with foreign processes")                         \
	X(job_idle_percent, "job_idle_percent", "percent",                     \
	  "Idle CPU time while a job runs; 0 without a job")                   \
	X(load_1, "load_1_tasks", "tasks",                                     \
	  "Running and waiting tasks, mean over one minute")                   \
	X(memory_available_bytes, "memory_available_bytes", "bytes",           \
	  "Memory that is available without swapping")                         \
	X(memory_available_percent, "memory_available_percent", "percent",     \
	  "Fraction of memory that is available without swapping")             \
	X(swap_used_percent, "swap_used_percent", "percent",                   \
	  "Fraction of swap space in use")                                     \
	X(swap_in_bytes_per_s, "swap_in_bytes_per_second", "bytes_per_second", \
	  "Bytes read from swap per second")                                   \
	X(swap_out_bytes_per_s, "swap_out_bytes_per_second",                   \
	  "bytes_per_second", "Bytes written to swap per second")              \
	X(swap_thrashing_bytes_per_s, "swap_thrashing_bytes_per_second",       \
	  "bytes_per_second",                                                  \
	  "Smaller one of the rates of reading from and writing to swap")      \
	X(storage_free_bytes, "storage_free_bytes", "bytes",                   \
	  "Smallest free space of all local file systems")                     \
	X(storage_free_percent, "storage_free_percent", "percent",             \
	  "Free space of the fullest local file system")                       \
	X(temperature_celsius, "temperature_celsius", "celsius",               \
	  "Temperature of the hottest CPU package")                            \
	X(smart_failing, "smart_failing_disks", "disks",                       \
	  "Disks that report a failure")                                       \
	X(memory_corrected_errors, "memory_corrected_errors", "errors",        \
	  "Corrected memory errors")                                           \
	X(memory_uncorrected_errors, "memory_uncorrected_errors", "errors",    \
	  "Uncorrected memory errors")                                         \
	X(link_errors_per_s, "link_errors_per_second", "errors_per_second",    \
	  "Errors of the physical network interfaces")                         \
	X(link_use_percent, "link_use_percent", "percent",                     \
	  "Utilization of the busiest link in its busier direction")           \
	X(probes_missed_per_s, "probes_missed_deadlines_per_second",           \
	  "deadlines_per_second", "Deadlines missed by probes")                \
	X(power_watts, "power_watts", "watts", "Power of the node")            \
	X(gpu_use_percent, "gpu_use_percent", "percent",                       \
	  "Mean utilization of GPUs")

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
