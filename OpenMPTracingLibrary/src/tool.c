/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tool that the runtime of OpenMP finds by OMP_TOOL_LIBRARIES (OpenMP 5.1,
 * section 4.2). */
#include "config.h"

#include "OpenMPTracingLibrary/src/callbacks.h"
#include "OpenMPTracingLibrary/src/lane.h"
#include "OpenMPTracingLibrary/src/omplog.h"
#include "OpenMPTracingLibrary/src/options.h"
#include "OpenMPTracingLibrary/src/output.h"

struct hdLogger ompLogger = { .prefix = "libhdOmp", .level = HD_LOG_ERROR };

static int toolInitialize(ompt_function_lookup_t lookup, int device,
			  ompt_data_t *data)
{
	ompt_set_callback_t set =
		(ompt_set_callback_t)lookup("ompt_set_callback");

	(void)device;
	(void)data;
	if (!set)
		return 0;
	ompOutputInit();
	ompCallbacksSet(set);
	return 1;
}

static void toolFinalize(ompt_data_t *data)
{
	(void)data;
	ompLanesEnd();
}

/* Where the program leaves in a region the runtime says nothing. */
__attribute__((__destructor__)) static void toolLeave(void)
{
	ompLanesEnd();
}

/* The runtime looks for it by its name. */
ompt_start_tool_result_t *ompt_start_tool(unsigned int version,
					  const char *runtime);

ompt_start_tool_result_t *ompt_start_tool(unsigned int version,
					  const char *runtime)
{
	static ompt_start_tool_result_t result = { toolInitialize,
						   toolFinalize,
						   { 0 } };

	ompOptionsRead();
	ompMessage(HD_LOG_INFO, "%s, OpenMP of %u", runtime, version);
	return ompOptions.isOn ? &result : NULL;
}
