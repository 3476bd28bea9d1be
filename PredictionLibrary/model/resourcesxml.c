/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading resource models as XML: doc/format/prediction.md. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/model/builtin.h"
#include "PredictionLibrary/model/resources.h"
#include "PredictionLibrary/model/sax.h"

/* Elements that others are in; an entry is ENTRY + its number. */
#define ROOT 0
#define LEAF 1
#define ENTRY 2

/* Attributes that must be there; false after a message. */
static bool texts(struct hdPredictSax *sax, const char *element,
		  const struct hdPredictAttributes *attributes,
		  const char *const *names, char **values, int *ret)
{
	bool isGood = true;

	for (size_t i = 0; names[i]; i++) {
		values[i] = hdPredictAttributeCopy(attributes, names[i], ret);
		if (values[i] && *values[i])
			continue;
		isGood = false;
		if (*ret == 0)
			hdPredictError(sax->report, sax->line, NULL, 0,
				       "<%s> has no attribute %s", element,
				       names[i]);
	}
	return isGood;
}

static bool resourcesXmlIsAmount(struct hdPredictSax *sax, const char *id,
				 const char *name, double value)
{
	if (value >= 0)
		return true;
	hdPredictError(sax->report, sax->line, id, strlen(id),
		       "%s=\"%g\" is negative", name, value);
	return false;
}

/* Numbers of an entry: time, energy, and their deviations. */
#define ENTRY_NUMBERS 4

static const char *const entryNumbers[ENTRY_NUMBERS] = { "time", "energy",
							 "time-sd",
							 "energy-sd" };

/* The item of a list of numbers, with commas between; reports what is wrong.
 * @p text moves on to the next one, or becomes NULL. */
static bool resourcesXmlNextItem(struct hdPredictSax *sax, const char *id,
				 const char *name, const char **text,
				 double *value)
{
	size_t size = strcspn(*text, ",");

	if (!hdPredictToNumber(*text, size, value)) {
		hdPredictError(sax->report, sax->line, id, strlen(id),
			       "%s: \"%.*s\" of <entry> is not a finite number",
			       name, (int)(size > 100 ? 100 : size), *text);
		return false;
	}
	*text = (*text)[size] ? *text + size + 1 : NULL;
	return true;
}

/* The next count of a list; they ascend. */
static bool resourcesXmlNextCount(struct hdPredictSax *sax, const char *id,
				  const char **text, uint32_t *pes)
{
	double value;

	if (!resourcesXmlNextItem(sax, id, "pes", text, &value))
		return false;
	if (value < 1 || value > HD_PREDICT_PES_MAX ||
	    value != (double)(uint32_t)value || (uint32_t)value <= *pes) {
		hdPredictError(sax->report, sax->line, id, strlen(id),
			       "pes: %g: expected ascending whole numbers from "
			       "1 to %d",
			       value, HD_PREDICT_PES_MAX);
		return false;
	}
	*pes = (uint32_t)value;
	return true;
}

/* One entry for each count; false: reported, or *ret is set. */
static bool resourcesXmlAddEntries(struct hdPredictSax *sax, char **values,
				   const char *counts,
				   char *const numbers[ENTRY_NUMBERS], int *ret)
{
	hdPResources *resources = sax->data;
	const char *at[ENTRY_NUMBERS];
	size_t first = resources->entryCount;
	uint32_t pes = 0;

	memcpy(at, numbers, sizeof(at));
	do {
		double number[ENTRY_NUMBERS] = { 0 };
		int64_t entry;

		if (!resourcesXmlNextCount(sax, values[0], &counts, &pes))
			return false;
		for (size_t i = 0; i < ENTRY_NUMBERS; i++) {
			if (!numbers[i])
				continue;
			if (at[i] &&
			    (!resourcesXmlNextItem(sax, values[0],
						   entryNumbers[i], &at[i],
						   &number[i]) ||
			     !resourcesXmlIsAmount(sax, values[0],
						   entryNumbers[i], number[i])))
				return false;
			/* Both lists end together. */
			if (!at[i] == !counts)
				continue;
			hdPredictError(sax->report, sax->line, values[0],
				       strlen(values[0]),
				       "%s and pes have different numbers of "
				       "values",
				       entryNumbers[i]);
			return false;
		}
		entry = hdP_addEntry(resources, values[0], values[1], number[0],
				     number[1], number[2], number[3]);
		if (entry < 0) {
			*ret = (int)entry;
			return false;
		}
		resources->entries[entry].line = sax->line;
		resources->entries[entry].first = (uint32_t)first;
		resources->entries[entry].pes = pes;
	} while (counts);
	return true;
}

