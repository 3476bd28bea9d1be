/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Servers and sets of lines: what needs no connection. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "PowerTracingLibrary/pm/src/pm.h"

int pm_set_server(const char *ip, int port, server_t *server)
{
	pmBegin();
	if (!ip || !*ip || !server || strlen(ip) >= sizeof(server->server_ip) ||
	    (*ip != '/' && (port < 1 || port > 65535))) {
		pmLog(HD_LOG_ERROR, "invalid server \"%.100s\", port %d",
		      ip ? ip : "", port);
		return pmResult(-EINVAL, 0);
	}
	memset(server, 0, sizeof(*server));
	strcpy(server->server_ip, ip);
	server->port = port;
	return 0;
}

/* Read a number below PM_LINES_MAX and go behind it; -1 if it is none. */
static int lineNumber(const char **text)
{
	int number = 0;

	if (**text < '0' || **text > '9')
		return -1;
	for (; **text >= '0' && **text <= '9'; (*text)++) {
		number = 10 * number + (**text - '0');
		if (number >= PM_LINES_MAX)
			return -1;
	}
	return number;
}

int pm_set_lines(const char *text, line_t *lines)
{
	const char *at = text;
	line_t found;

	pmBegin();
	if (!text || !lines)
		return pmResult(-EINVAL, 0);
	LINE_CLR_ALL(&found);
	while (*at) {
		int first = lineNumber(&at), last = first;

		if (*at == '-') {
			at++;
			last = lineNumber(&at);
		}
		if (first < 0 || last < 0 || (*at && *at != ',') ||
		    (*at == ',' && !at[1])) {
			pmLog(HD_LOG_ERROR, "invalid list of lines \"%.100s\"",
			      text);
			return pmResult(-EINVAL, 0);
		}
		for (int line = first; line <= last; line++)
			LINE_SET(line, &found);
		at += *at == ',';
	}
	*lines = found;
	return 0;
}
