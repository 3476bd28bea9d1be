/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Watts, added up; see powersum.h. */
#include "config.h"

#include <string.h>

#include "PowerTracingLibrary/client/powersum.h"

void ptPowerSumInit(struct ptPowerSum *sum)
{
	*sum = (struct ptPowerSum){ 0 };
	pthread_mutex_init(&sum->mutex, NULL);
}

void ptPowerSumOpen(struct ptPowerSum *sum,
		    const struct ptRecorderGroup *groups, size_t count)
{
	GArray *columns =
		g_array_new(FALSE, FALSE, sizeof(struct ptPowerColumn));

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < groups[i].count; k++) {
			const struct ptPowerColumn column = { i, k };

			if (strcmp(groups[i].columns[k].unit, "W") == 0)
				g_array_append_val(columns, column);
		}
	}
	pthread_mutex_lock(&sum->mutex);
	sum->count = columns->len;
	sum->columns =
		(struct ptPowerColumn *)(void *)g_array_free(columns, FALSE);
	ptIntegralInit(&sum->integral, sum->count, sum->fromNs);
	pthread_mutex_unlock(&sum->mutex);
}

void ptPowerSumAdd(struct ptPowerSum *sum, size_t group,
		   const struct ptRecorderReading *reading)
{
	pthread_mutex_lock(&sum->mutex);
	for (size_t i = 0; sum->fromNs && i < sum->count; i++)
		if (sum->columns[i].group == group)
			ptIntegralAdd(&sum->integral, i,
				      reading->values[sum->columns[i].column],
				      reading->endNs, reading->lengthNs);
	if (sum->fromNs)
		ptIntegralPeak(&sum->integral);
	pthread_mutex_unlock(&sum->mutex);
}

void ptPowerSumBegin(struct ptPowerSum *sum, int64_t ns)
{
	pthread_mutex_lock(&sum->mutex);
	sum->fromNs = sum->integral.fromNs = ns;
	pthread_mutex_unlock(&sum->mutex);
}

void ptPowerSumEnd(struct ptPowerSum *sum, int64_t ns)
{
	pthread_mutex_lock(&sum->mutex);
	sum->integral.toNs = ns;
	pthread_mutex_unlock(&sum->mutex);
}

void ptPowerSumClear(struct ptPowerSum *sum)
{
	pthread_mutex_destroy(&sum->mutex);
	ptIntegralClear(&sum->integral);
	g_free(sum->columns);
}
