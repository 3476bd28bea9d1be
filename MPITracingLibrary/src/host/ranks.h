/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The ranks that are recorded: those that have libhdMPI in them; see
 * presence.h. They have a communicator of their own, in which nothing is agreed
 * with others.
 */
#ifndef HDMPI_RANKS_H
#define HDMPI_RANKS_H

#include <mpi.h>
#include <stdbool.h>

/**
 * Make the communicator of all recorded ranks. Collective among these. One line
 * names the ranks that are missing.
 *
 * @param all All ranks, as the program has them.
 * @param isOfSession Whether @p all was made from a session: then ranks of the
 * launcher are not known in it, and nothing is recorded if one is missing.
 * @param[out] world To be freed.
 *
 * @return 0; -1: this rank records nothing.
 */
int hdmpiRanksOpen(MPI_Comm all, bool isOfSession, MPI_Comm *world);

/** The number in @c all of a rank in that communicator. */
int hdmpiRanksNumber(int rank);

/** Free what that needs. */
void hdmpiRanksClose(void);

#endif
