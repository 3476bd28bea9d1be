/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hdpredict sweep: predictions of many models. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/plot/core/drawfile.h"
#include "PredictionLibrary/command/errors.h"
#include "PredictionLibrary/command/hdpredict.h"
#include "PredictionLibrary/command/sweep/table.h"
#include "common/number.h"
#include "common/thread.h"

#define SAMPLES_MAX 10000000

/* What was asked for. */
struct settings {
	char **vary;
	char **limits;
	struct limitValues limitValues;
	char *points, *platform, *resources, *format, *part, *rows, *picture;
	gboolean isCombined, isForced;
	int jobs, sampleCount;
	gint64 seed;
};

/* A sweep that runs. */
struct sweep {
	struct predict *predict;
	struct design design;
	struct setting base;
	struct sampling sampling;
	struct sweepRows rows;
	struct lines journal;
	uint64_t part, parts; /* Points of this process: from 0. */
	int jobs;

	pthread_mutex_t mutex; /* Of what follows, and of rows. */
	size_t next;
	int error;     /* Of a point, or of the journal. */
	size_t failed; /* Which point, from 1. */
	char *why;     /* It failed, or NULL: as the error says. */
};

/* ---- Which sweep it is ------------------------------------------------- */

static void sweepHashText(GChecksum *sum, const char *text)
{
	g_checksum_update(sum, (const guchar *)text, (gssize)strlen(text) + 1);
}

/* A file by what is in it; what is built in, or not there, by its name. */
static void hashFile(GChecksum *sum, const char *path)
{
	char *text;
	gsize length;

	sweepHashText(sum, path);
	if (!g_file_get_contents(path, &text, &length, NULL))
		return;
	g_checksum_update(sum, (const guchar *)text, (gssize)length);
	g_free(text);
}

static void hashValues(GChecksum *sum, const struct design *design)
{
	GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint n = 0; n < design->names->len; n++) {
		sweepHashText(sum, design->names->pdata[n]);
		for (size_t p = 0; p < design->count; p++) {
			const char *value = designValue(design, p, n);

			if (settingIsFile(design->names->pdata[n]) &&
			    g_hash_table_add(seen, (gpointer)value))
				hashFile(sum, value);
			else
				sweepHashText(sum, value);
		}
	}
	g_hash_table_destroy(seen);
}

/* A number of all that decides what comes of it, to be freed. */
static char *digestOf(const struct sweep *self, const char *graph,
		      const struct settings *settings)
{
	GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
	char numbers[64], *digest;

	/* Another version may predict otherwise, and has other defaults. */
	sweepHashText(sum, PACKAGE_VERSION);
	hashFile(sum, graph);
	hashFile(sum, settings->platform ? settings->platform : "");
	hashFile(sum, settings->resources ? settings->resources : "");
	g_snprintf(numbers, sizeof(numbers), "%" PRIu64 " %" PRIu64,
		   self->sampling.count, self->sampling.seed);
	sweepHashText(sum, numbers);
	hashValues(sum, &self->design);
	digest = g_strdup(g_checksum_get_string(sum));
	g_checksum_free(sum);
	return digest;
}

/* ---- Running ----------------------------------------------------------- */

/* The next point that is to be done, or the number of points. */
static size_t sweepClaimPoint(struct sweep *self)
{
	size_t point;

	pthread_mutex_lock(&self->mutex);
	while (self->next < self->design.count &&
	       self->rows.rows[self->next].isThere)
		self->next += self->parts;
	point = self->error ? self->design.count : self->next;
	self->next += self->parts;
	pthread_mutex_unlock(&self->mutex);
	return point;
}

/* What failed is no matter of the point: all end. */
static void sweepAbort(struct sweep *self, size_t point, int error, char *why)
{
	pthread_mutex_lock(&self->mutex);
	if (!self->error) {
		self->error = error;
		self->failed = point + 1;
		self->why = g_steal_pointer(&why);
	}
	pthread_mutex_unlock(&self->mutex);
	g_free(why);
}

static void sweepFinish(struct sweep *self, size_t point, struct sweepRow *row)
{
	row->isThere = true;
	row->texts = g_ptr_array_new_with_free_func(g_free);
	for (guint i = 0; i < self->design.names->len; i++)
		g_ptr_array_add(row->texts,
				g_strdup(designValue(&self->design, point, i)));
	pthread_mutex_lock(&self->mutex);
	self->rows.rows[point] = *row;
	if (!self->error)
		self->error =
			journalAdd(&self->journal, point, &self->design, row);
	cliProgressAdd(&self->predict->progress, 1);
	pthread_mutex_unlock(&self->mutex);
}

