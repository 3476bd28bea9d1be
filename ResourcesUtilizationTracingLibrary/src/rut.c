/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Creating a trace as RUT.h says: arguments, environment, backends. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "ResourcesUtilizationTracingLibrary/src/backend/gtop.h"
#include "ResourcesUtilizationTracingLibrary/src/core/rutlog.h"
#include "ResourcesUtilizationTracingLibrary/src/trace.h"
#include "common/clock.h"
#include "common/environment.h"

#define NS_PER_MS 1000000
/* A sample waits for disks and GPUs, which may hang, no longer than half of an
 * interval, nor than this; drivers of GPUs take seconds to be opened. */
#define PATIENCE_NS (HD_NS_PER_S / 5)
#define OPEN_PATIENCE_NS (5 * HD_NS_PER_S)

static const struct rutSource *const *rutFindBackend(const char *name)
{
	if (!name || !*name || strcmp(name, "linux") == 0)
		return rutLinuxSources;
	if (strcmp(name, "gtop") == 0 && rutGtopSources)
		return rutGtopSources;
	rutLoss("RUT_BACKEND: \"%s\" is not available", name);
	return NULL;
}

static int64_t patienceOf(int64_t intervalNs)
{
	return intervalNs / 2 < PATIENCE_NS ? intervalNs / 2 : PATIENCE_NS;
}

int rut_createTrace(hdTopoNode *topoNode, int topoLevel, rutSources sources,
		    int interval, UtilTrace **trace)
{
	const struct rutSource *const *backend;
	struct rutSetup setup = {
		.root = "",
		.mountPoint = hdEnvironment("RUT_HDD_MOUNTPOINT"),
		.sources = sources,
		.intervalNs = (int64_t)interval * NS_PER_MS,
		.patienceNs = patienceOf((int64_t)interval * NS_PER_MS),
		.openPatienceNs = OPEN_PATIENCE_NS,
	};
	int saved = errno, ret;

	hdLogSetVerbosity(&rutLogger, hdEnvironment("RUT_VERBOSITY"));
	if (!topoNode || !trace || interval < 1) {
		rutLoss("rut_createTrace: invalid argument");
		return RUT_EARGUMENT;
	}
	if (setup.mountPoint && !*setup.mountPoint)
		setup.mountPoint = NULL;
	backend = rutFindBackend(hdEnvironment("RUT_BACKEND"));
	if (!backend)
		return RUT_ESOURCE;
	ret = rutTraceCreate(topoNode, topoLevel, backend, &setup, trace);
	if (ret == RUT_SUCCESS)
		errno = saved;
	return ret;
}
