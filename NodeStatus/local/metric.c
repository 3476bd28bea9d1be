/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The metrics that alarms are about; see metric.h. */
#include "config.h"

#include <string.h>

#include "NodeStatus/local/metric.h"

const struct nodeMetricInfo nodeMetrics[NODE_METRIC_COUNT] = {
#define NODE_METRIC(name, prometheus, unit, help) \
	{ #name, "hdtrace_node_" prometheus, unit, help },
	NODE_METRICS(NODE_METRIC)
#undef NODE_METRIC
};

enum nodeMetric nodeMetricFind(const char *name)
{
	unsigned int i = 0;

	while (i < NODE_METRIC_COUNT && strcmp(nodeMetrics[i].name, name) != 0)
		i++;
	return (enum nodeMetric)i;
}
