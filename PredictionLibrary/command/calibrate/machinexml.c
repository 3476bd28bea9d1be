/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Platforms of what was measured; see machinexml.h. */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "PredictionLibrary/command/calibrate/machinexml.h"

static struct machineXmlHost *machineXmlHostAt(const struct machineXml *self,
					       guint number)
{
	return &g_array_index(self->hosts, struct machineXmlHost, number);
}

static void machineXmlFreeHost(void *data)
{
	struct machineXmlHost *host = data;

	g_free(host->name);
}

void machineXmlInit(struct machineXml *self)
{
	*self = (struct machineXml){
		.hosts = g_array_new(FALSE, FALSE,
				     sizeof(struct machineXmlHost)),
		.options = g_ptr_array_new_with_free_func(g_free),
	};
	g_array_set_clear_func(self->hosts, machineXmlFreeHost);
}

void machineXmlClear(struct machineXml *self)
{
	g_array_unref(self->hosts);
	g_ptr_array_unref(self->options);
	g_free(self->watts);
}

guint machineXmlAddHost(struct machineXml *self, const char *name,
			int64_t cores)
{
	struct machineXmlHost host = { g_strdup(name), cores };

	g_strcanon(host.name,
		   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		   "0123456789.-",
		   '-');
	for (guint i = 0; i < self->hosts->len; i++) {
		if (strcmp(machineXmlHostAt(self, i)->name, host.name) != 0)
			continue;
		g_free(host.name);
		return i;
	}
	g_array_append_val(self->hosts, host);
	return self->hosts->len - 1;
}

void machineXmlAddOption(struct machineXml *self, char *option)
{
	g_ptr_array_add(self->options, option);
}

/* ---- Writing ----------------------------------------------------------- */

static void machineXmlPutNumber(FILE *file, const char *before, double number,
				const char *after)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	fprintf(file, "%s%s%s", before,
		g_ascii_formatd(text, sizeof(text), "%.9g", number), after);
}

static void machineXmlPutOptions(const struct machineXml *self, FILE *file)
{
	if (self->options->len == 0)
		return;
	fputs("  <config id=\"General\">\n", file);
	for (guint i = 0; i < self->options->len; i++) {
		const char *option = self->options->pdata[i];
		const char *value = strchr(option, ':');

		fprintf(file, "    <prop id=\"%.*s\" value=\"%s\"/>\n",
			(int)(value - option), option, value + 1);
	}
	fputs("  </config>\n", file);
}

static void machineXmlPutHost(const struct machineXml *self, FILE *file,
			      const struct machineXmlHost *host)
{
	fprintf(file, "    <host id=\"%s\" core=\"%" PRId64 "\"", host->name,
		host->cores);
	machineXmlPutNumber(file, " speed=\"", MACHINE_XML_SPEED, "f\"");
	if (self->watts)
		fprintf(file,
			"><prop id=\"wattage_per_state\" value=\"%s\"/>"
			"</host>\n",
			self->watts);
	else
		fputs("/>\n", file);
}

static void machineXmlPutLink(FILE *file, const char *kind, const char *name,
			      const struct machineXmlLink *link, double latency,
			      const char *policy)
{
	fprintf(file, "    <link id=\"%s-%s\"", kind, name);
	machineXmlPutNumber(file, " bandwidth=\"", link->bandwidth, "Bps\"");
	machineXmlPutNumber(file, " latency=\"", latency, "s\"");
	fprintf(file, " sharing_policy=\"%s\"/>\n", policy);
}

static void machineXmlPutLinks(const struct machineXml *self, FILE *file)
{
	for (guint i = 0; i < self->hosts->len; i++) {
		const char *name = machineXmlHostAt(self, i)->name;

		if (self->inside.isKnown)
			machineXmlPutLink(file, "memory", name, &self->inside,
					  self->inside.latency,
					  self->inside.isShared ? "SHARED"
								: "FATPIPE");
		/* A message passes two of them. */
		if (self->between.isKnown)
			machineXmlPutLink(file, "link", name, &self->between,
					  self->between.latency / 2,
					  self->between.isShared
						  ? "SHARED"
						  : "SPLITDUPLEX");
	}
}

static void machineXmlPutRoutes(const struct machineXml *self, FILE *file,
				guint from)
{
	const char *name = machineXmlHostAt(self, from)->name;
	bool isSplit = !self->between.isShared;

	if (self->inside.isKnown)
		fprintf(file,
			"    <route src=\"%s\" dst=\"%s\"><link_ctn "
			"id=\"memory-%s\"/></route>\n",
			name, name, name);
	for (guint i = from + 1; self->between.isKnown && i < self->hosts->len;
	     i++) {
		const char *other = machineXmlHostAt(self, i)->name;

		fprintf(file,
			"    <route src=\"%s\" dst=\"%s\"><link_ctn "
			"id=\"link-%s\"%s/><link_ctn id=\"link-%s\"%s/>"
			"</route>\n",
			name, other, name, isSplit ? " direction=\"UP\"" : "",
			other, isSplit ? " direction=\"DOWN\"" : "");
	}
}

void machineXmlPut(const struct machineXml *self, FILE *file)
{
	fputs("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
	      "\"https://simgrid.org/simgrid.dtd\">\n"
	      "<platform version=\"4.1\">\n",
	      file);
	machineXmlPutOptions(self, file);
	fputs("  <zone id=\"machine\" routing=\"Full\">\n", file);
	for (guint i = 0; i < self->hosts->len; i++)
		machineXmlPutHost(self, file, machineXmlHostAt(self, i));
	machineXmlPutLinks(self, file);
	for (guint i = 0; i < self->hosts->len; i++)
		machineXmlPutRoutes(self, file, i);
	fputs("  </zone>\n</platform>\n", file);
}
