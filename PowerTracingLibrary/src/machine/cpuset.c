/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets of CPUs; see cpuset.h. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "PowerTracingLibrary/src/machine/cpuset.h"
#include "PowerTracingLibrary/src/core/sysfile.h"

/* Single CPUs, each with a comma, may take this much. */
#define LIST_MAX 65536

static bool cpuSetParseNumber(const char **at, unsigned int *number)
{
	const char *begin = *at;

	*number = 0;
	for (; **at >= '0' && **at <= '9' && *number < PT_CPUS_MAX; ++*at)
		*number = 10 * *number + (unsigned int)(**at - '0');
	return *at > begin && *number < PT_CPUS_MAX;
}

int ptCpuSetParse(const char *text, struct ptCpuSet *set)
{
	unsigned int first, last;

	memset(set, 0, sizeof(*set));
	for (;;) {
		if (!cpuSetParseNumber(&text, &first) || first < set->end)
			return -EPROTO;
		last = first;
		if (*text == '-') {
			text++;
			if (!cpuSetParseNumber(&text, &last) || last < first)
				return -EPROTO;
		}
		for (unsigned int cpu = first; cpu <= last; cpu++)
			set->words[cpu / 64] |= UINT64_C(1) << cpu % 64;
		set->end = last + 1;
		if (*text != ',')
			return *text == '\0' ? 0 : -EPROTO;
		text++;
	}
}

int ptCpuSetRead(const char *root, const char *kind, struct ptCpuSet *set)
{
	char text[LIST_MAX];
	int ret = ptSysGetLine(text, sizeof(text), root,
			       "/sys/devices/system/cpu/%s", kind);

	return ret < 0 ? ret : ptCpuSetParse(text, set);
}
