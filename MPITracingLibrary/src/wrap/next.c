/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The next tool that wraps MPI's functions; see next.h. */
#include "config.h"

#include <dlfcn.h>

#include "MPITracingLibrary/src/wrap/next.h"
#include "MPITracingLibrary/src/wrap/objects.h"

static void nextFind(struct hdmpiNext *next)
{
	hdmpiCode *found;

	*(void **)&found = dlsym(RTLD_NEXT, next->name);
	if (found && !hdmpiObjectsAreOne(found, next->to) &&
	    !hdmpiObjectIsOurs(found))
		next->to = found;
}

static void __attribute__((__constructor__)) nextBegin(void)
{
	for (int i = 0; i < HDMPI_FUNCTIONS; i++)
		if (hdmpiNext[i].name)
			nextFind(&hdmpiNext[i]);
}
