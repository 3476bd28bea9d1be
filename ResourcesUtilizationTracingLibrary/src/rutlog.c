/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages of libRUT; see rutlog.h. */
#include "config.h"

#include "ResourcesUtilizationTracingLibrary/src/core/rutlog.h"

struct hdLogger rutLogger = {
	.prefix = "libRUT",
	.level = HD_LOG_ERROR,
	.usual = HD_LOG_ERROR,
};
