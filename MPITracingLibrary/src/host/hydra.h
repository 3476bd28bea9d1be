/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which ranks announced themselves in the key-value space of MPICH's launcher,
 * Hydra: where ranks are on several hosts.
 *
 * The protocol is that of PMI-1: lines over the descriptor PMI_FD, which MPICH
 * itself uses in MPI_Init() and MPI_Finalize() only. What is put before
 * MPI_Init() is known everywhere once MPICH has left its own barrier of PMI.
 */
#ifndef HDMPI_HYDRA_H
#define HDMPI_HYDRA_H

#include <stdbool.h>

/** Announce this process, before MPI is initialized; false: there is no such
 *  space. */
bool hdmpiHydraAnnounce(int rank);

/** Whether a rank announced itself; after MPI was initialized. */
bool hdmpiHydraIsThere(int rank);

/** Nothing else will be asked. */
void hdmpiHydraEnd(void);

#endif
