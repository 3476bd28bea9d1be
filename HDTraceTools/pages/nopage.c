/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * There is no viewer: it was not there when hdtrace was built.
 */
#include "config.h"

#include "HDTraceTools/pages/page.h"

const unsigned char *const pageBytes = NULL;
const size_t pageLength = 0;
