/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of classes of accesses to files; see io.h. */
#include "config.h"

#include <string.h>

#include "PredictionLibrary/model/io.h"

static const struct {
	const char *order, *access;
} classes[HD_PREDICT_IO_CLASSES] = {
	[HDP_SEQUENTIAL_READ] = { "sequential", "read" },
	[HDP_SEQUENTIAL_WRITE] = { "sequential", "write" },
	[HDP_SEQUENTIAL_SYNC] = { "sequential", "sync" },
	[HDP_RANDOM_READ] = { "random", "read" },
	[HDP_RANDOM_WRITE] = { "random", "write" },
	[HDP_RANDOM_SYNC] = { "random", "sync" },
};

static int modelIoIsWord(const char *word, const char *text, size_t length)
{
	return strlen(word) == length && memcmp(word, text, length) == 0;
}

int hdPredictIoClass(const char *order, size_t orderLength, const char *access,
		     size_t accessLength)
{
	for (int i = 0; i < HD_PREDICT_IO_CLASSES; i++) {
		if (modelIoIsWord(classes[i].order, order, orderLength) &&
		    modelIoIsWord(classes[i].access, access, accessLength))
			return i;
	}
	return -1;
}

const char *hdPredictIoOrder(unsigned int class)
{
	return classes[class].order;
}

const char *hdPredictIoAccess(unsigned int class)
{
	return classes[class].access;
}
