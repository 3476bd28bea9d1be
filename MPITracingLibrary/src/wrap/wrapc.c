/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The wrappers for C. */
#include "config.h"

#include <stdlib.h>

#include "MPITracingLibrary/src/record/verbs.h"
#include "MPITracingLibrary/src/wrap/next.h"

#include "MPITracingLibrary/wrappers-c.h"
