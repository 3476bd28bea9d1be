/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the error values mean, in words. */
#include "config.h"

#include "HDTraceWritingCLibrary/src/error.h"

static const struct {
	int error;
	const char *text;
} errorTexts[] = {
	{ HD_ERR_INVALID_ARGUMENT, "Invalid argument." },
	{ HD_ERR_MALLOC, "Out of memory." },
	{ HD_ERR_BUFFER_OVERFLOW, "Buffer overflow." },
	{ HD_ERR_GET_TIME, "Cannot read the system time." },
	{ HD_ERR_CREATE_FILE, "Cannot create a file." },
	{ HD_ERR_WRITE_FILE, "Cannot write a file." },
	{ HD_ERR_CLOSE_FILE, "Cannot close a file." },
	{ HD_ERR_TIMEOUT, "Timeout." },
	{ HD_ERR_TRACE_DISABLED, "Trace is disabled." },
	{ HD_ERR_INVALID_CONTEXT,
	  "The previous calls do not allow this call." },
	{ HD_ERR_UNKNOWN, "Unknown error." },
	{ HDS_ERR_GROUP_COMMIT_STATE,
	  "The statistics group has the wrong commit state." },
	{ HDS_ERR_UNEXPECTED_ARGVALUE, "An argument has an unexpected value." },
	{ HDS_ERR_ENTRY_STATE,
	  "The state of the current entry does not allow this call." },
};

int hdErrorOf(int error)
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

int hdFail(int error)
{
	errno = hdErrorOf(error);
	return -1;
}

char *hdT_strerror(int error)
{
	for (size_t i = 0; i < sizeof(errorTexts) / sizeof(errorTexts[0]); i++)
		if (errorTexts[i].error == error)
			return (char *)errorTexts[i].text;
	return NULL;
}
