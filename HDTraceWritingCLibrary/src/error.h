/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * From internal to public errors.
 *
 * Internal functions of the writing library return 0 or a negative value of
 * hdError.h; the public ones return what hdFail() makes of it.
 */
#ifndef HD_SRC_ERROR_H
#define HD_SRC_ERROR_H

#include <errno.h>
#include <stddef.h>

#include <hdError.h>

/** Set errno to -@p error and return -1. */
static inline int hdFail(int error)
{
	errno = -error;
	return -1;
}

/** Set errno to -@p error and return NULL. */
static inline void *hdFailNull(int error)
{
	errno = -error;
	return NULL;
}

/** The public result for an internal one. */
static inline int hdResult(int result)
{
	return result < 0 ? hdFail(result) : 0;
}

#endif