static void *sweepWork(void *data)
{
	struct sweep *self = data;
	size_t point;

	while ((point = sweepClaimPoint(self)) < self->design.count) {
		struct sweepRow row = { .error = NULL };
		struct setting setting;
		int ret = 0;

		row.error =
			settingOf(&self->design, point, &self->base, &setting);
		if (!row.error)
			ret = pointRun(&setting, &self->sampling, row.values,
				       &row.error);
		if (ret < 0)
			sweepAbort(self, point, ret, row.error);
		else
			sweepFinish(self, point, &row);
	}
	return NULL;
}

static size_t sweepCountMissing(const struct sweep *self)
{
	size_t count = 0;

	for (size_t i = self->part; i < self->design.count; i += self->parts)
		count += !self->rows.rows[i].isThere;
	return count;
}

static int sweepRunAll(struct sweep *self)
{
	size_t left = sweepCountMissing(self);
	int count = (int)MIN((size_t)self->jobs, MAX(left, 1)), started = 0;
	pthread_t *threads = g_new(pthread_t, (gsize)count);

	self->next = self->part;
	pthread_mutex_init(&self->mutex, NULL);
	cliProgressStart(&self->predict->progress, (int64_t)left);
	while (started < count - 1 &&
	       hdThreadStart(&threads[started], sweepWork, self) == 0)
		started++;
	sweepWork(self);
	for (int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	cliProgressEnd(&self->predict->progress);
	pthread_mutex_destroy(&self->mutex);
	g_free(threads);
	if (self->error && self->failed)
		predictError(self->predict, "point %zu: %s", self->failed,
			     self->why ? self->why : g_strerror(-self->error));
	g_free(self->why);
	if (self->error && self->failed)
		return PREDICT_FAILED;
	if (self->error)
		return predictErrorWrite(self->predict, self->journal.path,
					 self->error);
	return PREDICT_OK;
}

/* ---- What came of it --------------------------------------------------- */

static int sayFailed(struct predict *predict, const struct sweepRows *rows)
{
	size_t failed = 0, first = 0;

	for (size_t i = rows->count; i-- > 0;) {
		if (rows->rows[i].error) {
			failed++;
			first = i;
		}
	}
	if (!failed)
		return PREDICT_OK;
	predictError(predict, "%zu of %zu points failed; point %zu: %s", failed,
		     rows->count, first + 1, rows->rows[first].error);
	return PREDICT_INVALID;
}

static int sweepShow(struct predict *predict, const struct sweepRows *rows,
		     const struct settings *settings, int format)
{
	bool *front = sweepFront(rows);
	char *wrong = settings->picture
			      ? sweepDraw(rows, front, settings->picture)
			      : NULL;
	int status;

	sweepPrint(rows, front, &settings->limitValues, (enum outFormat)format);
	g_free(front);
	status = sayFailed(predict, rows);
	if (!wrong)
		return status;
	predictError(predict, "%s", wrong);
	g_free(wrong);
	return PREDICT_FAILED;
}

/* ---- Options ----------------------------------------------------------- */

/* Say what is wrong, if something is, and free it. */
static int wrongUsage(struct predict *predict, char *wrong)
{
	if (!wrong)
		return PREDICT_OK;
	predictUsage(predict, "%s", wrong);
	g_free(wrong);
	return PREDICT_FAILED;
}

static int parsePart(struct sweep *self, const char *text)
{
	char *end = NULL;

	self->parts = 1;
	if (!text)
		return PREDICT_OK;
	self->part = g_ascii_strtoull(text, &end, 10) - 1;
	if (*end == '/')
		self->parts = g_ascii_strtoull(end + 1, &end, 10);
	else
		end = NULL;
	if (!end || *end || !g_ascii_isdigit(*text) ||
	    self->part >= self->parts || self->parts > DESIGN_POINTS_MAX)
		return predictInvalidValue(self->predict, "part", text,
					   "I/N, from 1/N to N/N");
	return PREDICT_OK;
}

static bool isInput(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

static char *makeDesign(struct sweep *self, const char *graph,
			const struct settings *settings)
{
	char *wrong = NULL;

	if (isInput(graph) || isInput(settings->platform) ||
	    isInput(settings->resources))
		return g_strdup("-: cannot read standard input; each point "
				"reads its models again");
	settingInit(&self->base);
	settingGraph(&self->base, graph);
	self->base.platform = settings->platform;
	self->base.resources = settings->resources;
	if (settings->points)
		wrong = designRead(&self->design, settings->points);
	for (char **i = settings->vary; i && *i && !wrong; i++)
		wrong = designVary(&self->design, *i);
	for (size_t i = 0; i < self->design.count && !wrong; i++) {
		struct setting setting;

		wrong = settingOf(&self->design, i, &self->base, &setting);
	}
	return wrong;
}

static int checkWishes(struct predict *predict, const struct settings *settings)
{
	if (settings->sampleCount < 0 || settings->sampleCount > SAMPLES_MAX)
		return predictOutOfRange(predict, "mc", settings->sampleCount,
					 "1 to 10000000");
	if (settings->jobs < 1)
		return predictOutOfRange(predict, "jobs", settings->jobs,
					 "1 or more");
	if (settings->part && !settings->rows)
		return predictNeeds(predict, "part", "rows");
	if (settings->part && settings->picture)
		return predictUsage(predict,
				    "--picture: not available for a part; "
				    "use it with --combine");
	return PREDICT_OK;
}

static int sweep(struct sweep *self, const char *graph,
		 const struct settings *settings, int format)
{
	int status = checkWishes(self->predict, settings), ret;
	char *digest;

	if (status == PREDICT_OK)
		status = parsePart(self, settings->part);
	if (status == PREDICT_OK)
		status = wrongUsage(self->predict,
				    makeDesign(self, graph, settings));
	if (status == PREDICT_OK && self->base.run && settings->sampleCount)
		status = predictUsage(self->predict,
				      "--mc: not available for replays");
	if (status != PREDICT_OK)
		return status;
	self->jobs = settings->jobs;
	self->sampling = (struct sampling){ (uint64_t)settings->sampleCount,
					    (uint64_t)settings->seed };
	digest = digestOf(self, graph, settings);
	sweepRowsInit(&self->rows, self->design.names, self->design.count,
		      self->sampling.count > 0);
	if (settings->rows)
		status = wrongUsage(self->predict,
				    journalOpen(&self->journal, settings->rows,
						digest, settings->isForced,
						&self->rows));
	g_free(digest);
	if (status == PREDICT_OK)
		status = sweepRunAll(self);
	if (status == PREDICT_OK)
		status = settings->part ? sayFailed(self->predict, &self->rows)
					: sweepShow(self->predict, &self->rows,
						    settings, format);
	ret = linesClose(&self->journal);
	return ret < 0 ? predictErrorWrite(self->predict, settings->rows, ret)
		       : status;
}

static int combine(struct predict *predict, int argc, char **argv,
		   const struct settings *settings, int format)
{
	struct sweepRows rows = { .count = 0 };
	char *digest = NULL;
	int status = PREDICT_OK;
	size_t gone = 0;

	for (int i = 1; i < argc && status == PREDICT_OK; i++)
		status = wrongUsage(predict,
				    journalJoin(argv[i], &digest, &rows));
	for (size_t i = 0; i < rows.count; i++)
		gone += !rows.rows[i].isThere;
	if (status == PREDICT_OK && gone)
		status = predictError(predict, "%zu of %zu points missing",
				      gone, rows.count);
	if (status == PREDICT_OK)
		status = sweepShow(predict, &rows, settings, format);
	sweepRowsClear(&rows);
	g_free(digest);
	return status;
}

static int sweepStart(struct predict *predict, int argc, char **argv,
		      const struct settings *settings)
{
	static const char *const formats[] = { "text", "csv", "json", NULL };
	struct sweep self = { .predict = predict };
	int status, format;

	format = predictChoose(predict, "--format",
			       settings->format ? settings->format : "text",
			       formats);
	if (format < 0)
		return PREDICT_FAILED;
	if (settings->picture &&
	    wrongUsage(predict, drawFileCheck(settings->picture)))
		return PREDICT_FAILED;
	hdNumberPrepare();
	if (settings->isCombined)
		return combine(predict, argc, argv, settings, format);
	if (argc > 2)
		return predictUnexpected(predict, argv[2]);
	designInit(&self.design);
	status = sweep(&self, argv[1], settings, format);
	sweepRowsClear(&self.rows);
	designClear(&self.design);
	return status;
}

/* Break lines at the last blank before column 90, from a position on. */
static void sweepWrap(GString *text, size_t start)
{
	for (size_t i = start, blank = 0; i < text->len; i++) {
		if (text->str[i] == ' ' && i > start + 2)
			blank = i;
		if (i - start < 90 || blank <= start)
			continue;
		text->str[blank] = '\n';
		g_string_insert(text, (gssize)blank + 1, "  ");
		start = blank + 1;
	}
}

int sweepRun(struct predict *predict, int argc, char **argv)
{
	struct settings settings = { .jobs = (int)g_get_num_processors(),
				     .seed = 1 };
	const GOptionEntry entries[] = {
		{ "vary", 0, 0, G_OPTION_ARG_STRING_ARRAY, &settings.vary,
		  "Values of a parameter, in all combinations: tiles=4,8,16",
		  "NAME=VALUES" },
		{ "points", 0, 0, G_OPTION_ARG_FILENAME, &settings.points,
		  "File with a line of parameters, then a line of values per "
		  "point",
		  "FILE" },
		{ "platform", 0, 0, G_OPTION_ARG_FILENAME, &settings.platform,
		  "Platform: a file or a built-in one (default: from the "
		  "parameters)",
		  "FILE" },
		{ "resources", 0, 0, G_OPTION_ARG_FILENAME, &settings.resources,
		  "Resource model: a file, or thesis", "FILE" },
		{ "mc", 0, 0, G_OPTION_ARG_INT, &settings.sampleCount,
		  "Also simulate N samples of each point", "N" },
		{ "seed", 0, 0, G_OPTION_ARG_INT64, &settings.seed,
		  "Seed of the samples (default: 1)", "N" },
		{ "jobs", 0, 0, G_OPTION_ARG_INT, &settings.jobs,
		  "Points to simulate at the same time (default: number of "
		  "processors)",
		  "N" },
		{ "rows", 0, 0, G_OPTION_ARG_FILENAME, &settings.rows,
		  "Store completed rows in FILE, and continue from them",
		  "FILE" },
		{ "force", 'f', 0, G_OPTION_ARG_NONE, &settings.isForced,
		  "Replace FILE if it belongs to another sweep", NULL },
		{ "part", 0, 0, G_OPTION_ARG_STRING, &settings.part,
		  "Simulate only part I of N, without output", "I/N" },
		{ "combine", 0, 0, G_OPTION_ARG_NONE, &settings.isCombined,
		  "Print the rows of all parts", NULL },
		{ "format", 0, 0, G_OPTION_ARG_STRING, &settings.format,
		  "Output format: text, csv or json (default: text)",
		  "FORMAT" },
		{ "picture", 0, 0, G_OPTION_ARG_FILENAME, &settings.picture,
		  "Draw time and energy to a .svg, .png or .pdf file", "FILE" },
		LIMITS_OPTION(&settings.limits),
		{ NULL }
	};
	static GString *notes;
	struct predictHelp help = {
		"cholesky|lu|stencil|ring|random|GRAPH|PROJECT | "
		"--combine ROWS...",
		"Predict all points of a design space, and mark the Pareto "
		"front.",
		NULL,
		1,
		-1,
		NULL,
		true,
	};
	int status;

	notes = g_string_new("Parameters:\n  ");
	settingNames(notes);
	sweepWrap(notes, strlen("Parameters:\n"));
	g_string_append(notes,
			"\n\nExamples:\n"
			"  hdpredict sweep cholesky --resources r.xml --vary "
			"matrix=8192 \\\n    --vary tiles=8,16,32 --vary "
			"nodes=1,2,4,8 --picture front.svg\n"
			"  hdpredict sweep run.proj --platform c.xml --vary "
			"bandwidth=1,2,4 --vary cpu=0.8,1\n"
			"  hdpredict sweep --combine --format=csv part.*\n");
	help.notes = notes->str;
	status = predictParse(predict, &argc, &argv, entries, &help);
	if (status < 0)
		status = limitsParse(predict, settings.limits,
				     &settings.limitValues) == PREDICT_OK
				 ? sweepStart(predict, argc, argv, &settings)
				 : PREDICT_FAILED;
	g_strfreev(settings.vary);
	g_strfreev(settings.limits);
	g_string_free(notes, TRUE);
	return status;
}
