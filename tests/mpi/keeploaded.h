/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * For programs of tests; one of their files includes it.
 *
 * MPI_Finalize of Open MPI 4.1 unloads mca_pmix_ext3x.so while its progress
 * thread may still have an event whose function is there: on a busy machine one
 * of some thousand runs dies of SIGSEGV there, traced or not. Nothing is
 * unloaded here.
 */
#ifndef KEEPLOADED_H
#define KEEPLOADED_H

#include <mpi.h>

#ifdef OPEN_MPI
int dlclose(void *handle) __attribute__((__visibility__("default")));

int dlclose(void *handle)
{
	(void)handle;
	return 0;
}
#endif

#endif
