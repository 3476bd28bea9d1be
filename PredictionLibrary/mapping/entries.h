/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Finding entries of a resource model by a value: a kernel may have one for
 * each task.
 */
#ifndef HD_PREDICT_ENTRIES_H
#define HD_PREDICT_ENTRIES_H

#include "PredictionLibrary/model/resources.h"

/**
 * Sort entries by a variable that all of them have a condition for.
 *
 * @param[in,out] entries Numbers of entries.
 * @param[out] variable The variable; NONE: they are few, or have none.
 *
 * @return 0 or -ENOMEM.
 */
int hdPredictEntriesSort(const hdPResources *resources, uint32_t *entries,
			 uint32_t count, uint32_t *variable);

/** Narrow a range of sorted entries to those with a value of the variable. */
void hdPredictEntriesRange(const hdPResources *resources,
			   const uint32_t *entries, uint32_t variable,
			   double value, uint32_t *from, uint32_t *end);

#endif
