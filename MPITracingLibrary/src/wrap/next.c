/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The next tool that wraps MPI's functions; see next.h. */
#include "config.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#include "MPITracingLibrary/src/wrap/next.h"
#include "MPITracingLibrary/src/wrap/objects.h"

/* A function that was found, and whether those of its object are MPI's own: it
 * has their names for profiling. Most functions are in one object. */
static struct {
	hdmpiCode *of;
	bool isMpi;
} nextObject;

static bool nextIsMpi(hdmpiCode *found, const char *name)
{
	char profiling[128] = "P";

	if (nextObject.of && hdmpiObjectsAreOne(found, nextObject.of))
		return nextObject.isMpi;
	strncat(profiling, name, sizeof(profiling) - 2);
	nextObject.of = found;
	nextObject.isMpi = hdmpiObjectDefines(found, profiling);
	return nextObject.isMpi;
}

static void nextFind(struct hdmpiNext *next)
{
	hdmpiCode *found;

	*(void **)&found = dlsym(RTLD_NEXT, next->name);
	if (found && !nextIsMpi(found, next->name) && !hdmpiObjectIsOurs(found))
		next->to = found;
}

static void __attribute__((__constructor__)) nextBegin(void)
{
	for (int i = 0; i < HDMPI_FUNCTIONS; i++)
		if (hdmpiNext[i].name)
			nextFind(&hdmpiNext[i]);
}
