/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Messages of libRUT, as far as RUT_VERBOSITY asks for them.
 */
#ifndef RUT_RUTLOG_H
#define RUT_RUTLOG_H

#include "common/log.h"

extern struct hdLogger rutLogger;

/** Print a message: "libRUT: TEXT\n". Leaves errno alone. */
#define rutMessage(level, ...) hdLog(&rutLogger, level, __VA_ARGS__)

/** Say that the utilization is not recorded; see hdLogLoss(). */
#define rutLoss(...) hdLogLoss(&rutLogger, __VA_ARGS__)

#endif
