/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the rules of the reading library as doc/format/format.md has them. */
#include <stdio.h>

#include <hdReading.h>

static const char *severityName(hdISeverity severity)
{
	switch (severity) {
	case HDI_NOTE:
		return "note";
	case HDI_WARNING:
		return "warning";
	case HDI_ERROR:
		return "error";
	}
	return "?";
}

int main(void)
{
	size_t count;
	const hdIRule *rules = hdI_getRules(&count);

	for (size_t i = 0; i < count; i++)
		printf("| `%s` | %s |\n", rules[i].id,
		       severityName(rules[i].severity));
	return 0;
}
