/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The wall clock; see clock.h. */
#include "config.h"

#include "common/clock.h"

int (*_Atomic hdClockRead)(clockid_t clock,
			   struct timespec *now) = clock_gettime;
