/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Writing resource models that were made of other formats.
 */
#ifndef HD_PREDICT_COSTSFILE_H
#define HD_PREDICT_COSTSFILE_H

#include "PredictionLibrary/command/hdpredict.h"
#include "cli/newfile.h"

/**
 * Write the entries of a resource model as XML, into a file that has no name
 * yet.
 *
 * @param[out] file To be ended with costsFileEnd() or newFileAbort(), if there
 * is no error.
 *
 * @return Exit status.
 */
int costsFileStart(struct predict *predict, const hdPResources *resources,
		   const char *path, struct newFile *file);

/**
 * Give the file its name: an existing one is replaced, a device is written to.
 *
 * @return Exit status.
 */
int costsFileEnd(struct predict *predict, const char *path,
		 struct newFile *file);

#endif
