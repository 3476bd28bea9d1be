/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Where this process is: its host, and who speaks for the host.
 */
#ifndef HDMPI_PROCESS_H
#define HDMPI_PROCESS_H

#include <mpi.h>
#include <stdbool.h>

#define HDMPI_HOST_MAX 256

/** Where a process is. */
struct hdmpiProcess {
	int rank;   /**< Among those that are recorded. */
	int number; /**< In MPI_COMM_WORLD; set by the caller. */
	int size;   /**< How many are recorded. */
	char host[HDMPI_HOST_MAX +
		  12]; /**< Label of the host in the project. */
	bool isLeader; /**< Whether it speaks for the host. */
	int leader;    /**< The rank that does. */
	bool isAlone;  /**< Whether all ranks are on this host. */
};

/**
 * Find out where this process is, and elect a leader for each host: the lowest
 * rank.
 *
 * Processes are on the same host if they can share memory and name their host
 * alike. Hosts that are different get different labels. Collective.
 *
 * @return 0, or -1 if that failed, for all processes.
 */
int hdmpiProcessFind(MPI_Comm world, struct hdmpiProcess *process);

#endif
