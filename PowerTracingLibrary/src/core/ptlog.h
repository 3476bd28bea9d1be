/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Messages of libPT: "pt: TEXT" on stderr, as PT_VERBOSITY asks, or where the
 * pt command wants them.
 */
#ifndef PT_PTLOG_H
#define PT_PTLOG_H

#include "common/log.h"

extern struct hdLogger ptLogger;

/** Say something at a level (HD_LOG_ERROR, ...); leaves errno alone. */
#define ptMessage(level, ...) hdLog(&ptLogger, level, __VA_ARGS__)

/** Say that power is not recorded; see hdLogLoss(). */
#define ptLoss(...) hdLogLoss(&ptLogger, __VA_ARGS__)

#endif
