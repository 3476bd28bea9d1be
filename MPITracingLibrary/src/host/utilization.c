/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the leader of a host records beside MPI: its utilization. */
#include "config.h"

#include <RUT.h>
#include "MPITracingLibrary/src/core/hdmpi.h"
#include "MPITracingLibrary/src/host/utilization.h"

static UtilTrace *utilization;

static rutSources utilizationSources(unsigned int groups)
{
	rutSources sources;

	RUTSRC_UNSET_ALL(sources);
	if (groups & HDMPI_SOURCES_CPU)
		RUTSRC_SET_CPU(sources);
	if (groups & HDMPI_SOURCES_MEM)
		RUTSRC_SET_MEM(sources);
	if (groups & HDMPI_SOURCES_NET)
		RUTSRC_SET_NET(sources);
	if (groups & HDMPI_SOURCES_HDD)
		RUTSRC_SET_HDD(sources);
	if (groups & HDMPI_SOURCES_MORE)
		RUTSRC_SET_MORE(sources);
	return sources;
}

void hdmpiUtilizationStart(hdTopoNode *host, const struct hdmpiProcess *process)
{
	/* Without sources another program records the host; the ranks' CPU
	 * time is theirs. */
	if (!process->isLeader || hdmpiOptions.utilizationMs == 0 ||
	    hdmpiOptions.sources == 0)
		return;
	if (rut_createTrace(host, 1, utilizationSources(hdmpiOptions.sources),
			    hdmpiOptions.utilizationMs,
			    &utilization) == RUT_SUCCESS)
		rut_startTrace(utilization);
	else
		utilization = NULL;
}

void hdmpiUtilizationEnd(void)
{
	if (utilization)
		rut_finalizeTrace(utilization);
	utilization = NULL;
}
