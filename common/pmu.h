/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the kernel says of units that count (PMUs), and of their events.
 *
 * (Linux, Documentation/ABI/testing/sysfs-bus-event_source-devices-events and
 * -format.) In /sys/bus/event_source/devices/uncore_imc_0, and so on:
 *
 *     type                            number of the PMU
 *     cpumask                         a CPU of each package, "0,18"
 *     events/cas_count_read           "event=0x04,umask=0x03"
 *     events/cas_count_read.scale     "6.103515625e-5"
 *     events/cas_count_read.unit      "MiB"
 *     format/umask                    "config:8-15"
 */
#ifndef HD_PMU_H
#define HD_PMU_H

#include <stddef.h>
#include <stdint.h>

/** Where they are, below a root. */
#define HD_PMUS "/sys/bus/event_source/devices"

/** More CPUs no machine has. */
#define HD_PMU_CPUS_MAX 4096

/** An event, as perf_event_open(2) wants it. */
struct hdPmuEvent {
	uint32_t type;
	uint64_t config;
	double scale; /**< What a count is in the unit of the event; positive.
		       */
};

/**
 * Read what an event is.
 *
 * @param root Before all paths; tests have one.
 * @param pmu "power", say.
 * @param name "energy-pkg", say.
 * @param unit What its unit must be.
 *
 * @retval 0 Success.
 * @retval -ENOENT There is none, or what is said of it is not understood.
 */
int hdPmuEventRead(const char *root, const char *pmu, const char *name,
		   const char *unit, struct hdPmuEvent *event);

/**
 * Read on which CPUs the events of a PMU are to be opened.
 *
 * @param[out] cpus So many at the most.
 *
 * @return How many; 0 where that is not said, or is nonsense.
 */
size_t hdPmuCpus(const char *root, const char *pmu, unsigned int *cpus,
		 size_t most);

#endif
