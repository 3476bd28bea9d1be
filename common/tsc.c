/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The time stamp counter of x86: trust, and rate. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/tsc.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

static void findProcessor(struct hdTscFacts *facts)
{
	unsigned int a, b, c, d;

	facts->isX86 = 1;
	facts->hasCounter = __get_cpuid(1, &a, &b, &c, &d) && d >> 4 & 1;
	facts->isInvariant =
		__get_cpuid(0x80000007, &a, &b, &c, &d) && d >> 8 & 1;
}
#else
static void findProcessor(struct hdTscFacts *facts)
{
	(void)facts;
}
#endif

void hdTscFind(struct hdTscFacts *facts)
{
	int before = errno;
	int fd = open("/sys/devices/system/clocksource/clocksource0/"
		      "available_clocksource",
		      O_RDONLY | O_CLOEXEC);
	ssize_t length = 0;

	memset(facts, 0, sizeof(*facts));
	findProcessor(facts);
	if (fd >= 0) {
		length = read(fd, facts->sources, sizeof(facts->sources) - 1);
		close(fd);
	}
	facts->sources[length > 0 ? length : 0] = '\0';
	errno = before;
}

static int hasWord(const char *text, const char *word)
{
	size_t length = strlen(word);

	while (*text) {
		size_t found = strcspn(text, " \n");

		if (found == length && memcmp(text, word, length) == 0)
			return 1;
		text += found;
		text += strspn(text, " \n");
	}
	return 0;
}

const char *hdTscRefusal(const struct hdTscFacts *facts)
{
	if (!facts->isX86 || !facts->hasCounter)
		return "the processor has no time stamp counter";
	if (!facts->isInvariant)
		return "its rate changes with the frequency of "
		       "the processor (not invariant)";
	if (!hasWord(facts->sources, "tsc"))
		return "Linux does not list it as a clock source";
	return NULL;
}

/* Both clocks at one moment: the closest of some tries, as we may be stopped
 * between the two. */
static void readBoth(int64_t *ns, uint64_t *ticks)
{
	int64_t closest = INT64_MAX;

	for (int i = 0; i < 16; i++) {
		int64_t before = hdMonotonicNow();
		uint64_t counter = hdTscRead();
		int64_t after = hdMonotonicNow();

		if (after - before < closest) {
			closest = after - before;
			*ns = before + closest / 2;
			*ticks = counter;
		}
	}
}

double hdTscCalibrate(int64_t ns)
{
	int64_t begin, end;
	uint64_t first, last;

	readBoth(&begin, &first);
	while (hdMonotonicNow() - begin < ns) {
	}
	readBoth(&end, &last);
	if (last <= first || end <= begin)
		return 0;
	return (double)(end - begin) / (double)(last - first);
}
