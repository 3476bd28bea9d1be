/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The example figure4 connects to the addresses that the paper has. The linker
 * puts this between it and libpm: FIGURE4_POWER and FIGURE4_CSTATES are the
 * ports at this host instead.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <pmlib.h>

int __real_pm_set_server(const char *ip, int port, server_t *server);
int __wrap_pm_set_server(const char *ip, int port, server_t *server);

int __wrap_pm_set_server(const char *ip, int port, server_t *server)
{
	const char *other =
		getenv(strcmp(ip, "127.0.0.1") == 0 ? "FIGURE4_CSTATES"
						    : "FIGURE4_POWER");

	if (port != 6526 || !other)
		abort();
	return __real_pm_set_server("127.0.0.1", atoi(other), server);
}
