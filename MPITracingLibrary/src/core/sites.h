/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Where in the program a call of MPI was: its call site.
 *
 * A site is the return address of the call, that is, the first one outside of
 * the MPI library, and with a depth above 1 those of the functions around it.
 * In a trace sites are numbered as they are met; the state that names one first
 * says what it is, by elements: the object (program or shared library) with its
 * build id, and the address in it. So a call costs a look into a table, and
 * tools find file and line where there is time for it; doc/format/format.md.
 *
 * The wrapper takes its own return address, since it is always there. Others
 * are asked for by backtrace() only: for those around it, and where the MPI
 * library itself has called, as MPICH does for Fortran's mpi_f08. That looks up
 * how each frame is laid out in the tables that exceptions need, and so is
 * right whatever the compiler optimizes. Following frame pointers would be
 * faster; but a function compiled without them, as libraries are, leaves any
 * number there.
 *
 * What dlopen() brings is looked up when the first call comes from it. Objects
 * that were there at the beginning stay; for all others each call asks the
 * loader whether any object has gone since, for another one may be in its
 * place. An object that comes again, there or elsewhere, has its sites again.
 */
#ifndef HDMPI_SITES_H
#define HDMPI_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hdmpiThread;

/** What a thread knows of sites. */
struct hdmpiSites;

/** Get ready, so that nothing is loaded while calls are recorded. */
void hdmpiSitesStart(void);

/**
 * Find the site of the call that the thread is in.
 *
 * @param caller Return address of the wrapper.
 *
 * @return Its number in the thread's trace; -1 without memory.
 */
int64_t hdmpiSiteFind(struct hdmpiThread *self, const void *caller);

/**
 * Find the site of a stack: the innermost frame first, each as the address
 * behind an instruction, and no more of them than HDMPI_SITE_DEPTH_MAX.
 *
 * @return Its number in the thread's trace; -1 without memory.
 */
int64_t hdmpiSiteOfStack(struct hdmpiThread *self, const uintptr_t *frames,
			 size_t count);

/**
 * Say in the state that was begun last where it was called.
 *
 * @param site Its number; -1 does nothing.
 * @param isInside A state of a call is open around it. It is written before
 * that one, so what that one says is not known yet.
 */
void hdmpiSiteNote(struct hdmpiThread *self, int64_t site, bool isInside);

/** Whether a file belongs to an MPI library, or is ours. */
bool hdmpiSiteIsOfMpi(const char *path);

/** Forget what a thread knows; NULL does nothing. */
void hdmpiSitesFree(struct hdmpiSites *sites);

/** Forget all objects. */
void hdmpiSitesEnd(void);

#endif
