/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the error values mean, in words. */
#include "config.h"

#include "HDTraceWritingCLibrary/src/error.h"

static const struct {
	int error;
	const char *text;
} errorTexts[] = {
	{ HD_ERR_INVALID_ARGUMENT, "Invalid argument." },
	{ HD_ERR_MALLOC, "Error while memory allocation." },
	{ HD_ERR_BUFFER_OVERFLOW, "Error due to buffer overflow." },
	{ HD_ERR_GET_TIME, "Error while getting system time." },
	{ HD_ERR_CREATE_FILE, "Error while creating a file." },
	{ HD_ERR_WRITE_FILE, "Error while writing a file." },
	{ HD_ERR_CLOSE_FILE, "Error while closing a file." },
	{ HD_ERR_TIMEOUT, "Timeout occurred." },
	{ HD_ERR_TRACE_DISABLED, "Trace is disabled." },
	{ HD_ERR_INVALID_CONTEXT, "Call does not fit the calls before it." },
	{ HD_ERR_UNKNOWN, "Error with unknown cause." },
	{ HDS_ERR_GROUP_COMMIT_STATE,
	  "Statistics group's commit state is not the needed." },
	{ HDS_ERR_UNEXPECTED_ARGVALUE,
	  "One of the arguments has an unexpected value." },
	{ HDS_ERR_ENTRY_STATE,
	  "State of the current entry is wrong for requested action." },
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
