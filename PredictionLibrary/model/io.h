/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Classes of accesses to files: an order and a kind of access.
 */
#ifndef HD_PREDICT_IO_H
#define HD_PREDICT_IO_H

#include <stddef.h>

#include <hdPredict.h>

/** How many classes there are. */
#define HD_PREDICT_IO_CLASSES 6

/** What is said of others. */
#define HD_PREDICT_IO_UNKNOWN                                 \
	"the order of accesses is sequential or random, and " \
	"they are read, write or sync"

/** The class that files have two words for; -1: none. */
int hdPredictIoClass(const char *order, size_t orderLength, const char *access,
		     size_t accessLength);

/** "sequential" or "random". */
const char *hdPredictIoOrder(unsigned int class);

/** "read", "write" or "sync". */
const char *hdPredictIoAccess(unsigned int class);

#endif
