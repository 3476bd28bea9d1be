/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What a disk says of itself, by smartctl --json (smartctl(8)).
 *
 * States: "ok"; "warned" (errors in its logs, an attribute that was bad once);
 * "failing" (it says that it fails, or an attribute is bad); "asleep";
 * "unavailable" (no SMART, or it cannot be opened); "unknown" (smartctl hung,
 * or said nonsense). Never "ok" for want of knowledge.
 */
#ifndef HD_NODE_SMART_H
#define HD_NODE_SMART_H

#include <stdint.h>
#include <sys/types.h>

#include <jansson.h>

/** How long smartctl may take for a disk. */
#define NODE_SMART_LIMIT_NS INT64_C(10000000000)

/**
 * Ask a disk.
 *
 * @param smartctl Path of the program.
 * @param name The kernel's name of the disk.
 * @param wakeFd As of nodeChildRun().
 * @param limitNs As of nodeChildRun().
 * @param[out] left As of nodeChildRun().
 *
 * @return `name`, `state`, `reasons`, `bits`, `temperature_celsius`, `model`,
 *         `serial`, `power_on_hours`; without `stamp_s`.
 */
json_t *nodeSmartAsk(const char *smartctl, const char *name, int wakeFd,
		     int64_t limitNs, pid_t *left);

#endif
