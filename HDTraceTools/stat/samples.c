/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace stat --samples: time and energy of functions between MPI calls, as
 * samples tell.
 *
 * A sample stands for as much CPU time as lies between two of them. The energy
 * of a trace outside of its states is divided by its samples.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "HDTraceTools/command/results.h"
#include "HDTraceTools/model/mpi/messages.h"
#include "HDTraceTools/model/units.h"
#include "HDTraceTools/stat/costs.h"
#include "HDTraceTools/stat/samples.h"
#include "cli/output.h"
#include "cli/rows.h"

/** Of the normal distribution: 95 % are within so many standard deviations. */
#define SAMPLES_QUANTILE 1.96

/** A stack that was sampled. */
struct sampledStack {
	struct site *site;
	uint64_t count;
	double joules;
};

/** What a function has. */
struct sampledFunction {
	char *name;
	uint64_t exclusive, inclusive;
	double exclusiveJ, inclusiveJ;
};

struct samples {
	struct tool *tool;
	struct costs costs;
	struct addresses *addresses;
	GHashTable *stacks;    /**< Keys of sites to struct sampledStack. */
	GHashTable *functions; /**< Names to struct sampledFunction. */
	GPtrArray *list;       /**< Of these. */
	int64_t period;        /**< In ns; 0: not known. */
	char *source;          /**< What took them; NULL: not known. */
	bool hasSource;
	uint64_t count, lost, overruns;
	/** Of the trace that is read. */
	struct sites *sites;
	GHashTable *counts; /**< struct site to its number. */
	uint64_t ofTrace;
};

static const struct rowColumn columns[] = {
	{ "<Function", "function", ROW_TEXT, 0 },
	{ ">Samples", "count", ROW_COUNT, 0 },
	{ "<Exclusive", "exclusive_s", ROW_DURATION, 0 },
	{ "<+-", "exclusive_error_s", ROW_DURATION, 0 },
	{ ".%", NULL, ROW_NUMBER, 0 },
	{ ">In stacks", "inclusive_count", ROW_COUNT, 0 },
	{ "<Inclusive", "inclusive_s", ROW_DURATION, 0 },
	{ "<+-", "inclusive_error_s", ROW_DURATION, 0 },
	{ ".Exclusive J", "exclusive_j", ROW_NUMBER, ROW_DASH },
	{ ".Inclusive J", "inclusive_j", ROW_NUMBER, ROW_DASH },
	{ NULL, NULL, ROW_TEXT, 0 },
};
enum {
	COLUMN_FUNCTION,
	COLUMN_COUNT,
	COLUMN_EXCLUSIVE,
	COLUMN_EXCLUSIVE_ERROR,
	COLUMN_PERCENT,
	COLUMN_INCLUSIVE_COUNT,
	COLUMN_INCLUSIVE,
	COLUMN_INCLUSIVE_ERROR,
	COLUMN_EXCLUSIVE_J,
	COLUMN_INCLUSIVE_J,
};

/* ---- Reading ----------------------------------------------------------- */

static void samplesTakeSource(struct samples *self, const hdIRecord *record)
{
	const char *source = attributeFind(
		record->attributes, record->attributeCount, "sampleSource");

	if (!source || g_strcmp0(source, self->source) == 0)
		return;
	/* Hosts may have different kernels. */
	g_free(self->source);
	self->source = g_strdup(self->hasSource ? "mixed" : source);
	self->hasSource = true;
}

static bool samplesTakeRecord(const hdIRecord *record, void *data)
{
	struct samples *self = data;
	const struct selection *selection = self->costs.scan.selection;
	const struct site *site = NULL;
	int64_t number;

	sitesTake(self->sites, record, &site);
	if (messagesNumber(record->attributes, record->attributeCount,
			   "sampleNs", &number) &&
	    number > 0) {
		self->period = number;
		samplesTakeSource(self, record);
	}
	if (strcmp(record->name, "Sample") != 0 || !site ||
	    record->end <= selection->start || record->end > selection->end)
		return true;
	if (messagesNumber(record->attributes, record->attributeCount, "lost",
			   &number))
		self->lost += (uint64_t)number;
	if (messagesNumber(record->attributes, record->attributeCount,
			   "overruns", &number))
		self->overruns += (uint64_t)number;
	g_hash_table_insert(
		self->counts, (gpointer)site,
		GSIZE_TO_POINTER(GPOINTER_TO_SIZE(g_hash_table_lookup(
					 self->counts, site)) +
				 1));
	self->ofTrace++;
	return true;
}

/** The energy of a trace outside of its states, of the first value; NaN:
 * unknown. */
