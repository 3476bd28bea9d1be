/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the leader of a host records beside MPI: power.
 */
#ifndef HDMPI_POWER_H
#define HDMPI_POWER_H

#include <hdTopology.h>
#include <mpi.h>

#include "MPITracingLibrary/src/host/process.h"

/** Start libPT if HDTRACE_PT_CFG names a configuration whose device is here. */
void hdmpiPowerStart(hdTopology *topology, const struct hdmpiProcess *process);

/** End it. */
void hdmpiPowerEnd(void);

/** Say it where the meter measures nodes that are not hosts of the run.
 *  Collective. */
void hdmpiPowerCheck(MPI_Comm world, const struct hdmpiProcess *process);

#endif
