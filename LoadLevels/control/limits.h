/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Reasons why a load cannot be reached, and conditions that end it.
 */
#ifndef HD_LOAD_LIMITS_H
#define HD_LOAD_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Get the CPU quota of this process: of its control groups of version 1 or 2,
 * and of those above them.
 *
 * @param root In front of /proc and /sys; "" but for tests.
 *
 * @return The number of CPUs, such as 0.2; INFINITY: there is no quota.
 */
double hdLoadQuota(const char *root);

/** Get the highest temperature of this node in degrees Celsius; NaN: none is
 *  known. */
double hdLoadTemperature(const char *root);

/** Count how often CPUs were throttled by heat; 0 if that is unknown. */
int64_t hdLoadThrottled(const char *root);

/** Get the memory that is available, in bytes; INT64_MAX if unknown. */
int64_t hdLoadFreeMemory(const char *root);

/** Get the space that a directory has left, in bytes; INT64_MAX if unknown. */
int64_t hdLoadFreeSpace(const char *directory);

#endif
