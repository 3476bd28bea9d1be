/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Messages of libhdOmp, as far as HDTRACE_OMP_VERBOSITY asks for them.
 */
#ifndef HD_OMP_OMPLOG_H
#define HD_OMP_OMPLOG_H

#include "common/log.h"

extern struct hdLogger ompLogger;

/** Print a message: "libhdOmp: TEXT\n". Leaves errno alone. */
#define ompMessage(level, ...) hdLog(&ompLogger, level, __VA_ARGS__)

#endif
