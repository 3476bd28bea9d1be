/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Messages of libhdMPI, as far as HDTRACE_MPI_VERBOSITY asks for them.
 */
#ifndef HDMPI_MPILOG_H
#define HDMPI_MPILOG_H

#include "common/log.h"

extern struct hdLogger hdmpiLogger;

/** Print a message: "libhdMPI: TEXT\n". Leaves errno alone. */
#define hdmpiMessage(level, ...) hdLog(&hdmpiLogger, level, __VA_ARGS__)

/**
 * Do as HDTRACE_MPI_VERBOSITY says: 0 (the default) what is not recorded, in
 * one line a host, 1 errors, 2 warnings too, 3 information too; -1 nothing. It
 * holds for the libraries inside as well, where their own variables are not
 * set.
 */
void hdmpiMessageInit(void);

#endif
