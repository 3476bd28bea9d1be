/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Channels of meters that have numbers; see channels.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "PowerTracingLibrary/src/config/channels.h"

unsigned int ptChannelParse(const char *text, unsigned int max)
{
	unsigned int number = 0;

	if (*text == '0')
		return 0;
	for (; *text >= '0' && *text <= '9' && number <= max; text++)
		number = 10 * number + (unsigned int)(*text - '0');
	return *text == '\0' && number <= max ? number : 0;
}

int ptChannelResolve(unsigned int count, const char *channel, size_t index,
		     unsigned int *number, char label[PT_CHANNEL_MAX],
		     char *why, size_t whySize)
{
	bool isAll = channel && strcmp(channel, "*") == 0;

	if (count == 1)
		snprintf(why, whySize, "unknown input; the only input is 1");
	else
		snprintf(why, whySize, "unknown input; expected 1 to %u",
			 count);
	if (index > 0 && (!isAll || index >= count))
		return -ENOENT;
	if (isAll)
		*number = (unsigned int)index + 1;
	else if (channel)
		*number = ptChannelParse(channel, count);
	else
		*number = count == 1;
	if (*number == 0)
		return -EINVAL;
	snprintf(label, PT_CHANNEL_MAX, "%u", *number);
	return 0;
}
