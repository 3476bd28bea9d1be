/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace recover: copies of files, and of statistics.
 */
#ifndef HD_RECOVERSTATS_H
#define HD_RECOVERSTATS_H

#include <stdint.h>

#include "HDTraceTools/recover/recover.h"

/** Start the copy of a file. */
int recoverStartCopy(struct recover *recover, const char *file,
		     struct newFile *new);

/** End the copy of a file, after an error before if that is negative. */
int recoverEndCopy(struct recover *recover, const char *file,
		   struct newFile *new, int error);

/** Copy bytes of a file: from the beginning, up to a length or all. */
int recoverCopyBytes(const char *file, int64_t length, struct newFile *new);

int recoverCopyFile(struct recover *recover, const char *file,
		    struct recovered *result);

int recoverGroup(struct recover *recover, const hdIGroup *group,
		 struct recovered *result);

#endif
