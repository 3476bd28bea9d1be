/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Watts, added up; see powersum.h. */
#include "config.h"

#include <string.h>

#include "PowerTracingLibrary/pt/client/powersum.h"

void powerSumInit(struct powerSum *sum)
{
	*sum = (struct powerSum){ 0 };
	pthread_mutex_init(&sum->mutex, NULL);
}

void powerSumOpen(struct powerSum *sum, const struct ptRecorderGroup *groups,
		  size_t count)
{
	GArray *columns = g_array_new(FALSE, FALSE, sizeof(struct powerColumn));

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < groups[i].count; k++) {
			const struct powerColumn column = { i, k };

			if (strcmp(groups[i].columns[k].unit, "W") == 0)
				g_array_append_val(columns, column);
		}
	}
	pthread_mutex_lock(&sum->mutex);
	sum->count = columns->len;
	sum->columns =
		(struct powerColumn *)(void *)g_array_free(columns, FALSE);
	ptIntegralInit(&sum->integral, sum->count, sum->fromNs);
	pthread_mutex_unlock(&sum->mutex);
}

void powerSumAdd(struct powerSum *sum, size_t group,
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

void powerSumBegin(struct powerSum *sum, int64_t ns)
{
	pthread_mutex_lock(&sum->mutex);
	sum->fromNs = sum->integral.fromNs = ns;
	pthread_mutex_unlock(&sum->mutex);
}

void powerSumEnd(struct powerSum *sum, int64_t ns)
{
	pthread_mutex_lock(&sum->mutex);
	sum->integral.toNs = ns;
	pthread_mutex_unlock(&sum->mutex);
}

void powerSumClear(struct powerSum *sum)
{
	pthread_mutex_destroy(&sum->mutex);
	ptIntegralClear(&sum->integral);
	g_free(sum->columns);
}