static int beginEntry(struct hdPredictSax *sax,
		      const struct hdPredictAttributes *attributes)
{
	static const char *const known[] = {
		"kernel",    "architecture", "time", "energy", "time-sd",
		"energy-sd", "pes",          "n",    "name",   NULL
	};
	static const char *const needed[] = { "kernel", "architecture", "time",
					      "energy", NULL };
	char *values[4] = { NULL }, *pes, *spreads[2];
	int64_t entry = ((hdPResources *)sax->data)->entryCount;
	bool isGood;
	int ret = 0;

	hdPredictOnly(sax, "entry", attributes, known);
	isGood = texts(sax, "entry", attributes, needed, values, &ret);
	pes = hdPredictAttributeCopy(attributes, "pes", &ret);
	for (size_t i = 0; i < 2; i++)
		spreads[i] = hdPredictAttributeCopy(attributes,
						    entryNumbers[2 + i], &ret);
	if (ret == 0 && isGood) {
		char *const numbers[ENTRY_NUMBERS] = { values[2], values[3],
						       spreads[0], spreads[1] };

		isGood = resourcesXmlAddEntries(sax, values, pes ? pes : "1",
						numbers, &ret);
	}
	for (size_t i = 0; i < 4; i++)
		free(values[i]);
	free(pes);
	free(spreads[0]);
	free(spreads[1]);
	if (ret == 0 && !isGood)
		return HD_PREDICT_SKIP;
	return ret < 0 ? ret : ENTRY + (int)entry;
}

static int resourcesXmlBeginAssign(struct hdPredictSax *sax, int entry,
				   const struct hdPredictAttributes *attributes)
{
	static const char *const needed[] = { "var", NULL };
	char *var = NULL;
	double value;
	int ret = 0;

	if (texts(sax, "assign", attributes, needed, &var, &ret) &&
	    hdPredictNumber(sax, attributes, "assign", "val", true, &value))
		ret = hdP_addCondition(sax->data, entry, var, value);
	free(var);
	return ret < 0 ? ret : LEAF;
}

static int beginSlowdown(struct hdPredictSax *sax,
			 const struct hdPredictAttributes *attributes)
{
	static const char *const known[] = {
		"architecture", "kernel", "load", "count",
		"factor",       "name",   NULL
	};
	static const char *const needed[] = { "architecture", "kernel", "load",
					      NULL };
	char *values[3] = { NULL, NULL, NULL };
	hdPResources *resources = sax->data;
	double count = 1, factor;
	bool isGood;
	int ret = 0;

	hdPredictOnly(sax, "slowdown", attributes, known);
	isGood = texts(sax, "slowdown", attributes, needed, values, &ret) &&
		 hdPredictNumber(sax, attributes, "slowdown", "factor", true,
				 &factor) &&
		 hdPredictNumber(sax, attributes, "slowdown", "count", true,
				 &count);
	if (isGood && (count < 1 || count > 100000 ||
		       count != (double)(uint32_t)count || factor <= 0)) {
		hdPredictError(sax->report, sax->line, values[1],
			       strlen(values[1]),
			       "count=\"%g\" factor=\"%g\": expected a whole "
			       "count from 1 to 100000, and a factor above 0",
			       count, factor);
		isGood = false;
	}
	if (isGood) {
		ret = hdP_addSlowdown(resources, values[0], values[1],
				      values[2], (uint32_t)count, factor);
		if (ret == 0)
			resources->slowdowns[resources->slowdownCount - 1]
				.line = sax->line;
		if (ret == -EINVAL) {
			hdPredictError(sax->report, sax->line, values[1],
				       strlen(values[1]),
				       "load=\"%.100s\": the number of loads "
				       "differs from the %g PEs",
				       values[2], count);
			ret = 0;
		}
	}
	for (size_t i = 0; i < 3; i++)
		free(values[i]);
	return ret < 0 ? ret : LEAF;
}

