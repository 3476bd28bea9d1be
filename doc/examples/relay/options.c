/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values of options. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"

void optionsFail(const char *usage)
{
	fputs(usage, stderr);
	exit(2);
}

long long optionsNumber(const char *text, long long least, long long most,
			const char *usage)
{
	char *end;
	long long value, unit = 1;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (*end == 'K')
		unit = 1024;
	else if (*end == 'M')
		unit = 1024 * 1024;
	if (unit > 1)
		end++;
	if (errno || end == text || *end || value > most / unit ||
	    value * unit < least)
		optionsFail(usage);
	return value * unit;
}

char *optionsLabel(char *text)
{
	for (char *at = text; (at = strchr(at, '_')) != NULL;)
		*at = '-';
	return text;
}

const char *optionsHost(void)
{
	static char host[256];

	if (gethostname(host, sizeof(host) - 1) < 0 || !*host)
		strcpy(host, "host");
	return optionsLabel(host);
}
