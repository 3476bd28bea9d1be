/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The backend that asks libgtop, if there is one.
 */
#ifndef RUT_GTOP_H
#define RUT_GTOP_H

#include "ResourcesUtilizationTracingLibrary/src/core/source.h"

/** The sources of the thesis by libgtop, then those of the kernel's files; or
 *  NULL if the library was built without libgtop. */
extern const struct rutSource *const *const rutGtopSources;

#endif
