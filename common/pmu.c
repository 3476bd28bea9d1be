/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the kernel says of units that count. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/number.h"
#include "common/pmu.h"

/* Get the first line of a file, without blanks at its end; false: there is
 * none. */
static bool getLine(char *line, size_t size, const char *root, const char *pmu,
		    const char *file)
{
	char path[PATH_MAX];
	int length = snprintf(path, sizeof(path), "%s" HD_PMUS "/%s/%s", root,
			      pmu, file);
	ssize_t count;
	int fd;

	if (length < 0 || (size_t)length >= sizeof(path))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	count = read(fd, line, size - 1);
	close(fd);
	line[count > 0 ? count : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	for (size_t end = strlen(line); end > 0 && line[end - 1] == ' ';)
		line[--end] = '\0';
	return *line;
}

/* Parse a decimal number that something may follow. */
static bool pmuScanNumber(const char **at, unsigned long *number)
{
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	*number = strtoul(*at, &end, 10);
	*at = end;
	return *number <= INT32_MAX;
}

/* Parse "7", or "0-7". */
static bool scanRange(const char **at, unsigned long *first,
		      unsigned long *last)
{
	if (!pmuScanNumber(at, first))
		return false;
	*last = *first;
	if (**at != '-')
		return true;
	++*at;
	return pmuScanNumber(at, last) && *first <= *last;
}

/* ---- Events ----------------------------------------------------------------
 */

/* Put a value into the bits that "0-7,21" names, the low ones first. */
static bool deposit(const char *bits, uint64_t value, uint64_t *config)
{
	unsigned long first, last;

	while (scanRange(&bits, &first, &last) && last <= 63) {
		for (; first <= last; first++, value >>= 1)
			*config |= (value & 1) << first;
		if (*bits == '\0')
			return value == 0;
		if (*bits++ != ',')
			return false;
	}
	return false;
}

/* A term of an event: "umask=0x03", "ch_mask=1", or "edge", which is 1. */
static bool addTerm(char *term, const char *root, const char *pmu,
		    uint64_t *config)
{
	char *value = strchr(term, '='), *end;
	char file[96], format[64];
	unsigned long long number = 1;

	if (value) {
		*value++ = '\0';
		if (*value < '0' || *value > '9')
			return false;
		number = strtoull(value, &end,
				  strncmp(value, "0x", 2) == 0 ? 16 : 10);
		if (*end)
			return false;
	}
	snprintf(file, sizeof(file), "format/%.60s", term);
	if (getLine(format, sizeof(format), root, pmu, file))
		return strncmp(format, "config:", 7) == 0 &&
		       deposit(format + 7, number, config);
	/* Simple ones may leave that out. */
	*config |= number;
	return value && strcmp(term, "event") == 0;
}

static bool addTerms(char *terms, const char *root, const char *pmu,
		     uint64_t *config)
{
	char *rest = terms;

	*config = 0;
	while ((terms = strsep(&rest, ","))) {
		if (!addTerm(terms, root, pmu, config))
			return false;
	}
	return true;
}

/* A whole text as a number that is positive, whatever the locale. */
static bool parseScale(const char *text, double *scale)
{
	return hdNumberParse(text, scale) == 0 && *scale > 0 && *scale <= 1e300;
}

/* Get the line of an event's file: "", ".unit", ".scale". */
static bool getEventLine(char *line, size_t size, const char *root,
			 const char *pmu, const char *name, const char *what)
{
	char file[128];
	int length = snprintf(file, sizeof(file), "events/%s%s", name, what);

	return length > 0 && (size_t)length < sizeof(file) &&
	       getLine(line, size, root, pmu, file);
}

int hdPmuEventRead(const char *root, const char *pmu, const char *name,
		   const char *unit, struct hdPmuEvent *event)
{
	char text[256];
	const char *at = text;
	unsigned long type;
	struct hdPmuEvent found;

	if (!getLine(text, sizeof(text), root, pmu, "type") ||
	    !pmuScanNumber(&at, &type) || *at ||
	    !getEventLine(text, sizeof(text), root, pmu, name, ".unit") ||
	    strcmp(text, unit) != 0 ||
	    !getEventLine(text, sizeof(text), root, pmu, name, ".scale") ||
	    !parseScale(text, &found.scale) ||
	    !getEventLine(text, sizeof(text), root, pmu, name, "") ||
	    !addTerms(text, root, pmu, &found.config))
		return -ENOENT;
	found.type = (uint32_t)type;
	*event = found;
	return 0;
}

/* ---- CPUs ------------------------------------------------------------------
 */

size_t hdPmuCpus(const char *root, const char *pmu, unsigned int *cpus,
		 size_t most)
{
	char text[8 * HD_PMU_CPUS_MAX];
	const char *at = text;
	size_t count = 0;

	if (!getLine(text, sizeof(text), root, pmu, "cpumask"))
		return 0;
	while (*at) {
		unsigned long first, last;

		if (!scanRange(&at, &first, &last) || (*at && *at != ','))
			return 0;
		for (; first <= last && count < most; first++)
			cpus[count++] = (unsigned int)first;
		if (*at)
			at++;
	}
	return count;
}
