/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Comparing the clocks of the hosts. */
#include <config.h>

#include "clocksync.h"

int hdmpiClockMeasure(MPI_Comm world, const struct hdmpiPlace *place,
		      struct hdmpiThread *self)
{
	(void)world;
	(void)place;
	(void)self;
	return 0;
}
