/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sources of the kernel's files; see source.h. */
#include "config.h"

#include "ResourcesUtilizationTracingLibrary/src/source.h"

/* Those of the thesis first, in its order. */
const struct rutSource *const rutLinuxSources[] = {
	&rutCpuSource,      &rutMemorySource,   &rutNetworkSource,
	&rutDiskSource,     &rutSwitchesSource, &rutFrequencySource,
	&rutIdleSource,     &rutDevicesSource,  &rutPacketsSource,
	&rutPressureSource, &rutTracerSource,   NULL,
};
