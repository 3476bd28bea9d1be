/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Whether all ranks have libhdMPI in them.
 *
 * What is agreed in MPI_Init takes all ranks; one that runs without us, because
 * it is another program of the same run, is linked statically, or has no
 * environment, would be waited for forever. So each process announces itself
 * before MPI is initialized, which no rank is before all have begun that; then
 * the others are looked for. Nothing is sent: a name of a socket that no file
 * system has is taken, by its rank. This is done where all ranks are on one
 * host, and the launcher says which ones. On several hosts it is the key-value
 * space of Open MPI's launcher (keyvalue.h). Those that are there agree without
 * the others (ranks.h).
 */
#ifndef HDMPI_PRESENCE_H
#define HDMPI_PRESENCE_H

/** Before MPI is initialized. */
void hdmpiPresenceAnnounce(void);

/**
 * Look for all others.
 *
 * @param size Of MPI_COMM_WORLD.
 * @param[out] missing Those that are missing, by number; room for all.
 *
 * @return How many are missing; 0 also where nobody knows.
 */
int hdmpiPresenceMissing(int size, int *missing);

/** This one has looked, but others may still look for it. */
void hdmpiPresenceLeave(void);

/** All have looked; or, on several hosts, this process. */
void hdmpiPresenceEnd(void);

#endif
