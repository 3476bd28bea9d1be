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

/** What is said for an error of common/format. */
static inline int hdErrorOf(int error)
{
	switch (-error) {
	case ENOMEM:
		return HD_ERR_MALLOC;
	case EOVERFLOW:
		return HD_ERR_BUFFER_OVERFLOW;
	case EINVAL:
		return HD_ERR_INVALID_ARGUMENT;
	default:
		return -error;
	}
}

/** Set errno to what -@p error is for users, and return -1. */
static inline int hdFail(int error)
{
	errno = hdErrorOf(error);
	return -1;
}

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
