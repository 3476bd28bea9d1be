/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages of libhdMPI; see mpilog.h. */
#include "config.h"

#include "MPITracingLibrary/src/core/mpilog.h"
#include "MPITracingLibrary/src/core/options.h"

struct hdLogger hdmpiLogger = { .prefix = "libhdMPI", .level = HD_LOG_ERROR };

void hdmpiMessageInit(void)
{
	int verbosity = (int)hdmpiOptionNumber("HDTRACE_MPI_VERBOSITY", -1,
					       HD_LOG_INFO, HD_LOG_NONE);

	hdmpiLogger.isSilent = verbosity < 0;
	hdLogDefault = verbosity < 0 ? HD_LOG_NONE : verbosity;
	hdLogSetLevel(&hdmpiLogger, (enum hdLogLevel)hdLogDefault);
}
