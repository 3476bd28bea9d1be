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

static int beginEntry(struct hdPredictSax *sax,
		      const struct hdPredictAttributes *attributes)
{
	static const char *const known[] = { "kernel",  "architecture",
					     "time",    "energy",
					     "time-sd", "energy-sd",
					     "n",       "name",
					     NULL };
	static const char *const needed[] = { "kernel", "architecture", NULL };
	char *values[2] = { NULL, NULL };
	double number[4] = { 0 };
	hdPResources *resources = sax->data;
	int64_t entry = LEAF - ENTRY;
	bool isGood;
	int ret = 0;

	hdPredictOnly(sax, "entry", attributes, known);
	isGood = texts(sax, "entry", attributes, needed, values, &ret);
	for (size_t i = 0; i < 4; i++) {
		uint64_t before = sax->report->errors;

		hdPredictNumber(sax, attributes, "entry", known[2 + i], i < 2,
				&number[i]);
		isGood = isGood && before == sax->report->errors &&
			 resourcesXmlIsAmount(sax, values[0], known[2 + i],
					      number[i]);
	}
	if (isGood) {
		entry = hdP_addEntry(resources, values[0], values[1], number[0],
				     number[1], number[2], number[3]);
		if (entry >= 0)
			resources->entries[entry].line = sax->line;
		else
			ret = (int)entry;
	}
	free(values[0]);
	free(values[1]);
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