static double samplesOutside(const struct samples *self,
			     const struct costsTrace *read)
{
	double joules;

	if (!self->costs.measures->len || !read->profile ||
	    !read->whole[0].measured)
		return NAN;
	joules = attributionEnergy(&read->whole[0]);
	for (guint i = 0; i < read->profile->states->len; i++) {
		const struct profileState *state =
			read->profile->states->pdata[i];

		if (state->own.amounts[0].measured)
			joules -= attributionEnergy(&state->own.amounts[0]);
	}
	return joules;
}

static void samplesAddStack(struct samples *self, const struct site *site,
			    uint64_t count, double joules)
{
	struct sampledStack *stack =
		g_hash_table_lookup(self->stacks, site->key);

	if (!stack) {
		stack = g_new0(struct sampledStack, 1);
		stack->site = siteRef(site);
		g_hash_table_insert(self->stacks, stack->site->key, stack);
	}
	stack->count += count;
	stack->joules += joules;
}

static void samplesReadTrace(struct samples *self,
			     const struct costsTrace *read)
{
	double joules = samplesOutside(self, read);
	gpointer site, count;
	GHashTableIter i;

	self->sites = sitesNew();
	self->counts = g_hash_table_new(NULL, NULL);
	self->ofTrace = 0;
	scanTrace(&self->costs.scan, read->trace, samplesTakeRecord, self);
	g_hash_table_iter_init(&i, self->counts);
	while (g_hash_table_iter_next(&i, &site, &count))
		samplesAddStack(self, site, GPOINTER_TO_SIZE(count),
				joules * (double)GPOINTER_TO_SIZE(count) /
					(double)self->ofTrace);
	self->count += self->ofTrace;
	g_hash_table_destroy(self->counts);
	sitesFree(self->sites);
}

/* ---- Functions --------------------------------------------------------- */

static struct sampledFunction *samplesFunctionOf(struct samples *self,
						 const char *name)
{
	struct sampledFunction *function =
		g_hash_table_lookup(self->functions, name);

	if (function)
		return function;
	function = g_new0(struct sampledFunction, 1);
	function->name = g_strdup(name);
	g_hash_table_insert(self->functions, function->name, function);
	g_ptr_array_add(self->list, function);
	return function;
}

/** The names of the functions at a frame: inlined ones first. */
static void samplesNames(struct samples *self, const struct site *site,
			 GPtrArray *names)
{
	const struct addressFound *found = siteFind(site, self->addresses);
	char *base;

	for (guint i = 0; i < found->places->len; i++) {
		const struct addressPlace *place =
			&g_array_index(found->places, struct addressPlace, i);

		if (place->function)
			g_ptr_array_add(names, g_strdup(place->function));
	}
	if (found->places->len)
		return;
	base = g_path_get_basename(site->object.path);
	g_ptr_array_add(names, g_strdup_printf("(%s)", base));
	g_free(base);
}

static void samplesTakeStack(struct samples *self,
			     const struct sampledStack *stack)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);

	for (const struct site *at = stack->site; at; at = at->caller)
		samplesNames(self, at, names);
	for (guint i = 0; i < names->len; i++) {
		struct sampledFunction *function =
			samplesFunctionOf(self, names->pdata[i]);

		if (i == 0) {
			function->exclusive += stack->count;
			function->exclusiveJ += stack->joules;
		}
		/* One that calls itself counts once. */
		if (!g_hash_table_add(seen, function->name))
			continue;
		function->inclusive += stack->count;
		function->inclusiveJ += stack->joules;
	}
	g_hash_table_destroy(seen);
	g_ptr_array_unref(names);
}

