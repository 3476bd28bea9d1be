/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the leader of a host records beside MPI: its utilization.
 */
#ifndef HDMPI_UTILIZATION_H
#define HDMPI_UTILIZATION_H

#include <hdTopology.h>
#include "MPITracingLibrary/src/host/process.h"

/** Start libRUT if this process leads its host and the options say so. */
void hdmpiUtilizationStart(hdTopoNode *host,
			   const struct hdmpiProcess *process);

/** End it. */
void hdmpiUtilizationEnd(void);

#endif
