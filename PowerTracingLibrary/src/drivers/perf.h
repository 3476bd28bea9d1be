/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Where tests take the place of the kernel's perf.
 */
#ifndef PT_PERF_H
#define PT_PERF_H

#include <sys/types.h>

#include "PowerTracingLibrary/src/machine/sensor.h"

/** No machine has more. */
#define PT_PERF_EVENTS_MAX 4096

/** What opens an event on a CPU: returns a descriptor or an error. */
extern int (*ptPerfOpenEvent)(uint32_t type, uint64_t config, int cpu);
/** What reads it. */
extern ssize_t (*ptPerfRead)(int fd, void *bytes, size_t count);

#endif
