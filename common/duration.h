/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Durations with a unit, as users write them: "10ms", "5s", "2min", "1h".
 */
#ifndef HD_DURATION_H
#define HD_DURATION_H

#include <stdbool.h>
#include <stdint.h>

/** The units, for messages and help texts. */
#define HD_DURATION_UNITS "us, ms, s, min or h"

/**
 * Find a unit of time.
 *
 * @param unit "ns", "us", "ms", "s", "min" or "h".
 *
 * @return Its length in ns, or 0 if there is no such unit.
 */
int64_t hdDurationUnit(const char *unit);

/**
 * Parse a duration: a decimal number, and a unit directly after it or after one
 * blank. The locale has no influence.
 *
 * @param text "10ms", "-0.5 s", "3".
 * @param unitNs Length of the unit of a number without one, in ns; 0: the text
 *        must name a unit.
 * @param[out] ns The duration in ns; digits below 1 ns are cut off.
 * @param[out] hasUnit Whether the text names a unit; may be NULL.
 *
 * @retval 0 Success.
 * @retval -EINVAL Not a duration.
 * @retval -ERANGE Too large.
 */
int hdDurationParse(const char *text, int64_t unitNs, int64_t *ns,
		    bool *hasUnit);

#endif
