/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace view: messages between pairs of ranks in an interval, as in hdtrace
 * stat --volume.
 */
#ifndef HD_VIEWMATRIX_H
#define HD_VIEWMATRIX_H

#include <stdbool.h>

#include "HDTraceTools/model/mpi/traffic.h"
#include "cli/output.h"

/** Is told how many more bytes were read; false: end it. */
typedef bool matrixProgress(void *data, int64_t bytes);

/**
 * Read the messages whose calls end in ]start, end].
 *
 * @param[out] traffic To be freed with trafficFree().
 *
 * @retval 0 Success; what is damaged is left out.
 * @retval -ECANCELED progress returned false; nothing is set.
 * @return The negative errno of the first file that cannot be opened; the
 *         messages of all others are set.
 */
int matrixRead(const hdIProject *project, int64_t start, int64_t end,
	       matrixProgress *progress, void *data, struct traffic **traffic);

/** Put the pairs into JSON: a list "pairs". */
void matrixPut(struct outJson *json, struct traffic *traffic);

#endif
