/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Log lines of this room: by the logger of the program that it is part of.
 */
#ifndef HD_NET_LOGGER_H
#define HD_NET_LOGGER_H

#include "common/log.h"

/** Who says something: a logger of this room, which says errors as "hdtrace",
 * unless who links it defines this. */
extern struct hdLogger *const hdNetLogger;

/** Say something at a level (HD_LOG_ERROR, ...); leaves errno alone. */
#define hdNetLog(level, ...) hdLog(hdNetLogger, level, __VA_ARGS__)

#endif
