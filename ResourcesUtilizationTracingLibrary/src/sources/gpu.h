/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The seam where tests have a library of the driver of GPUs.
 */
#ifndef RUT_GPU_H
#define RUT_GPU_H

#include "ResourcesUtilizationTracingLibrary/src/core/source.h"

/** The library; libnvidia-ml.so.1 but for tests. */
extern const char *rutGpuLibrary;

#endif
