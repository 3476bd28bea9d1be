/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The keys of a section that say what the raw numbers of a channel mean. */
#include "config.h"

#include <errno.h>
#include <stddef.h>

#include "PowerTracingLibrary/src/config/parse.h"
#include "common/number.h"

static const struct {
	const char *name;
	enum ptScaleTerm term;
	size_t offset;
} terms[] = {
	{ "voltage", PT_SCALE_VOLTAGE, offsetof(struct ptScale, voltage) },
	{ "slope", PT_SCALE_SLOPE, offsetof(struct ptScale, slope) },
	{ "offset", PT_SCALE_OFFSET, offsetof(struct ptScale, offset) },
};
#define TERMS (sizeof(terms) / sizeof(terms[0]))

void ptParseScaleKeys(const struct ptDriver *driver, const char *keys[4])
{
	size_t count = 0;

	for (size_t i = 0; i < TERMS; i++)
		if (driver->scales & terms[i].term)
			keys[count++] = terms[i].name;
	keys[count] = NULL;
}

void ptParseScale(struct ptParse *parse, const struct hdIniSection *section,
		  struct ptScale *scale)
{
	const struct ptDriver *driver = parse->config->driver;

	*scale = (struct ptScale){ 0 };
	for (size_t i = 0; i < TERMS; i++) {
		const struct hdIniKey *key = hdIniFind(section, terms[i].name);
		double value = 0;
		int ret;

		if (!key || !(driver->scales & terms[i].term))
			continue;
		ret = hdNumberParse(key->value, &value);
		if (ret == -ENOMEM)
			parse->isOutOfMemory = true;
		else if (ret < 0)
			ptParseFail(parse, key, "%s=%.60s: invalid number",
				    key->name, key->value);
		else if (value == 0 && terms[i].term == PT_SCALE_SLOPE)
			ptParseFail(parse, key, "%s=%.60s: must not be 0",
				    key->name, key->value);
		*(double *)((char *)scale + terms[i].offset) = value;
		scale->set |= terms[i].term;
	}
}

void ptParseScaleFits(struct ptParse *parse, const struct hdIniSection *section,
		      const struct ptQuantity *quantity,
		      const struct ptScale *scale)
{
	for (size_t i = 0; i < TERMS; i++)
		if (quantity->needs & ~scale->set & terms[i].term)
			ptParseFailAt(
				parse, section->line,
				"[%s]: missing key %s=; required by %s of %s",
				section->name, terms[i].name, quantity->name,
				parse->config->driver->name);
}
