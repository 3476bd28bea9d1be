/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the leader of a host records beside MPI: power. */
#include "config.h"

#include <PT.h>
#include "MPITracingLibrary/src/host/power.h"
#include "MPITracingLibrary/src/options.h"
#include "common/environment.h"

static PowerTrace *power;

void hdmpiPowerStart(hdTopology *topology, const struct hdmpiPlace *place)
{
	const char *file = hdEnvironmentText("HDTRACE_PT_CFG");

	if (!place->isLeader || !file)
		return;
	/* Where the device is at another host, libPT says so. */
	if (pt_createTrace(file, topology, &power) == PT_SUCCESS)
		pt_startTracing(power);
	else
		power = NULL;
}

void hdmpiPowerEnd(void)
{
	if (power)
		pt_finalizeTrace(power);
	power = NULL;
}
