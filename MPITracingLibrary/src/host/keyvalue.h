/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which ranks announced themselves in the key-value space of Open MPI's
 * launcher (PMIx): where ranks are on several hosts.
 *
 * The library of PMIx is the one that Open MPI itself has opened, or will open.
 */
#ifndef HDMPI_KEYVALUE_H
#define HDMPI_KEYVALUE_H

#include <stdbool.h>

/** Announce this process, before MPI is initialized; false: there is no such
 * space. */
bool hdmpiKeyValueAnnounce(void);

/**
 * Whether a rank announced itself; after MPI was initialized.
 *
 * @param waits Wait for what has not come yet. All that was announced has come
 * by then, unless Open MPI was told not to wait for that; so the first rank
 * that is missing takes this time.
 */
bool hdmpiKeyValueIsThere(int rank, bool waits);

/** Nothing else will be asked. */
void hdmpiKeyValueEnd(void);

#endif
