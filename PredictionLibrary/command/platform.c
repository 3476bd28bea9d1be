/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hdpredict platform: platforms of any size, by their topology. */
#include "config.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "PredictionLibrary/command/errors.h"
#include "PredictionLibrary/command/hdpredict.h"
#include "PredictionLibrary/command/lines.h"
#include "PredictionLibrary/command/made.h"
#include "PredictionLibrary/command/nodepower.h"
#include "cli/errors.h"
#include "common/number.h"

#define ENDS_MAX 100000000
/* Of a server, if nothing is known, in W. */
#define IDLE_DEFAULT 100

static void platformCommandAppendNumber(GString *out, const char *key,
					double value)
{
	char text[HD_DOUBLE_MAX];

	g_string_append_printf(out, " %s=\"", key);
	g_string_append_len(out, text, hdNumberDouble(text, value) - text);
	g_string_append_c(out, '"');
}

/* A kind of link that is as many times as fast as that of a node. */
static void linkKind(GString *out, const struct topology *self,
		     const char *name, double times)
{
	g_string_append_printf(out, "<bridge-architecture id=\"%s\"", name);
	platformCommandAppendNumber(out, "init-latency", self->initLatency);
	platformCommandAppendNumber(out, "packet-size", self->packetSize);
	platformCommandAppendNumber(out, "packet-latency",
				    self->packetLatency / times);
	platformCommandAppendNumber(out, "packet-energy", self->packetEnergy);
	g_string_append(out, "/>\n");
}

static void platformCommandBeginText(GString *out, const struct topology *self)
{
	g_string_append(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			     "<platform>\n<node-architecture id=\"node\"");
	if (self->idlePower == TOPOLOGY_IDLE_UNKNOWN) {
		platformCommandAppendNumber(out, "idle-power", IDLE_DEFAULT);
		g_string_append(out, " assumed=\"idle-power\"");
	} else {
		platformCommandAppendNumber(out, "idle-power", self->idlePower);
	}
	if (self->peakPower > 0)
		platformCommandAppendNumber(out, "peak_w", self->peakPower);
	g_string_append(out, "/>\n");
	linkKind(out, self, "link", 1);
	for (int n = 0; n < self->nodes; n++) {
		g_string_append_printf(out,
				       "<node id=\"n%d\" architecture=\"node\">"
				       "<main-memory id=\"n%d.memory\"",
				       n, n);
		platformCommandAppendNumber(out, "size", self->memory);
		g_string_append_printf(
			out,
			"><out peer=\"n%d.out\"/><in peer=\"n%d.in\"/>"
			"</main-memory>\n"
			"<bridge id=\"n%d.out\" architecture=\"link\"/>"
			"<bridge id=\"n%d.in\" architecture=\"link\"/>\n",
			n, n, n, n);
		for (int p = 0; p < self->pes; p++) {
			char *text = g_markup_printf_escaped(
				"<pe id=\"n%d.%d\" architecture=\"%s\"/>\n", n,
				p,
				self->architecture ? self->architecture
						   : "core");

			g_string_append(out, text);
			g_free(text);
		}
		g_string_append(out, "</node>\n");
	}
}

/* The links of a node, as its switch sees them. */
static void platformCommandAttachNode(GString *out, int node)
{
	g_string_append_printf(out,
			       "<in peer=\"n%d.out\"/><out peer=\"n%d.in\"/>",
			       node, node);
}

static void star(GString *out, const struct topology *self)
{
	g_string_append(out, "<channel id=\"switch\">");
	for (int n = 0; n < self->nodes; n++)
		platformCommandAttachNode(out, n);
	g_string_append(out, "</channel>\n");
}

/* Switches of radix nodes or switches each, and so on up to one; a link up is
 * as many times as fast as there are nodes below a full switch. */
static void fatTree(GString *out, const struct topology *self)
{
	int below = self->nodes;
	double width = 1;

	for (int level = 0; level == 0 || below > 1; level++) {
		int count = (below + self->radix - 1) / self->radix;
		char kind[32];

		width *= self->radix;
		g_snprintf(kind, sizeof(kind), "up%d", level);
		if (count > 1)
			linkKind(out, self, kind, width);
		for (int s = 0; s < count; s++) {
			g_string_append_printf(out, "<channel id=\"s%d.%d\">",
					       level, s);
			for (int i = s * self->radix;
			     i < below && i < (s + 1) * self->radix; i++) {
				if (level == 0)
					platformCommandAttachNode(out, i);
				else
					g_string_append_printf(
						out,
						"<inout peer=\"s%d.%d.up\"/>",
						level - 1, i);
			}
			if (count > 1)
				g_string_append_printf(
					out, "<inout peer=\"s%d.%d.up\"/>",
					level, s);
			g_string_append(out, "</channel>\n");
			if (count > 1)
				g_string_append_printf(
					out,
					"<bridge id=\"s%d.%d.up\" "
					"architecture=\"%s\"/>\n",
					level, s, kind);
		}
		below = count;
	}
}

