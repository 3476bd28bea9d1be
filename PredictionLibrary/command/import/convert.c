/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hdpredict convert: task graphs between forms, and from other formats. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "PredictionLibrary/command/errors.h"
#include "PredictionLibrary/command/hdpredict.h"
#include "PredictionLibrary/command/import/import.h"
#include "PredictionLibrary/command/import/costsfile.h"
#include "PredictionLibrary/command/writegraph.h"
#include "PredictionLibrary/model/graph.h"
#include "PredictionLibrary/model/names.h"
#include "cli/errors.h"
#include "cli/newfile.h"

/* What was asked for. */
struct conversion {
	char *from, *to, *output, *costs, *resources;
	char *architecture;
	const char *form; /* What --to says, or the default. */
	double speed;
};

static const char *const formats[] = { "graph", "wfformat", "dot", NULL };
static const struct {
	importReader *read;
	const char *amount;
	const char *library;
} readers[] = {
	{ NULL, NULL, NULL },
	{ importWfformat, "time_s", "jansson" },
	{ importDot, "flops", "cgraph" },
};

/* The format of a file: what was asked for, or by its suffix. -1: unknown. */
static int convertFormat(struct predict *predict, const char *from,
			 const char *path)
{
	static const struct {
		const char *suffix;
		int format;
	} suffixes[] = { { ".json", 1 }, { ".dot", 2 }, { ".gv", 2 } };

	if (from)
		return predictChoose(predict, "--from", from, formats);
	for (size_t i = 0; i < G_N_ELEMENTS(suffixes); i++) {
		if (g_str_has_suffix(path, suffixes[i].suffix))
			return suffixes[i].format;
	}
	return 0;
}

/* Read a file of IMPORT_BYTES_MAX bytes at most; 0 or a negative errno, which
 * is -EFBIG for larger ones. */
static int convertReadAll(const char *path, GString *text)
{
	int fd = strcmp(path, "-") == 0 ? STDIN_FILENO
					: open(path, O_RDONLY | O_CLOEXEC);
	struct stat about;
	char part[65536];
	ssize_t got = 1;
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
	    about.st_size > IMPORT_BYTES_MAX)
		ret = -EFBIG;
	while (ret == 0 && got != 0) {
		got = read(fd, part, sizeof(part));
		if (got < 0 && errno != EINTR)
			ret = -errno;
		if (got > 0)
			g_string_append_len(text, part, got);
		if ((gint64)text->len > IMPORT_BYTES_MAX)
			ret = -EFBIG;
	}
	if (fd != STDIN_FILENO)
		close(fd);
	return ret;
}

/* Import a graph from text. */
static int convertParse(struct predict *predict, int format, const char *path,
			const GString *text, const struct importCosts *costs,
			struct imported *result)
{
	struct hdPredictReport report = {
		predictTake, predict,
		strcmp(path, "-") == 0 ? "standard input" : path, 0
	};
	struct import *import = importNew(readers[format].amount);
	int ret = readers[format].read(text->str, text->len, import, &report);

	if (ret == 0 && report.errors)
		ret = -EINVAL;
	if (ret == 0)
		ret = importFinish(import, costs, &report, result);
	importFree(import);
	return ret;
}

static int convertImport(struct predict *predict, const struct conversion *self,
			 int format, const char *path, struct imported *result)
{
	const struct importCosts costs = { self->architecture
						   ? self->architecture
						   : "core",
					   format == 2 ? self->speed : 1 };
	GString *text = g_string_new(NULL);
	int ret = convertReadAll(path, text);
	int status;

	if (ret == -EFBIG)
		status = predictError(predict, "%s: larger than 256 MiB",
				      cliErrorObject(path));
	else if (ret == -ENOENT || ret == -EACCES || ret == -ENOTDIR)
		status = predictErrorOpen(predict, path, ret);
	else if (ret < 0)
		status = predictErrorRead(predict, path, ret);
	else
		status = PREDICT_OK;
	if (status == PREDICT_OK) {
		ret = convertParse(predict, format, path, text, &costs, result);
		status = ret == -ENOTSUP
				 ? predictError(predict,
						"%s: hdpredict was built "
						"without %s",
						cliErrorObject(path),
						readers[format].library)
				 : predictStatus(predict, ret, path);
	}
	g_string_free(text, TRUE);
	return status;
}

/* Whether two paths lead to the same file, which may not exist yet; devices
 * and pipes take both. */
static bool convertIsSame(const char *path, const char *other)
{
	struct stat a, b;
	char *first, *second;
	bool isSame;

	if (stat(path, &a) == 0)
		return S_ISREG(a.st_mode) && stat(other, &b) == 0 &&
		       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
	first = g_canonicalize_filename(path, NULL);
	second = g_canonicalize_filename(other, NULL);
	isSame = strcmp(first, second) == 0;
	g_free(first);
	g_free(second);
	return isSame;
}

/* Where costs are written, and their architecture. */
static int convertCheckCosts(struct predict *predict,
			     const struct conversion *self)
{
	const char *architecture = self->architecture;

	if (architecture &&
	    (!*architecture ||
	     !hdPredictIsText(architecture, strlen(architecture))))
		return predictInvalidValue(predict, "architecture",
					   architecture, "a name");
	if (architecture && !self->costs)
		return predictUsage(predict, "--architecture: requires "
					     "--costs");
	if (self->costs && strcmp(self->costs, "-") == 0)
		return predictInvalidValue(predict, "costs", "-", "a file");
	if (self->costs && self->output &&
	    convertIsSame(self->costs, self->output))
		return predictUsage(predict, "--costs: the same file as "
					     "--output");
	return PREDICT_OK;
}

