/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Times as the format writes them: decimal numbers of seconds, exact.
 */
#ifndef HD_FORMAT_SECONDS_H
#define HD_FORMAT_SECONDS_H

#include <stdint.h>

/**
 * Parse a decimal number of seconds, exactly.
 *
 * @param text "12", "-0.5", "1247419294.305196"; at most nine decimals.
 * @param[out] ns Nanoseconds.
 *
 * @retval 0 Success.
 * @retval -EINVAL Not a number.
 * @retval -ERANGE Too large.
 */
int hdSecondsParse(const char *text, int64_t *ns);

/**
 * Parse a time adjustment as readers do: empty, a sign, a fraction whose digits
 * behind the ninth do not count, the suffix s or ms.
 *
 * @return As of hdSecondsParse().
 */
int hdAdjustmentParse(const char *text, int64_t *ns);

#endif
