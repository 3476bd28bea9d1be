/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What this pt was built with; http.c and nohttp.c say it.
 */
#ifndef PT_BUILT_H
#define PT_BUILT_H

#include <stdbool.h>

/** Whether metrics can be served (libmicrohttpd). */
extern const bool ptHasHttp;

#endif
