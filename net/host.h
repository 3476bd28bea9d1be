/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The name by which an HTTP client has found this host.
 */
#ifndef HD_HOST_H
#define HD_HOST_H

#include <stdbool.h>

/**
 * Tell whether the Host header of a request names this host: an address,
 * localhost, or a name that begins as that of the host, with any domain.
 *
 * Any other name is of a page that a browser here has loaded from elsewhere,
 * and whose name was made to mean this address (DNS rebinding).
 *
 * @param header NULL: there is none, as in HTTP/1.0, which no browser speaks.
 * @param own Name of this host.
 */
bool hdHostIsOurs(const char *header, const char *own);

#endif
