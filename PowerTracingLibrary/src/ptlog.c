/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages of libPT; see ptlog.h. */
#include "config.h"

#include "PowerTracingLibrary/src/core/ptlog.h"
#include "net/logger.h"

struct hdLogger ptLogger = {
	.prefix = "pt",
	.level = HD_LOG_ERROR,
	.usual = HD_LOG_ERROR,
};

/* What net/ says in our programs. */
struct hdLogger *const hdNetLogger = &ptLogger;
