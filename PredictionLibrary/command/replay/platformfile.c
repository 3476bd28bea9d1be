/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The platform that SimGrid reads: one of its own, or one of ours, with speeds
 * and links that are scaled. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/command/calibrate/machinexml.h"
#include "PredictionLibrary/command/errors.h"
#include "PredictionLibrary/command/replay/replaying.h"
#include "PredictionLibrary/mapping/routes.h"
#include "PredictionLibrary/model/platform.h"

int platformFileScale(const struct predict *predict, const char *text,
		      struct replayScale *scale)
{
	static const char *const names[] = { "cpu", "bandwidth", "latency" };
	double *const factors[] = { &scale->cpu, &scale->bandwidth,
				    &scale->latency };
	char **parts = g_strsplit(text ? text : "", ",", -1);
	int status = PREDICT_OK;

	*scale = (struct replayScale){ 1, 1, 1 };
	for (char **part = parts; *part && status == PREDICT_OK; part++) {
		char *value = strchr(*part, '='), *end = NULL;
		double factor = 0;
		size_t i = 0;

		if (value)
			*value++ = '\0';
		while (i < G_N_ELEMENTS(names) && strcmp(names[i], *part) != 0)
			i++;
		if (value)
			factor = g_ascii_strtod(value, &end);
		if (i == G_N_ELEMENTS(names) || !value || end == value ||
		    *end || !(factor > 0) || isinf(factor))
			status = predictInvalidValue(
				predict, "scale", text,
				"cpu=F,bandwidth=F,latency=F with factors "
				"above 0");
		else
			*factors[i] = factor;
	}
	g_strfreev(parts);
	return status;
}

/* ---- SimGrid's --------------------------------------------------------- */

/* Attributes of SimGrid's elements that are scaled, and their values. */
struct platformFileScaling {
	const char *pattern;
	double factor;
};

/* A list of numbers with units, each of which is scaled. */
static char *platformFileMultiply(const char *text, double factor)
{
	char **parts = g_strsplit(text, ",", -1);
	GString *all = g_string_new(NULL);

	for (char **part = parts; *part; part++) {
		char number[G_ASCII_DTOSTR_BUF_SIZE];
		char *end;
		double value = g_ascii_strtod(*part, &end);

		if (part > parts)
			g_string_append_c(all, ',');
		if (end == *part) {
			g_string_append(all, *part);
			continue;
		}
		g_string_append(all, g_ascii_dtostr(number, sizeof(number),
						    value * factor));
		g_string_append(all, end);
	}
	g_strfreev(parts);
	return g_string_free(all, FALSE);
}

static gboolean platformFileReplace(const GMatchInfo *match, GString *result,
				    gpointer data)
{
	const double *factor = data;
	char *name = g_match_info_fetch(match, 1);
	char *value = g_match_info_fetch(match, 2);
	char *scaled = platformFileMultiply(value, *factor);

	g_string_append_printf(result, "%s\"%s\"", name, scaled);
	g_free(name);
	g_free(value);
	g_free(scaled);
	return FALSE;
}

static char *platformFileScaleText(char *text, const struct replayScale *scale)
{
	const struct platformFileScaling all[] = {
		{ "(\\bspeed\\s*=\\s*)[\"']([^\"']*)[\"']", scale->cpu },
		{ "(\\b(?:bandwidth|bw|bb_bw|loopback_bw)\\s*=\\s*)"
		  "[\"']([^\"']*)[\"']",
		  scale->bandwidth },
		{ "(\\b(?:latency|lat|bb_lat|loopback_lat)\\s*=\\s*)"
		  "[\"']([^\"']*)[\"']",
		  scale->latency },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
		double factor = all[i].factor;
		GRegex *regex;
		char *scaled;

		if (factor == 1)
			continue;
		regex = g_regex_new(all[i].pattern, 0, 0, NULL);
		scaled = g_regex_replace_eval(regex, text, -1, 0, 0,
					      platformFileReplace, &factor,
					      NULL);
		g_regex_unref(regex);
		if (scaled) {
			g_free(text);
			text = scaled;
		}
	}
	return text;
}

/* ---- Ours -------------------------------------------------------------- */

/* Operations per second of a PE, whose platform says nothing of it. */
#define PLATFORM_SPEED 1e9

static void platformFilePutNumber(FILE *file, const char *format, double number)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	g_ascii_dtostr(text, sizeof(text), number);
	fprintf(file, format, text);
}

static void platformFilePutServer(FILE *file, const hdPPlatform *platform,
				  uint32_t server,
				  const struct replayScale *scale)
{
	const struct hdPredictServer *of = &platform->servers[server];
	char *name = g_markup_escape_text(platform->serverIds[server], -1);
	uint32_t cores = 0;

	for (uint32_t i = 0; i < platform->peCount; i++)
		cores += platform->pes[i].server == server;
	fprintf(file, "<host id=\"%s\" core=\"%u\"", name, MAX(cores, 1));
	platformFilePutNumber(file, " speed=\"%sf\"",
			      PLATFORM_SPEED * scale->cpu);
	if (of->peakPower > 0) {
		platformFilePutNumber(
			file, "><prop id=\"wattage_per_state\" value=\"%s",
			of->idlePower);
		platformFilePutNumber(file, ":%s", of->idlePower);
		platformFilePutNumber(file, ":%s\"/></host>\n", of->peakPower);
	} else {
		fputs("/>\n", file);
	}
	g_free(name);
}

