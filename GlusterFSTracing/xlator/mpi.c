/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The MPI call that is under way; see mpi.h. */
#include "config.h"

#include <dlfcn.h>

#include "GlusterFSTracing/xlator/mpi.h"

/* Of libhdMPI; NULL where there is none. */
static int (*currentRelation)(char *buffer, size_t size);

void mpiFind(void)
{
	/* The way of POSIX from an object to a function. */
	*(void **)&currentRelation =
		dlsym(RTLD_DEFAULT, "hdMPI_currentRelation");
}

bool mpiCurrentRelation(char *buffer, size_t size)
{
	return currentRelation && currentRelation(buffer, size) > 0;
}
