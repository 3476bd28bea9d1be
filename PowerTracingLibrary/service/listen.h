/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Where the service listens, and whom it lets in.
 */
#ifndef PT_LISTEN_H
#define PT_LISTEN_H

#include "PowerTracingLibrary/service/core/service.h"

/** Listen where a configuration says: as hdListen(). */
int ptListen(struct ptService *service, const struct ptSite *site);

#endif