/* Rows and columns as equal as possible; each node has a router. In a row of
 * two, the way round is the same link. */
static void torus(GString *out, const struct topology *self)
{
	int rows = (int)sqrt(self->nodes), columns;

	while (self->nodes % rows)
		rows--;
	columns = self->nodes / rows;
	for (int n = 0; n < self->nodes; n++) {
		int row = n / columns, column = n % columns;
		int west = row * columns + (column + columns - 1) % columns;
		int north = (row + rows - 1) % rows * columns + column;
		bool hasEast = columns > 2 || (columns == 2 && column == 0);
		bool hasWest = columns > 2 || (columns == 2 && column == 1);
		bool hasSouth = rows > 2 || (rows == 2 && row == 0);
		bool hasNorth = rows > 2 || (rows == 2 && row == 1);

		g_string_append_printf(out, "<channel id=\"n%d.router\">", n);
		platformCommandAttachNode(out, n);
		if (hasEast)
			g_string_append_printf(out,
					       "<inout peer=\"n%d.east\"/>", n);
		if (hasWest)
			g_string_append_printf(
				out, "<inout peer=\"n%d.east\"/>", west);
		if (hasSouth)
			g_string_append_printf(
				out, "<inout peer=\"n%d.south\"/>", n);
		if (hasNorth)
			g_string_append_printf(
				out, "<inout peer=\"n%d.south\"/>", north);
		g_string_append(out, "</channel>\n");
		if (hasEast)
			g_string_append_printf(out,
					       "<bridge id=\"n%d.east\" "
					       "architecture=\"link\"/>\n",
					       n);
		if (hasSouth)
			g_string_append_printf(out,
					       "<bridge id=\"n%d.south\" "
					       "architecture=\"link\"/>\n",
					       n);
	}
}

/* A new file takes the place of an old one; devices are written to. */
static int save(struct predict *predict, const char *path, const GString *text)
{
	GError *error = NULL;
	struct stat about;
	int status = PREDICT_OK;
	FILE *file;

	if (!path) {
		fwrite(text->str, 1, text->len, stdout);
		return PREDICT_OK;
	}
	if (stat(path, &about) != 0 || S_ISREG(about.st_mode)) {
		if (!g_file_set_contents(path, text->str, (gssize)text->len,
					 &error))
			status = predictError(predict, CLI_TEXT_CREATE, path,
					      linesReason(error));
		g_clear_error(&error);
		return status;
	}
	file = fopen(path, "we");
	if (!file)
		return predictErrorCreate(predict, path, errno);
	errno = 0;
	if (fwrite(text->str, 1, text->len, file) < text->len)
		status = predictErrorWrite(predict, path, errno);
	if (fclose(file) != 0 && status == PREDICT_OK)
		status = predictErrorWrite(predict, path, errno);
	return status;
}

