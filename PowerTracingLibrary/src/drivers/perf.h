/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What tests know of the driver perf.
 */
#ifndef PT_PERF_H
#define PT_PERF_H

/** No machine has more. */
#define PT_PERF_EVENTS_MAX 4096

#endif
