/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * From internal to public errors.
 *
 * Internal functions of the writing library return 0 or a negative value of
 * hdError.h, or of errno.h where they pass on what common/format found; the
 * public ones return what hdFail() makes of it.
 */
#ifndef HD_SRC_ERROR_H
#define HD_SRC_ERROR_H

#include <errno.h>
#include <stddef.h>

#include <hdError.h>

/** What users are told for an error: what is of errno.h, which common/format
 *  uses, becomes what hdError.h has; what is of hdError.h stays. */
int hdErrorOf(int error) __attribute__((__cold__, __const__));

/** Set errno to what -@p error is for users, and return -1. Not inline: who
 *  ends with it saves no registers where nothing fails. */
int hdFail(int error) __attribute__((__cold__));

/** As hdFail(), but return NULL. */
static inline void *hdFailNull(int error)
{
	errno = hdErrorOf(error);
	return NULL;
}

/** The public result for an internal one. */
static inline int hdResult(int result)
{
	return result < 0 ? hdFail(result) : 0;
}

#endif