char *topologyWrong(const struct topology *self)
{
	const struct {
		const char *option;
		double value, least;
		const char *expected;
	} numbers[] = {
		{ "nodes", self->nodes, 1, "1 or more" },
		{ "pes", self->pes, 1, "1 or more" },
		{ "radix", self->radix, 2, "2 or more" },
		{ "idle-power",
		  self->idlePower == TOPOLOGY_IDLE_UNKNOWN ? IDLE_DEFAULT
							   : self->idlePower,
		  0, "0 or more" },
		{ "memory", self->memory, 0, "0 or more" },
		{ "init-latency", self->initLatency, 0, "0 or more" },
		{ "packet-size", self->packetSize, DBL_MIN, "more than 0" },
		{ "packet-latency", self->packetLatency, 0, "0 or more" },
		{ "packet-energy", self->packetEnergy, 0, "0 or more" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
		if (!(numbers[i].value >= numbers[i].least) ||
		    isinf(numbers[i].value))
			return g_strdup_printf("%s: invalid number \"%g\"; "
					       "expected %s",
					       numbers[i].option,
					       numbers[i].value,
					       numbers[i].expected);
	return (double)self->nodes * self->pes > ENDS_MAX ||
			       self->radix > ENDS_MAX
		       ? g_strdup("nodes: too many PEs or ports")
		       : NULL;
}

const char *const topologyKinds[] = { "star", "fat-tree", "torus", NULL };

GString *topologyXml(const struct topology *self)
{
	static void (*const makers[])(
		GString *, const struct topology *) = { star, fatTree, torus };
	GString *text = g_string_new(NULL);

	hdNumberPrepare();
	platformCommandBeginText(text, self);
	makers[self->kind](text, self);
	g_string_append(text, "</platform>\n");
	return text;
}

/* Take idle and peak power from a power model. */
static int platformReadModel(struct predict *predict, const char *path,
			     struct topology *self)
{
	struct hdPowerModel model;
	int status;

	if (!path)
		return PREDICT_OK;
	status = nodePowerRead(predict, path, &model);
	if (status != PREDICT_OK)
		return status;
	self->idlePower = model.idle;
	self->peakPower = nodePowerPeak(&model);
	return PREDICT_OK;
}

int platformRun(struct predict *predict, int argc, char **argv)
{
	struct topology self = TOPOLOGY_DEFAULT;
	char *topology = NULL, *output = NULL, *model = NULL;
	const GOptionEntry entries[] = {
		{ "nodes", 'n', 0, G_OPTION_ARG_INT, &self.nodes,
		  "Number of cluster servers (default: 16)", "N" },
		{ "pes", 0, 0, G_OPTION_ARG_INT, &self.pes,
		  "PEs per server (default: 4)", "N" },
		{ "topology", 't', 0, G_OPTION_ARG_STRING, &topology,
		  "Topology: star, fat-tree or torus (default: star)",
		  "TOPOLOGY" },
		{ "radix", 0, 0, G_OPTION_ARG_INT, &self.radix,
		  "For fat-tree: nodes or switches below a switch (default: "
		  "16)",
		  "N" },
		{ "architecture", 0, 0, G_OPTION_ARG_STRING, &self.architecture,
		  "Architecture of the PEs (default: core)", "ID" },
		{ "idle-power", 0, 0, G_OPTION_ARG_DOUBLE, &self.idlePower,
		  "Idle power of a server in W (default: 100)", "W" },
		{ "power-model", 0, 0, G_OPTION_ARG_FILENAME, &model,
		  "Idle and peak power of a server from a model of hdtrace "
		  "power-model",
		  "FILE" },
		{ "memory", 0, 0, G_OPTION_ARG_DOUBLE, &self.memory,
		  "Memory of a server in bytes (default: 64e9)", "BYTES" },
		{ "init-latency", 0, 0, G_OPTION_ARG_DOUBLE, &self.initLatency,
		  "Initial latency of a link in ns (default: 1000)", "NS" },
		{ "packet-size", 0, 0, G_OPTION_ARG_DOUBLE, &self.packetSize,
		  "Packet size in bytes (default: 1500)", "BYTES" },
		{ "packet-latency", 0, 0, G_OPTION_ARG_DOUBLE,
		  &self.packetLatency,
		  "Latency of a packet on a link in ns (default: 120)", "NS" },
		{ "packet-energy", 0, 0, G_OPTION_ARG_DOUBLE,
		  &self.packetEnergy,
		  "Energy of a packet on a link in nJ (default: 0)", "NJ" },
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
		  "Write to FILE instead of standard output", "FILE" },
		{ NULL }
	};
	static const struct predictHelp help = {
		NULL, "Generate a platform.",
		"Examples:\n"
		"  hdpredict platform --nodes 8 --pes 1 -o eight.xml\n"
		"  hdpredict platform --nodes 1000 --pes 64 --topology torus "
		"-o p.xml\n",
		0, 0
	};
	int status = predictParse(predict, &argc, &argv, entries, &help);
	char *wrong;
	GString *text;

	if (status >= 0)
		return status;
	self.kind = predictChoose(predict, "--topology",
				  topology ? topology : topologyKinds[0],
				  topologyKinds);
	if (self.kind < 0)
		return PREDICT_FAILED;
	status = platformReadModel(predict, model, &self);
	if (status != PREDICT_OK)
		return status;
	wrong = topologyWrong(&self);
	if (wrong) {
		status = predictUsage(predict, "--%s", wrong);
		g_free(wrong);
		return status;
	}
	text = topologyXml(&self);
	status = save(predict, output, text);
	g_string_free(text, TRUE);
	return status;
}