static gint samplesCompare(gconstpointer a, gconstpointer b)
{
	const struct sampledFunction *x =
		*(const struct sampledFunction *const *)a;
	const struct sampledFunction *y =
		*(const struct sampledFunction *const *)b;

	if (x->exclusive != y->exclusive)
		return x->exclusive > y->exclusive ? -1 : 1;
	if (x->inclusive != y->inclusive)
		return x->inclusive > y->inclusive ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* ---- Printing ---------------------------------------------------------- */

/** Half of the interval that a time is in, at 95 %. */
static int64_t samplesError(const struct samples *self, uint64_t count)
{
	double share = (double)count / (double)self->count;

	return (int64_t)(SAMPLES_QUANTILE * sqrt((double)count * (1 - share)) *
			 (double)self->period);
}

static void samplesPutFunction(const struct samples *self, struct rows *rows,
			       const struct sampledFunction *function)
{
	rowsText(rows, COLUMN_FUNCTION, function->name);
	rowsCount(rows, COLUMN_COUNT, function->exclusive);
	rowsTime(rows, COLUMN_EXCLUSIVE,
		 (int64_t)function->exclusive * self->period);
	rowsTime(rows, COLUMN_EXCLUSIVE_ERROR,
		 samplesError(self, function->exclusive));
	rowsNumber(rows, COLUMN_PERCENT,
		   100 * (double)function->exclusive / (double)self->count);
	rowsCount(rows, COLUMN_INCLUSIVE_COUNT, function->inclusive);
	rowsTime(rows, COLUMN_INCLUSIVE,
		 (int64_t)function->inclusive * self->period);
	rowsTime(rows, COLUMN_INCLUSIVE_ERROR,
		 samplesError(self, function->inclusive));
	rowsNumber(rows, COLUMN_EXCLUSIVE_J, function->exclusiveJ);
	rowsNumber(rows, COLUMN_INCLUSIVE_J, function->inclusiveJ);
	rowsEnd(rows);
}

static void samplesPrintAll(const struct samples *self)
{
	const hdIProject *project = self->costs.scan.project;
	enum outFormat format = self->tool->format;
	struct outJson json = { .file = NULL };
	struct rows *rows = rowsNew(columns, format, &json);

	rowsHeader(rows);
	if (format == OUT_JSON) {
		outJsonDocument(&json, "hdtrace-stat-samples");
		outJsonText(&json, "project", project->name);
		outJsonText(&json, "file", project->file);
		outJsonInteger(&json, "count", (int64_t)self->count);
		outJsonInteger(&json, "lost", (int64_t)self->lost);
		outJsonSeconds(&json, "cycle_s", self->period);
		outJsonText(&json, "source", self->source);
		outJsonArray(&json, "rows", false);
	}
	for (guint i = 0; i < self->list->len; i++)
		samplesPutFunction(self, rows, self->list->pdata[i]);
	for (size_t i = COLUMN_EXCLUSIVE_J;
	     i <= COLUMN_INCLUSIVE_J && !self->costs.measures->len; i++)
		rowsHide(rows, i);
	rowsPrint(rows, "  ", self->tool->isColored);
	if (format == OUT_JSON) {
		outJsonEnd(&json);
		outJsonEnd(&json);
	} else if (format == OUT_TEXT) {
		printf("%" PRIu64 " samples", self->count);
		if (self->source)
			printf(" (%s)", self->source);
		if (self->lost)
			printf(", %" PRIu64 " lost", self->lost);
		puts("; +- is the statistical error at 95 %");
	}
	rowsFree(rows);
}

static void samplesFreeStack(void *data)
{
	struct sampledStack *stack = data;

	siteUnref(stack->site);
	g_free(stack);
}

static void samplesFreeFunction(void *data)
{
	struct sampledFunction *function = data;

	g_free(function->name);
	g_free(function);
}

int samplesPrint(struct tool *tool, const hdIProject *project,
		 const struct selection *selection, enum attributionRule rule)
{
	struct samples self = {
		.tool = tool,
		.addresses = addressesNew(),
		.stacks = g_hash_table_new_full(g_str_hash, g_str_equal, NULL,
						samplesFreeStack),
		.functions = g_hash_table_new(g_str_hash, g_str_equal),
		.list = g_ptr_array_new_with_free_func(samplesFreeFunction),
	};
	GHashTableIter i;
	gpointer stack;
	int ret = -1;

	costsInit(&self.costs, tool, project, selection);
	costsRead(&self.costs, rule);
	for (guint k = 0; k < self.costs.traces->len; k++)
		samplesReadTrace(&self, costsTraceAt(&self.costs, k));
	g_hash_table_iter_init(&i, self.stacks);
	while (g_hash_table_iter_next(&i, NULL, &stack))
		samplesTakeStack(&self, stack);
	g_ptr_array_sort(self.list, samplesCompare);
	if (self.count && self.period) {
		/* The kernel takes no more than one in each of its ticks. */
		self.period = (int64_t)((double)self.period *
					(double)(self.count + self.overruns) /
					(double)self.count);
		samplesPrintAll(&self);
		resultsTellSites(tool, project, self.addresses);
		ret = 0;
	} else {
		toolError(tool, "--samples: the project has no samples; record "
				"with hdmpirun --sample");
	}
	g_hash_table_destroy(self.stacks);
	g_hash_table_destroy(self.functions);
	g_ptr_array_unref(self.list);
	addressesFree(self.addresses);
	g_free(self.source);
	costsClear(&self.costs);
	return ret;
}
