/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the wrappers in C call: MPI's function, or that of the next tool which
 * wraps it, too. So several tools can be preloaded; each calls the next one.
 */
#ifndef HDMPI_NEXT_H
#define HDMPI_NEXT_H

#include "MPITracingLibrary/functions.h"
#include "MPITracingLibrary/src/wrap/extension.h"
#include "MPITracingLibrary/src/wrap/forward.h"

/** A function that is wrapped. */
struct hdmpiNext {
	hdmpiCode *to;
	const char *name;
};

/** By enum hdmpiFunction. */
extern struct hdmpiNext hdmpiNext[HDMPI_FUNCTIONS];

#define HDMPI_NEXT(name) ((__typeof__(&MPI_##name))hdmpiNext[HDMPI_##name].to)

#define HDMPI_NEXT_ROW(name) \
	[HDMPI_##name] = { (hdmpiCode *)PMPI_##name, "MPI_" #name }

/* The same of a function that an extension of the MPI library has. */
#define HDMPI_NEXT_EXTENSION(name) \
	((__typeof__(&MPIX_##name))hdmpiNext[HDMPI_##name].to)

#define HDMPI_NEXT_EXTENSION_ROW(name) \
	[HDMPI_##name] = { (hdmpiCode *)PMPIX_##name, "MPIX_" #name }

#endif
