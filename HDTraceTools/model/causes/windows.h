/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * One-sided calls of MPI.
 */
#ifndef HD_MODEL_WINDOWS_H
#define HD_MODEL_WINDOWS_H

#include "HDTraceTools/model/causes/handles.h"

/** The function of an end that is the last access to a rank before a fence;
 *  struct dependencyEnd's rank is that rank, in the communicator. */
#define WINDOWS_TOUCHED UINT16_MAX

/** Note the accesses before a fence, in its channel and with its number. */
void windowsNoteTouches(struct dependencyReader *reader,
			const struct dependencyEnd *fence,
			struct handle *handle);

#endif