static int resourcesXmlBeginIo(struct hdPredictSax *sax,
			       const struct hdPredictAttributes *attributes)
{
	static const char *const known[] = {
		"architecture", "order", "access", "size", "time",
		"energy",       "n",     "name",   NULL
	};
	static const char *const needed[] = { "architecture", "order", "access",
					      NULL };
	char *values[3] = { NULL, NULL, NULL };
	double number[3] = { 0 };
	int ret = 0, class = -1;
	bool isGood;

	hdPredictOnly(sax, "io", attributes, known);
	isGood = texts(sax, "io", attributes, needed, values, &ret);
	for (size_t i = 0; i < 3; i++)
		isGood = hdPredictNumber(sax, attributes, "io", known[3 + i],
					 true, &number[i]) &&
			 isGood &&
			 resourcesXmlIsAmount(sax, values[0], known[3 + i],
					      number[i]);
	if (isGood) {
		class = hdPredictIoClass(values[1], strlen(values[1]),
					 values[2], strlen(values[2]));
		if (class < 0)
			hdPredictError(sax->report, sax->line, values[0],
				       strlen(values[0]),
				       HD_PREDICT_IO_UNKNOWN);
		else if (!(number[0] > 0))
			hdPredictError(sax->report, sax->line, values[0],
				       strlen(values[0]),
				       "accesses have a size of 0");
		isGood = class >= 0 && number[0] > 0;
	}
	if (isGood)
		ret = hdP_addIoCosts(sax->data, values[0], (hdPAccess) class,
				     number[0], number[1], number[2]);
	if (ret == -EEXIST) {
		hdPredictError(sax->report, sax->line, values[0],
			       strlen(values[0]), "duplicate costs of %s %ss",
			       values[1], values[2]);
		ret = 0;
	}
	for (size_t i = 0; i < 3; i++)
		free(values[i]);
	return ret < 0 ? ret : LEAF;
}

static int resourcesXmlBeginElement(
	struct hdPredictSax *sax, int parent, const char *name,
	const struct hdPredictAttributes *attributes)
{
	if (parent == ROOT && strcmp(name, "entry") == 0)
		return beginEntry(sax, attributes);
	if (parent == ROOT && strcmp(name, "slowdown") == 0)
		return beginSlowdown(sax, attributes);
	if (parent == ROOT && strcmp(name, "io") == 0)
		return resourcesXmlBeginIo(sax, attributes);
	if (parent >= ENTRY && strcmp(name, "assign") == 0)
		return resourcesXmlBeginAssign(sax, parent - ENTRY, attributes);
	return hdPredictUnknown(sax, name,
				parent == ROOT   ? "resource-model"
				: parent == LEAF ? "an element without any"
						 : "entry");
}

int hdPredictResourcesReadXml(struct hdPredictSource *source,
			      hdPResources *resources,
			      struct hdPredictReport *report)
{
	struct hdPredictSax sax = { .root = "resource-model",
				    .begin = resourcesXmlBeginElement,
				    .data = resources,
				    .report = report };
	int ret = hdPredictSaxRead(&sax, source);

	if (ret == 0 && sax.status)
		ret = -EINVAL;
	return ret < 0 ? ret : hdPredictResourcesSeal(resources, report);
}

int hdP_readResources(const char *path, hdPResources **result,
		      hdPMessageHandler handler, void *data)
{
	struct hdPredictReport report = { handler, data, path, 0 };
	struct hdPredictSource source = { .fd = -1 };
	hdPResources *resources;
	int ret;

	if (!path || !result)
		return -EINVAL;
	resources = hdP_createResources();
	if (!resources)
		return -ENOMEM;
	ret = hdPredictBuiltinResources(path, resources);
	if (ret == -ENOENT) {
		ret = hdPredictOpen(path, &source);
		if (ret == 0)
			ret = hdPredictResourcesReadXml(&source, resources,
							&report);
		hdPredictClose(&source);
	}
	resources->file = strdup(path);
	if (!resources->file)
		ret = -ENOMEM;
	if (ret == 0 && report.errors)
		ret = -EINVAL;
	if (ret < 0) {
		hdP_destroyResources(resources);
		return ret;
	}
	*result = resources;
	return 0;
}
