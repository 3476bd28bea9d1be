/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Words for errors of the writing library. In a header, so that it does not
 * matter which of its libraries a program links.
 */
#ifndef HD_RECORDING_REASON_H
#define HD_RECORDING_REASON_H

#include <string.h>

#include <hdError.h>

/** Say what an error is: a value of hdError.h, or of errno.h. */
static inline const char *hdRecordReason(int error)
{
	const char *text = hdT_strerror(error);

	return text ? text : strerror(error);
}

#endif
