/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The wrappers for C. */
#include <config.h>

#include <stdlib.h>

#include "verbs.h"

#include "wrappers-c.h"
