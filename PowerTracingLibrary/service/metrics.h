/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the service knows, as text for Prometheus.
 */
#ifndef PT_METRICS_H
#define PT_METRICS_H

#include "PowerTracingLibrary/service/core/service.h"

/**
 * Write all metrics.
 *
 * @param isOpenMetrics OpenMetrics 1.0, else the text format 0.0.4.
 *
 * @return Text to be freed; NULL without memory.
 */
char *ptMetrics(struct ptService *service, bool isOpenMetrics, size_t *length);

#endif
