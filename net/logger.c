/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who says something, if nobody else does; see logger.h. */
#include "config.h"

#include "net/logger.h"

static struct hdLogger ownLogger = {
	.prefix = "hdtrace",
	.level = HD_LOG_ERROR,
	.usual = HD_LOG_ERROR,
};

__attribute__((__weak__)) struct hdLogger *const hdNetLogger = &ownLogger;