/* The name of its bridge; the second direction has a number besides. To be
 * freed. */
static char *platformFileLink(const hdPPlatform *platform, uint32_t edge)
{
	const char *name = platform->bridgeIds[edge];
	/* Both directions follow each other. */
	bool isFirst = edge == 0 || platform->edges[edge - 1].bridge !=
					    platform->edges[edge].bridge;

	return isFirst ? g_markup_escape_text(name, -1)
		       : g_markup_printf_escaped("%s-%u", name, edge);
}

static void platformFilePutBridge(FILE *file, const hdPPlatform *platform,
				  uint32_t edge,
				  const struct replayScale *scale)
{
	const struct hdPredictEdgeOf *of = &platform->edges[edge];
	double bandwidth = of->latency > 0 && of->size > 0
				   ? of->size / of->latency * 1e9
				   : 1e15;

	char *name = platformFileLink(platform, edge);

	fprintf(file, "<link id=\"%s\"", name);
	g_free(name);
	platformFilePutNumber(file, " bandwidth=\"%sBps\"",
			      bandwidth * scale->bandwidth);
	platformFilePutNumber(file, " latency=\"%ss\"/>\n",
			      of->init / 1e9 * scale->latency);
}

static void platformFilePutRoute(FILE *file, const hdPPlatform *platform,
				 struct hdPredictRoutes *routes, uint32_t from,
				 uint32_t to)
{
	const uint32_t *edges;
	int count = hdPredictRoute(routes, from, to, &edges);
	char *names[2] = {
		g_markup_escape_text(platform->serverIds[from], -1),
		g_markup_escape_text(platform->serverIds[to], -1),
	};

	if (count > 0) {
		fprintf(file,
			"<route src=\"%s\" dst=\"%s\" symmetrical=\"NO\">",
			names[0], names[1]);
		for (int i = 0; i < count; i++) {
			char *link = platformFileLink(platform, edges[i]);

			fprintf(file, "<link_ctn id=\"%s\"/>", link);
			g_free(link);
		}
		fputs("</route>\n", file);
	}
	g_free(names[0]);
	g_free(names[1]);
}

static int platformFileConvert(struct replay *self, const char *path,
			       const struct replayScale *scale, FILE *file)
{
	struct hdPredictRoutes *routes;
	hdPPlatform *platform = NULL;
	int status = predictRead(self->predict, NULL, NULL, path, &platform,
				 NULL, NULL);

	if (status != PREDICT_OK)
		return status;
	fputs("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
	      "\"https://simgrid.org/simgrid.dtd\">\n"
	      "<platform version=\"4.1\">\n"
	      "<zone id=\"platform\" routing=\"Full\">\n",
	      file);
	routes = hdPredictRoutesNew(platform);
	for (uint32_t i = 0; i < platform->serverCount; i++)
		platformFilePutServer(file, platform, i, scale);
	for (uint32_t i = 0; i < platform->edgeCount; i++)
		platformFilePutBridge(file, platform, i, scale);
	for (uint32_t i = 0; routes && i < platform->serverCount; i++) {
		for (uint32_t k = 0; k < platform->serverCount; k++) {
			if (i != k)
				platformFilePutRoute(file, platform, routes, i,
						     k);
		}
	}
	fputs("</zone>\n</platform>\n", file);
	hdPredictRoutesFree(routes);
	hdP_destroyPlatform(platform);
	return routes ? PREDICT_OK
		      : predictError(self->predict, "%s", g_strerror(ENOMEM));
}

/* The platform of the run, scaled as any other one. */
static void platformFileMeasured(struct replay *self,
				 const struct replayScale *scale, FILE *file)
{
	struct machineXml machine;
	char *text = NULL, *copy;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);

	machineXmlInit(&machine);
	measuredPlatform(self, &machine);
	if (memory) {
		machineXmlPut(&machine, memory);
		fclose(memory);
		copy = platformFileScaleText(g_strdup(text), scale);
		fputs(copy, file);
		g_free(copy);
	}
	free(text);
	machineXmlClear(&machine);
}

int platformFileWrite(struct replay *self, const char *path,
		      const struct replayScale *scale)
{
	char *name = replayFile(self, "platform.xml"), *text = NULL;
	int status = PREDICT_OK;
	GError *error = NULL;
	FILE *file = fopen(name, "we");

	if (!file) {
		status = predictErrorCreate(self->predict, name, errno);
	} else if (!path) {
		platformFileMeasured(self, scale, file);
	} else if (strncmp(path, "thesis", 6) == 0 &&
		   !g_file_test(path, G_FILE_TEST_EXISTS)) {
		status = platformFileConvert(self, path, scale, file);
	} else if (!g_file_get_contents(path, &text, NULL, &error)) {
		status = predictError(self->predict, "%s", error->message);
		g_error_free(error);
	} else if (strstr(text, "simgrid.dtd") ||
		   strstr(text, "<platform version=")) {
		text = platformFileScaleText(text, scale);
		fputs(text, file);
	} else {
		status = platformFileConvert(self, path, scale, file);
	}
	if (file && (ferror(file) | (fclose(file) != 0)) &&
	    status == PREDICT_OK)
		status = predictErrorWrite(self->predict, name, errno);
	g_free(text);
	g_free(name);
	return status;
}