/* Options that not all formats have. */
static int convertCheck(struct predict *predict, const struct conversion *self,
			int format)
{
	bool isMetis = g_strcmp0(self->form, "metis") == 0;

	if (format == 0 && (self->costs || self->architecture))
		return predictUsage(predict,
				    "--%s: requires --from wfformat "
				    "or dot",
				    self->costs ? "costs" : "architecture");
	if (format != 2 && self->speed != 0)
		return predictUsage(predict, "--speed: requires --from dot");
	if (self->resources && !isMetis)
		return predictUsage(predict, "--resources: requires --to "
					     "metis");
	if (predictForm(predict, "--to", self->form) < 0)
		return PREDICT_FAILED;
	return convertCheckCosts(predict, self);
}

/* Write the graph and its costs, which get their name when the graph is
 * written.
 */
static int convertWrite(struct predict *predict, const struct conversion *self,
			const struct imported *result)
{
	struct newFile costs;
	int status = PREDICT_OK;

	if (self->costs && result->withoutEnergy)
		outSay(stderr,
		       "hdpredict %s: " PREDICT_WARNING
		       "tasks without a known energy have 0 J in --costs: "
		       "%" PRIu64,
		       predict->command, result->withoutEnergy);
	if (self->costs)
		status = costsFileStart(predict, result->resources, self->costs,
					&costs);
	if (status != PREDICT_OK)
		return status;
	status = predictWrite(predict, result->graph,
			      self->output ? self->output : "-", self->form,
			      NULL,
			      result->resources && result->graph->taskCount
				      ? result->resources
				      : NULL);
	if (!self->costs)
		return status;
	if (status == PREDICT_OK)
		return costsFileEnd(predict, self->costs, &costs);
	newFileAbort(&costs);
	return status;
}

/* Read the graph, in any format, and what its tasks cost. */
static int convertRead(struct predict *predict, const struct conversion *self,
		       int format, const char *path, struct imported *result)
{
	hdPResources *resources = NULL;
	int status = format ? convertImport(predict, self, format, path, result)
			    : predictRead(predict, path, &result->graph, NULL,
					  NULL, NULL, NULL);
	if (status == PREDICT_OK && self->costs && !result->resources) {
		predictError(predict, "%s: no run times for --costs",
			     cliErrorObject(path));
		status = PREDICT_INVALID;
	}
	if (status == PREDICT_OK && self->resources) {
		status = predictRead(predict, NULL, NULL, NULL, NULL,
				     self->resources, &resources);
		hdP_destroyResources(result->resources);
		result->resources = resources;
	}
	return status;
}

int convertRun(struct predict *predict, int argc, char **argv)
{
	struct conversion self = { 0 };
	const GOptionEntry entries[] = {
		{ "from", 0, 0, G_OPTION_ARG_STRING, &self.from,
		  "Format of the file: graph, wfformat or dot (default: by "
		  "its suffix)",
		  "FORMAT" },
		{ "to", 0, 0, G_OPTION_ARG_STRING, &self.to,
		  PREDICT_FORMS "(default: binary)", "FORM" },
		{ "costs", 0, 0, G_OPTION_ARG_FILENAME, &self.costs,
		  "For wfformat and dot: write the times of tasks to FILE, a "
		  "resource model",
		  "FILE" },
		{ "architecture", 0, 0, G_OPTION_ARG_STRING, &self.architecture,
		  "For --costs: architecture of PEs (default: core)", "ID" },
		{ "speed", 0, 0, G_OPTION_ARG_DOUBLE, &self.speed,
		  "For dot: operations per second (default: 1e9)", "FLOPS" },
		{ "resources", 0, 0, G_OPTION_ARG_FILENAME, &self.resources,
		  "For --to=metis: resource model for the weights of tasks",
		  "FILE" },
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &self.output,
		  "Write to FILE instead of standard output", "FILE" },
		{ NULL }
	};
	static const struct cliNumber numbers[] = {
		{ "speed", CLI_ABOVE_ZERO, 1e300, NULL },
		{ NULL, 0, 0, NULL },
	};
	static const struct predictHelp help = {
		"GRAPH|-",
		"Convert a task graph between XML and the binary form, from "
		"WfFormat or DOT, or for METIS.",
		"Examples:\n"
		"  hdpredict convert ch80.xml -o ch80.bin\n"
		"  hdpredict convert --to=xml ch80.bin -o ch80.xml\n"
		"  hdpredict convert --to=xml montage.json -o montage.xml "
		"--costs costs.xml\n"
		"  hdpredict convert --to=metis ch80.xml -o ch80.metis "
		"--resources thesis\n",
		1,
		1,
		numbers,
	};
	struct imported result = { .graph = NULL };
	int status = predictParse(predict, &argc, &argv, entries, &help);
	int format;

	if (status >= 0)
		return status;
	self.form = self.to ? self.to : "binary";
	format = convertFormat(predict, self.from, argv[1]);
	if (format < 0)
		return PREDICT_FAILED;
	status = convertCheck(predict, &self, format);
	if (self.speed == 0)
		self.speed = 1e9;
	if (status == PREDICT_OK)
		status = convertRead(predict, &self, format, argv[1], &result);
	if (status == PREDICT_OK)
		status = convertWrite(predict, &self, &result);
	hdP_destroyGraph(result.graph);
	hdP_destroyResources(result.resources);
	return status;
}
