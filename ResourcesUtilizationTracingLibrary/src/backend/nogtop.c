/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Built without libgtop. */
#include "config.h"

#include "ResourcesUtilizationTracingLibrary/src/backend/gtop.h"

const struct rutSource *const *const rutGtopSources = NULL;
