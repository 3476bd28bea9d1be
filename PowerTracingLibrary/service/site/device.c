/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The [Device], [Line] and [Trace] sections of the configuration of a service.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/service/site/parse.h"

/* Lines of a device at most: their numbers have 16 bit, and groups of columns
 * this size. */
#define LINES_MAX PT_WIRE_COLUMNS_MAX

static const char *const deviceKeys[] = {
	"name",  "driver",  "port",     "baud",        "cycle",
	"delay", "project", "topology", "description", NULL,
};

static const char *const lineKeys[] = {
	"device", "name", "node", "input", "values", "sum", "description", NULL,
};

bool ptSiteCheckName(struct ptParse *parse, const struct hdIniKey *key,
		     const char *name)
{
	if (*name && strlen(name) < PT_SITE_NAME_MAX &&
	    !name[strspn(name, "abcdefghijklmnopqrstuvwxyz"
			       "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			       "0123456789._-")])
		return true;
	ptParseFail(parse, key,
		    "%s=%.60s: invalid name; use letters, digits, \".\", \"_\" "
		    "and \"-\", at most %d",
		    key->name, name, PT_SITE_NAME_MAX - 1);
	return false;
}

/* How values become one. */
static enum ptWireKind siteDeviceValueKind(const struct ptQuantity *quantity)
{
	switch (quantity->kind) {
	case HD_KIND_COUNTER:
		return PT_WIRE_RUNNING;
	case HD_KIND_DELTA:
		return PT_WIRE_AMOUNT;
	case HD_KIND_GAUGE:
		break;
	}
	return PT_WIRE_MEAN;
}

static bool valueCanBeAdded(const struct ptQuantity *quantity)
{
	static const char *const units[] = {
		"W", "J", "Wh", "VA", "var", NULL
	};

	return quantity->unit && ptParseIsIn(units, quantity->unit);
}

/* ---- Lines ------------------------------------------------------------- */

/* Find or add a column; returns its index, or SIZE_MAX without memory. */
static size_t lineColumn(struct ptParse *parse,
			 const struct ptQuantity *quantity,
			 unsigned int channel, const char *label,
			 const struct ptScale *scale)
{
	struct ptConfig *config = parse->config;
	size_t count = config->columnCount;
	struct ptColumn *columns;
	char **names;

	for (size_t i = 0; i < count; i++) {
		const struct ptColumn *c = &config->columns[i];

		if (c->quantity == quantity && c->channel == channel &&
		    c->scale.set == scale->set &&
		    c->scale.voltage == scale->voltage &&
		    c->scale.slope == scale->slope &&
		    c->scale.offset == scale->offset)
			return i;
	}
	columns = reallocarray(config->columns, count + 1, sizeof(*columns));
	if (!ptParseGot(parse, columns))
		return SIZE_MAX;
	config->columns = columns;
	names = reallocarray(config->names, count + 1, sizeof(*names));
	if (!ptParseGot(parse, names))
		return SIZE_MAX;
	config->names = names;
	names[count] = NULL;
	columns[count] = (struct ptColumn){ .quantity = quantity,
					    .channel = channel,
					    .scale = *scale };
	snprintf(columns[count].label, sizeof(columns[count].label), "%s",
		 label);
	return config->columnCount++;
}

static void lineValues(struct ptParse *parse, struct ptSiteLine *line,
		       const struct ptQuantity *const *quantities, size_t count,
		       unsigned int channel, const struct ptScale *scale)
{
	line->values = calloc(count, sizeof(*line->values));
	if (!ptParseGot(parse, line->values))
		return;
	for (size_t i = 0; i < count; i++) {
		struct ptSiteValue *value = &line->values[i];

		value->quantity = quantities[i];
		value->kind = siteDeviceValueKind(quantities[i]);
		value->canBeAdded = valueCanBeAdded(quantities[i]);
		value->column = lineColumn(parse, quantities[i], channel,
					   line->channel, scale);
		if (value->column == SIZE_MAX)
			return;
		line->valueCount++;
	}
}

/* Add an empty line with a name that is free; NULL after a report. */
static struct ptSiteLine *lineAdd(struct ptParse *parse,
				  struct ptSiteDevice *device,
				  const struct hdIniSection *section,
				  const struct hdIniKey *key, const char *name)
{
	struct ptSiteLine *lines;

	if (strlen(name) >= PT_SITE_NAME_MAX) {
		ptParseFailAt(parse, section->line,
			      "\"%.60s...\": too long for the name of a line; "
			      "set another name with name=",
			      name);
		return NULL;
	}
	for (size_t i = 0; i < device->lineCount; i++) {
		if (strcmp(device->lines[i].name, name) != 0)
			continue;
		ptParseFailAt(parse, key ? key->line : section->line,
			      "%s: duplicate line %s", device->name, name);
		return NULL;
	}
	if (device->lineCount == LINES_MAX) {
		ptParseFailAt(parse, section->line, "%s: more than %d lines",
			      device->name, LINES_MAX);
		return NULL;
	}
	lines = reallocarray(device->lines, device->lineCount + 1,
			     sizeof(*lines));
	if (!ptParseGot(parse, lines))
		return NULL;
	device->lines = lines;
	lines += device->lineCount++;
	*lines = (struct ptSiteLine){ .description = "", .voltage = NAN };
	strcpy(lines->name, name);
	return lines;
}

/* What a [Line] says of all its channels. */
struct lineParts {
	const struct hdIniKey *name, *node, *channel, *description;
	const struct ptQuantity **quantities;
	size_t quantityCount;
	struct ptScale scale;
	bool isSummed;
};

static void lineChannels(struct ptParse *parse, struct ptSiteDevice *device,
			 const struct hdIniSection *section,
			 const struct lineParts *parts)
{
	const char *text = parts->channel ? parts->channel->value : NULL;
	bool isAll = text && strchr(text, '*');
	char why[300] = "unknown input";

	for (size_t i = 0; isAll || i == 0; i++) {
		char label[PT_CHANNEL_MAX] = "";
		struct ptSiteLine *line;
		unsigned int number;
		int ret = parse->config->driver->resolve(&parse->setup, text, i,
							 &number, label, why,
							 sizeof(why));

		if (ret == -ENOENT && i > 0)
			return;
		if (ret < 0) {
			ptParseFailAt(parse,
				      parts->channel ? parts->channel->line
						     : section->line,
				      "[Line] input=%.60s: %s",
				      text ? text : "", why);
			return;
		}
		line = lineAdd(parse, device, section, parts->name,
			       parts->name ? parts->name->value : label);
		if (!line)
			return;
		memcpy(line->channel, label, sizeof(label));
		line->node = parts->node ? parts->node->value : "";
		line->isSummed = parts->isSummed;
		if (parts->description)
			line->description = parts->description->value;
		if (parts->scale.set & PT_SCALE_VOLTAGE)
			line->voltage = parts->scale.voltage;
		lineValues(parse, line, parts->quantities, parts->quantityCount,
			   number, &parts->scale);
	}
}

static void lineNode(struct ptParse *parse, const struct hdIniKey *key)
{
	size_t depth;
	char **labels;

	if (strlen(key->value) >= PT_SITE_NODE_MAX) {
		ptParseFail(parse, key,
			    "node=%.60s...: longer than %d characters",
			    key->value, PT_SITE_NODE_MAX - 1);
		return;
	}
	labels = ptParseSplit(parse, key->value, '_', &depth);
	if (labels)
		ptParseLabels(parse, key, labels, depth);
	free(labels);
}

/* Whether a line counts in the sum of its node. */
static bool lineIsSummed(struct ptParse *parse,
			 const struct hdIniSection *section)
{
	const struct hdIniKey *key = hdIniFind(section, "sum");

	if (key && strcmp(key->value, "yes") != 0 &&
	    strcmp(key->value, "no") != 0)
		ptParseFail(parse, key,
			    "sum=%.60s: invalid value; expected yes or no",
			    key->value);
	return !key || strcmp(key->value, "yes") == 0;
}

static void lineRead(struct ptParse *parse, struct ptSiteDevice *device,
		     const struct hdIniSection *section)
{
	const struct hdIniKey usual = { "values", "P", section->line };
	const struct hdIniKey *values = hdIniFind(section, "values");
	struct lineParts parts = {
		.name = hdIniFind(section, "name"),
		.node = ptParseNeed(parse, section, "node"),
		.channel = hdIniFind(section, "input"),
		.description = hdIniFind(section, "description"),
		.isSummed = lineIsSummed(parse, section),
	};
	const char *scaleKeys[4] = { NULL };

	if (parts.name)
		ptSiteCheckName(parse, parts.name, parts.name->value);
	if (parts.node)
		lineNode(parse, parts.node);
	if (!parse->config->driver)
		return;
	ptParseScaleKeys(parse->config->driver, scaleKeys);
	ptParseScale(parse, section, &parts.scale);
	ptParseQuantities(parse, section, values ? values : &usual,
			  &parts.scale, &parts.quantities,
			  &parts.quantityCount);
	if (parts.quantityCount > 0)
		lineChannels(parse, device, section, &parts);
	free(parts.quantities);
	ptParseUnknown(parse, section, lineKeys, scaleKeys);
}

/* ---- Devices ----------------------------------------------------------- */

/* Whether a section is one of a device; *key is what names it. */
static bool sectionIsOf(const struct hdIniSection *section,
			const struct ptSiteDevice *device)
{
	const struct hdIniKey *key = hdIniFind(section, "device");

	return (strcmp(section->name, "Line") == 0 ||
		strcmp(section->name, "Trace") == 0) &&
	       key && strcmp(key->value, device->name) == 0;
}

static void deviceSections(struct ptParse *parse, struct ptSiteDevice *device)
{
	const struct hdIniSection **list =
		reallocarray(NULL, parse->ini->count + 1, sizeof(*list));

	if (!ptParseGot(parse, list))
		return;
	device->sections = list;
	list[device->sectionCount++] = NULL;
	for (size_t i = 0; i < parse->ini->count; i++)
		if (sectionIsOf(&parse->ini->sections[i], device))
			list[device->sectionCount++] = &parse->ini->sections[i];
}

static void deviceName(struct ptParse *parse, const struct ptSite *site,
		       struct ptSiteDevice *device, const struct hdIniKey *key)
{
	device->name = key->value;
	ptSiteCheckName(parse, key, key->value);
	for (size_t i = 0; i + 1 < site->deviceCount; i++)
		if (strcmp(site->devices[i].name, device->name) == 0)
			ptParseFail(parse, key, "name=%.60s: duplicate device",
				    device->name);
}

static bool deviceHas(const struct ptSiteDevice *device, const char *name)
{
	for (size_t i = 1; i < device->sectionCount; i++)
		if (strcmp(device->sections[i]->name, name) == 0)
			return true;
	return false;
}

static void deviceRead(struct ptParse *parse, const struct ptSite *site,
		       struct ptSiteDevice *device,
		       const struct hdIniSection *section)
{
	const struct hdIniKey *name = ptParseNeed(parse, section, "name");
	const struct hdIniKey *text = hdIniFind(section, "description");

	parse->config = &device->config;
	device->name = "";
	device->description = text ? text->value : "";
	if (name)
		deviceName(parse, site, device, name);
	ptParseDevice(parse, section, "driver", deviceKeys);
	device->config.name = device->name;
	deviceSections(parse, device);
	if (!device->sections || !name)
		return;
	device->sections[0] = section;
	ptParseProject(parse, section, deviceHas(device, "Trace"));
	parse->device = device->name;
	ptParseTraces(parse);
	for (size_t i = 1; i < device->sectionCount; i++)
		if (strcmp(device->sections[i]->name, "Line") == 0)
			lineRead(parse, device, device->sections[i]);
	if (device->sectionCount == 1)
		ptParseFail(parse, name,
			    "%s: no [Line] and no [Trace] of this device",
			    device->name);
}

/* Sections of a device that there is not. */
static void devicesMissing(struct ptParse *parse, const struct ptSite *site)
{
	for (size_t i = 0; i < parse->ini->count; i++) {
		const struct hdIniSection *section = &parse->ini->sections[i];
		const struct hdIniKey *key;

		if (strcmp(section->name, "Line") != 0 &&
		    strcmp(section->name, "Trace") != 0)
			continue;
		key = ptParseNeed(parse, section, "device");
		if (key && !ptSiteFindDevice(site, key->value))
			ptParseFail(parse, key,
				    "device=%.60s: no [Device] has this name",
				    key->value);
	}
}

void ptSiteDevices(struct ptParse *parse, struct ptSite *site)
{
	size_t count = 0;

	for (size_t i = 0; i < parse->ini->count; i++)
		count += strcmp(parse->ini->sections[i].name, "Device") == 0;
	site->devices = calloc(count + 1, sizeof(*site->devices));
	if (!ptParseGot(parse, site->devices))
		return;
	for (size_t i = 0; i < parse->ini->count; i++)
		if (strcmp(parse->ini->sections[i].name, "Device") == 0)
			deviceRead(parse, site,
				   &site->devices[site->deviceCount++],
				   &parse->ini->sections[i]);
	devicesMissing(parse, site);
}

void ptSiteFreeDevices(struct ptSite *site)
{
	for (size_t i = 0; i < site->deviceCount; i++) {
		struct ptSiteDevice *device = &site->devices[i];

		for (size_t j = 0; j < device->lineCount; j++)
			free(device->lines[j].values);
		free(device->lines);
		free(device->sections);
		ptConfigClear(&device->config);
	}
	free(site->devices);
}

static bool sectionIsSame(const struct hdIniSection *a,
			  const struct hdIniSection *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (strcmp(a->keys[i].name, b->keys[i].name) != 0 ||
		    strcmp(a->keys[i].value, b->keys[i].value) != 0)
			return false;
	return strcmp(a->name, b->name) == 0;
}

bool ptSiteIsSame(const struct ptSiteDevice *a, const struct ptSiteDevice *b)
{
	if (a->sectionCount != b->sectionCount)
		return false;
	for (size_t i = 0; i < a->sectionCount; i++)
		if (!sectionIsSame(a->sections[i], b->sections[i]))
			return false;
	return true;
}
