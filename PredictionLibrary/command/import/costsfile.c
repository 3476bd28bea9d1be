/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing resource models; see costsfile.h. */
#include "config.h"

#include <stdio.h>

#include "PredictionLibrary/command/errors.h"
#include "PredictionLibrary/command/import/costsfile.h"
#include "PredictionLibrary/model/resources.h"
#include "common/format/escape.h"
#include "common/number.h"

static void costsFileName(FILE *file, const char *key,
			  const struct hdPredictNames *names, uint32_t number)
{
	size_t length;
	const char *name = hdPredictName(names, number, &length);
	char *copy = g_strndup(name, length);

	fprintf(file, " %s=\"", key);
	hdEscapeTo(file, copy);
	fputc('"', file);
	g_free(copy);
}

static void costsFileNumber(FILE *file, const char *key, double value)
{
	char text[HD_DOUBLE_MAX + 1];

	*hdNumberDouble(text, value) = '\0';
	fprintf(file, " %s=\"%s\"", key, text);
}

static void costsFileEntry(FILE *file, const hdPResources *resources,
			   const struct hdPredictEntry *entry)
{
	fputs("  <entry", file);
	costsFileName(file, "kernel", &resources->kernels, entry->kernel);
	costsFileName(file, "architecture", &resources->architectures,
		      entry->architecture);
	costsFileNumber(file, "time", entry->time);
	costsFileNumber(file, "energy", entry->energy);
	fputs(entry->conditionCount ? ">" : "/>\n", file);
	for (uint32_t i = 0; i < entry->conditionCount; i++) {
		const struct hdPredictCondition *condition =
			&resources->conditions[entry->conditions + i];

		fputs("<assign", file);
		costsFileName(file, "var", &resources->variables,
			      condition->variable);
		costsFileNumber(file, "val", condition->value);
		fputs("/>", file);
	}
	if (entry->conditionCount)
		fputs("</entry>\n", file);
}

int costsFileStart(struct predict *predict, const hdPResources *resources,
		   const char *path, struct newFile *file)
{
	int ret = newFileStart(file, path);

	if (ret < 0)
		return predictErrorWrite(predict, path, ret);
	hdNumberPrepare();
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	      "<resource-model>\n",
	      file->file);
	for (size_t i = 0; i < resources->entryCount && !ferror(file->file);
	     i++)
		costsFileEntry(file->file, resources, &resources->entries[i]);
	fputs("</resource-model>\n", file->file);
	return PREDICT_OK;
}

int costsFileEnd(struct predict *predict, const char *path,
		 struct newFile *file)
{
	int ret = newFileCommit(file, true);

	return ret < 0 ? predictErrorWrite(predict, path, ret) : PREDICT_OK;
}
