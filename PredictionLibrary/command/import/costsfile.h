/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Writing resource models that were made of other formats.
 */
#ifndef HD_PREDICT_COSTSFILE_H
#define HD_PREDICT_COSTSFILE_H

#include "PredictionLibrary/command/hdpredict.h"

/**
 * Write the entries of a resource model as XML. A file is replaced when the new
 * one is complete; a device is written to.
 *
 * @return Exit status.
 */
int costsFileWrite(struct predict *predict, const hdPResources *resources,
		   const char *path);

#endif
