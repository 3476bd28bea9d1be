/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Lists in the options of an instance: operations, and parts of a record.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "GlusterFSTracing/xlator/instanceparts.h"
#include "GlusterFSTracing/xlator/fops.h"
#include "GlusterFSTracing/xlator/instance.h"

/* ---- Lists in options -------------------------------------------------- */

/* Two names that each operation has: here, and in GlusterFS' statistics. */
struct fopName {
	const char *name, *other;
	int index;
};

#define FOP_NAME(name, INDEX, ...) { #name, #INDEX, GF_FOP_##INDEX },

static const struct fopName fopNames[] = { HDG_FOPS(FOP_NAME) };

#undef FOP_NAME

static const struct {
	const char *name;
	unsigned int what;
} whatNames[] = {
	{ "gauges", RECORD_GAUGES },
	{ "relations", RECORD_RELATIONS },
	{ "states", RECORD_RELATIONS | RECORD_STATES },
	{ "all", RECORD_ALL },
	{ "none", 0 },
	{ "off", 0 },
};

static int findWhat(const char *word, uint64_t *bits)
{
	for (size_t i = 0; i < sizeof(whatNames) / sizeof(*whatNames); i++) {
		if (strcasecmp(word, whatNames[i].name) == 0) {
			*bits |= whatNames[i].what;
			return 0;
		}
	}
	return -1;
}

static int findFop(const char *word, uint64_t *bits)
{
	if (strcasecmp(word, "all") == 0) {
		*bits = ALL_FOPS;
		return 0;
	}
	for (size_t i = 0; i < sizeof(fopNames) / sizeof(*fopNames); i++) {
		if (strcasecmp(word, fopNames[i].name) == 0 ||
		    strcasecmp(word, fopNames[i].other) == 0) {
			*bits |= UINT64_C(1) << fopNames[i].index;
			return 0;
		}
	}
	return -1;
}

/* Words with commas or blanks between them; there is at least one. */
static int parseList(const char *text, int (*find)(const char *, uint64_t *),
		     uint64_t *bits, char *wrong, size_t size)
{
	char word[32];
	int words = 0;

	*bits = 0;
	for (;;) {
		size_t length;

		text += strspn(text, ", \t");
		length = strcspn(text, ", \t");
		if (length == 0)
			break;
		snprintf(wrong, size, "%.*s", (int)length, text);
		if (length >= sizeof(word))
			return -1;
		memcpy(word, text, length);
		word[length] = '\0';
		if (find(word, bits) < 0)
			return -1;
		text += length;
		words++;
	}
	if (words == 0)
		snprintf(wrong, size, "nothing");
	return words > 0 ? 0 : -1;
}

int instanceParseWhat(const char *text, unsigned int *what, char *wrong,
		      size_t size)
{
	uint64_t bits;

	if (parseList(text, findWhat, &bits, wrong, size) < 0)
		return -1;
	*what = (unsigned int)bits;
	return 0;
}

int instanceParseFops(const char *text, uint64_t *fops, char *wrong,
		      size_t size)
{
	return parseList(text, findFop, fops, wrong, size);
}

uint64_t instanceAllFops(void)
{
	uint64_t all = 0;

	for (size_t i = 0; i < sizeof(fopNames) / sizeof(*fopNames); i++)
		all |= UINT64_C(1) << fopNames[i].index;
	return all;
}

void instancePutFops(uint64_t fops, char *text, size_t size)
{
	const uint64_t all = instanceAllFops();
	size_t used = 0;

	snprintf(text, size, "%s", (fops & all) == all ? "all" : "none");
	if ((fops & all) == all)
		return;
	for (size_t i = 0; i < sizeof(fopNames) / sizeof(*fopNames); i++) {
		if (!(fops >> fopNames[i].index & 1) || used >= size)
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%s",
					 used ? "," : "", fopNames[i].name);
	}
}
