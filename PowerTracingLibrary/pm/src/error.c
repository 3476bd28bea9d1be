/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Errors, and messages about them. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "PowerTracingLibrary/pm/src/pm.h"
#include "common/environment.h"
#include "common/net.h"

struct hdLogger pmLogger = { .prefix = "libpm", .level = HD_LOG_NONE };

void pmBegin(void)
{
	const char *verbosity = hdEnvironment("PM_VERBOSITY");

	hdLogSetVerbosity(&pmLogger,
			  verbosity && *verbosity ? verbosity : "-1");
}

int pmResult(int ret, int saved)
{
	if (ret >= 0) {
		errno = saved;
		return ret;
	}
	errno = -ret;
	switch (-ret) {
	case EINVAL:
		return PM_EINVAL;
	case ENOMEM:
		return PM_ENOMEM;
	case EREMOTEIO:
		return PM_EREFUSED;
	case EPROTO:
	case EBADMSG:
	case EMSGSIZE:
		return PM_EPROTOCOL;
	case ETIMEDOUT:
		return PM_ETIMEOUT;
	case ENODATA:
		return PM_ENODATA;
	default:
		return PM_ECONNECTION;
	}
}

int pmFileResult(int ret, int saved)
{
	if (ret >= 0 || ret == -ENOMEM)
		return pmResult(ret, saved);
	errno = -ret;
	return PM_EFILE;
}

const char *pm_strerror(int error)
{
	static const char *const texts[] = {
		[-PM_EINVAL] = "invalid argument",
		[-PM_ENOMEM] = "out of memory",
		[-PM_ECONNECTION] = "no connection to the server",
		[-PM_ETIMEOUT] = HD_NET_TEXT_TIMEOUT,
		[-PM_EREFUSED] = "the server refuses",
		[-PM_EPROTOCOL] = "invalid reply of the server",
		[-PM_ENODATA] = "no such samples",
		[-PM_EFILE] = "the file cannot be written",
	};

	if (error >= 0)
		return "success";
	if (error < PM_EFILE)
		return "unknown error";
	return texts[-error];
}
