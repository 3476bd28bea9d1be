/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What may be spoken over a connection.
 *
 * STOP of both protocols answers at once; which readings belong to a
 * recording is decided by the times at which they ended, so an answer waits
 * only for readings that are on their way.
 */
#ifndef PT_PROTOCOLS_H
#define PT_PROTOCOLS_H

#include "PowerTracingLibrary/service/core/client.h"

/** pmlib: ten operations; pt-site.cfg(5) says which kinds of it. */
extern const struct ptProtocol ptPmlib;

/** Our own: doc/format/power-service.md. */
extern const struct ptProtocol ptNative;

#endif
