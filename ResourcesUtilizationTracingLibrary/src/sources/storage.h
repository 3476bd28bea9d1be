/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The seam where tests say how full file systems are.
 */
#ifndef RUT_STORAGE_H
#define RUT_STORAGE_H

#include <sys/statvfs.h>

#include "ResourcesUtilizationTracingLibrary/src/core/source.h"

/** What asks; statvfs() but for tests. */
extern int (*rutStatvfs)(const char *path, struct statvfs *is);

#endif
