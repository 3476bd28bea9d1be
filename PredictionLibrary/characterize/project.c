/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading projects: hosts, their power, and what ran on them.
 *
 * Of states that lie in each other the outermost that is a kernel counts; of
 * all others only that something ran.
 */
#include "config.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "HDTraceTools/command/core/delayoption.h"
#include "HDTraceTools/model/causes/mpifunctions.h"
#include "HDTraceTools/model/diagnostics.h"
#include "HDTraceTools/model/kind.h"
#include "HDTraceTools/model/power/node.h"
#include "HDTraceTools/model/projectstart.h"
#include "HDTraceTools/model/mpi/roles.h"
#include "HDTraceTools/model/units.h"
#include "PredictionLibrary/characterize/learn.h"
#include "PredictionLibrary/model/resources.h"
#include "common/format/level.h"

/** An entry that is so many times as long as usual lacks cycles. */
#define LOST_TIMES 1.6

/* ---- Attributes --------------------------------------------------------- */

static const char *learntProjectTextOf(const hdIRecord *record,
				       const char *name)
{
	return attributeFind(record->attributes, record->attributeCount, name);
}

/* A number that is all of an attribute; false: there is none. */
static bool learntProjectNumberOf(const char *text, double *number)
{
	char *end;

	if (!text)
		return false;
	*number = g_ascii_strtod(text, &end);
	return end != text && !*end && isfinite(*number);
}

/* How often; 1 if nobody says, and 0 for what is no such number. */
static double learntProjectTimesOf(const hdIRecord *record)
{
	const char *text = learntProjectTextOf(record, "repetitions");
	double times = 1;

	if (text &&
	    (!learntProjectNumberOf(text, &times) || times < 1 || times > 1e15))
		return 0;
	return times;
}

static int learntProjectCompareVariables(const void *a, const void *b)
{
	const struct learntVariable *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static GArray *variablesOf(const hdIRecord *record)
{
	GArray *variables =
		g_array_new(FALSE, FALSE, sizeof(struct learntVariable));

	for (size_t i = 0; i < record->attributeCount; i++) {
		const hdIAttribute *attribute = &record->attributes[i];
		struct learntVariable variable;

		if (strncmp(attribute->name, "var.", 4) != 0 ||
		    !attribute->name[4] ||
		    !learntProjectNumberOf(attribute->value, &variable.value))
			continue;
		variable.name = g_strdup(attribute->name + 4);
		g_array_append_val(variables, variable);
	}
	g_array_sort(variables, learntProjectCompareVariables);
	return variables;
}

/* ---- Hosts and power ---------------------------------------------------- */

static size_t hostByLabel(struct learnt *self, const char *label)
{
	struct learntHost *host;

	for (guint i = 0; i < self->hosts->len; i++) {
		if (strcmp(learntHostOf(self, i)->label, label) == 0)
			return i;
	}
	host = g_new0(struct learntHost, 1);
	host->label = g_strdup(label);
	host->pes = g_ptr_array_new_with_free_func(g_free);
	host->peKinds = g_ptr_array_new();
	host->idle = host->idleSpread = host->residual = NAN;
	host->scale = 1;
	g_ptr_array_add(self->hosts, host);
	return self->hosts->len - 1;
}

static GArray *spans(void)
{
	return g_array_new(FALSE, FALSE, sizeof(struct learntSpan));
}

/* The host that a node belongs to: the level of hosts, else the first one. */
static const hdINode *hostNode(const hdIProject *project, const hdINode *node)
{
	int level = rolesLevel(project, HD_LEVEL_HOST);

	return rolesAt(node, level > 0 ? level : 1);
}

static size_t meterOf(struct learnt *self, const hdIProject *project,
		      const hdINode *node)
{
	struct learntMeter *meter;

	for (guint i = 0; i < self->meters->len; i++) {
		meter = learntMeterOf(self, i);
		if (meter->project == project && meter->node == node)
			return i;
	}
	meter = g_new0(struct learntMeter, 1);
	meter->host = hostByLabel(self, node->label);
	meter->project = project;
	meter->node = node;
	meter->lost = spans();
	meter->busy = spans();
	meter->spans = spans();
	meter->others = spans();
	meter->runs = g_array_new(FALSE, FALSE, sizeof(size_t));
	meter->accesses = g_array_new(FALSE, FALSE, sizeof(size_t));
	g_ptr_array_add(self->meters, meter);
	return self->meters->len - 1;
}

static int readSeries(const hdIProject *project, const hdIGroup *group,
		      struct powerSeries *series)
{
	hdIStatReader *reader = diagnosticsOpenStat(project, group, NULL);
	const hdIBlock *block;
	int ret = 0;

	/* What cannot be read is unknown, which a diagnostic said. */
	while (reader && ret == 0 && hdI_readStat(reader, &block) > 0)
		ret = powerSeriesAdd(series, block);
	hdI_closeStat(reader);
	return ret < 0 ? ret : powerSeriesEnd(series);
}

static int compareInts(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The usual length of entries, and where some are missing. */
static void findCycles(struct learntMeter *meter)
{
	GArray *lengths = g_array_new(FALSE, FALSE, sizeof(int64_t));
	struct powerStep step;

	for (uint64_t i = 0; powerCursorStep(meter->cursor, i, &step); i++) {
		int64_t length = step.end - step.start;

		if (length > 0 && step.amount.measured == length)
			g_array_append_val(lengths, length);
	}
	g_array_sort(lengths, compareInts);
	if (lengths->len)
		meter->cycle =
			g_array_index(lengths, int64_t, lengths->len / 2);
	g_array_unref(lengths);
	for (uint64_t i = 0; powerCursorStep(meter->cursor, i, &step); i++) {
		struct learntSpan span = { step.start, step.end };
		int64_t length = step.end - step.start;

		if (step.amount.measured < length ||
		    (double)length > LOST_TIMES * (double)meter->cycle)
			g_array_append_val(meter->lost, span);
	}
}

/* Power of a host is that of the groups at its node; how late it is, is that of
 * the first of them. */
static int learntProjectReadPower(struct learnt *self,
				  const hdIProject *project,
				  const struct powerChoice *choice,
				  size_t number)
{
	const struct powerGroup *power = powerChoiceAt(choice, number);
	const hdIGroup *group = power->group;
	struct learntMeter *meter;
	int64_t late, applied;
	int ret;

	if (power->count == 0 || power->first != power || !group->node->level ||
	    hostNode(project, group->node) != group->node)
		return 0;
	meter = learntMeterOf(self, meterOf(self, project, group->node));
	if (meter->power)
		return 0;
	meter->power = nodePowerNew(power);
	if (valueIsSimulated(group, &group->values[0]))
		meter->lateness = LATE_RECORDED;
	if (delayOfGroup(group, &late, &applied)) {
		meter->lateness = LATE_RECORDED;
		meter->late = late - applied;
	}
	ret = readSeries(project, group, meter->power);
	if (ret == 0)
		ret = nodePowerComplete(project, choice, group, &meter->power);
	if (ret < 0)
		return ret;
	meter->cursor = powerCursorNew(meter->power);
	findCycles(meter);
	return powerCursorError(meter->cursor);
}

/* ---- Traces ------------------------------------------------------------- */

/* A trace that is read. */
struct reading {
	struct learnt *self;
	const hdIProject *project;
	const hdITraceFile *trace;
	size_t meter;
	size_t pe;
	guint first;          /* Of its runs. */
	guint firstAccess;    /* Of its accesses to files. */
	const char *partKind; /* Architecture of a further PE of tasks. */
	bool hasKernels;      /* The project names kernels by attributes. */
	bool hasTasks;        /* It is of a task graph: other states wait. */
};

/* Names of what is no kernel unless it says so. */
static bool learntProjectIsReserved(const char *name)
{
	static const char *const names[] = { "Pause", "Mark",     "Trial",
					     "Batch", "Load",     "Exchange",
					     "Io",    "Transfer", "Blocked" };

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return mpiIsFunction(name);
}

/* The PE does nothing meanwhile: those of task graphs wait without work. */
static bool isIdle(const struct reading *reading, const hdIRecord *record)
{
	if (reading->hasTasks && !learntProjectTextOf(record, "activity") &&
	    mpiIsFunction(record->name))
		return true;
	return strcmp(record->name, "Pause") == 0 ||
	       strcmp(record->name, "Blocked") == 0 ||
	       learntProjectTextOf(record, "awaits");
}

static bool isInterrupted(const hdIRecord *record)
{
	const char *text = learntProjectTextOf(record, "interrupted");

	return text && strcmp(text, "0") != 0;
}

/* The kernel that a state stands for; NULL: none. */
static const char *learntProjectKernelOf(const struct reading *reading,
					 const hdIRecord *record)
{
	const struct learnChoice *choice = &reading->self->choice;
	const char *kernel = learntProjectTextOf(record, "kernel");

	if (choice->kernel && fnmatch(choice->kernel, record->name, 0) == 0)
		return kernel ? kernel : record->name;
	if (kernel && *kernel)
		return kernel;
	if (choice->kernel || reading->hasKernels ||
	    learntProjectIsReserved(record->name))
		return NULL;
	return record->name;
}

/* What lies in a kernel is a part of it; inner states come first. */
static void dropInner(const struct reading *reading, int64_t start)
{
	GPtrArray *runs = reading->self->runs;
	GArray *accesses = reading->self->accesses;

	for (guint i = accesses->len; i > reading->firstAccess; i--) {
		struct learntAccess *access =
			&g_array_index(accesses, struct learntAccess, i - 1);

		if (access->start < start)
			break;
		access->isInner = true;
	}
	while (runs->len > reading->first &&
	       learntRunOf(reading->self, runs->len - 1)->start >= start)
		g_ptr_array_set_size(runs, (gint)runs->len - 1);
}

/* PEs that run a state together; 0: its attribute is not such a number. */
static unsigned int learntProjectPesOf(const hdIRecord *record)
{
	const char *text = learntProjectTextOf(record, "pes");
	double pes;

	if (!text)
		return 1;
	return learntProjectNumberOf(text, &pes) && pes >= 1 &&
			       pes <= HD_PREDICT_PES_MAX &&
			       pes == (double)(unsigned int)pes
		       ? (unsigned int)pes
		       : 0;
}

static void learntProjectAddRun(const struct reading *reading,
				const hdIRecord *record, const char *kernel)
{
	struct learnt *self = reading->self;
	const char *architecture = learntProjectTextOf(record, "architecture");
	struct learntRun *run = g_new0(struct learntRun, 1);

	dropInner(reading, record->start);
	run->kernel = g_strdup(kernel);
	run->architecture = g_strdup(architecture && *architecture
					     ? architecture
					     : self->choice.architecture);
	run->pes = learntProjectPesOf(record);
	run->variables = variablesOf(record);
	run->meter = reading->meter;
	run->pe = reading->pe;
	run->times = learntProjectTimesOf(record);
	run->start = record->start;
	run->end = record->end;
	run->isLoad = strcmp(record->name, "Load") == 0;
	run->isBatch = strcmp(record->name, "Batch") == 0;
	run->energy = run->error = run->power = run->idle = run->drift = NAN;
	g_ptr_array_add(self->runs, run);
}

/* Hosts by labels; those that are not there have no links. */
static bool learntProjectHostOf(const struct learnt *self, const char *label,
				size_t *host)
{
	for (guint i = 0; label && i < self->hosts->len; i++) {
		if (strcmp(learntHostOf(self, i)->label, label) == 0) {
			*host = i;
			return true;
		}
	}
	return false;
}

/* The host of a rank: the trace that belongs to it. */
static bool hostOfRank(const struct reading *reading, const char *rank,
		       size_t *host)
{
	const hdIProject *project = reading->project;
	int level = rolesRankLevel(project);

	for (size_t i = 0; rank && level && i < project->traceCount; i++) {
		const hdINode *node = project->traces[i]->node;

		if (node->level >= level &&
		    strcmp(rolesAt(node, level)->label, rank) == 0)
			return learntProjectHostOf(
				reading->self, hostNode(project, node)->label,
				host);
	}
	return false;
}

/* What a PE is called in the platform. */
static char *peName(const hdIProject *project, const hdINode *node)
{
	const hdINode *host = hostNode(project, node);
	const char *path = node->path + strlen(host->path);
	char *name = g_strdup_printf("%s%s", host->label, *path ? path : "_0");

	return g_strdelimit(name, "_", '.');
}

/* Who exchanges messages is a PE, too. */
static void takeExchanger(const struct reading *reading,
			  const hdIRecord *record)
{
	struct learnt *self = reading->self;
	struct learntHost *host =
		learntHostOf(self, learntMeterOf(self, reading->meter)->host);
	const char *architecture = learntProjectTextOf(record, "architecture");

	if (host->exchanger || !architecture || !*architecture)
		return;
	host->exchanger = peName(reading->project, reading->trace->node);
	host->exchangerKind = g_intern_string(architecture);
}

/* Messages in both directions of an exchange; or one of a task graph, which
 * takes all of its state. */
static bool takeTransfer(const struct reading *reading, const hdIRecord *record)
{
	struct learnt *self = reading->self;
	bool isExchange = strcmp(record->name, "Exchange") == 0;
	struct learntTransfer transfer = {
		.meter = reading->meter,
		.times = learntProjectTimesOf(record) * (isExchange ? 2 : 1),
		.start = record->start,
		.end = record->end,
	};

	if (!learntProjectNumberOf(learntProjectTextOf(record, "size"),
				   &transfer.bytes) ||
	    transfer.bytes < 0 || !transfer.times ||
	    transfer.end <= transfer.start)
		return false;
	if (isExchange
		    ? !learntProjectHostOf(self,
					   learntProjectTextOf(record, "from"),
					   &transfer.from) ||
			      !learntProjectHostOf(
				      self, learntProjectTextOf(record, "to"),
				      &transfer.to)
		    : !learntProjectTextOf(record, "activity") ||
			      !hostOfRank(reading,
					  learntProjectTextOf(record, "toRank"),
					  &transfer.to))
		return false;
	if (isExchange)
		takeExchanger(reading, record);
	else
		transfer.from = learntMeterOf(self, reading->meter)->host;
	if (transfer.from != transfer.to && !isInterrupted(record))
		g_array_append_val(self->transfers, transfer);
	return true;
}

/* Whether it is accesses to a file, of a class. */
static bool takeAccess(const struct reading *reading, const hdIRecord *record)
{
	const char *order = learntProjectTextOf(record, "order");
	const char *access = learntProjectTextOf(record, "access");
	struct learntAccess one = {
		.order = g_intern_string(order ? order : ""),
		.access = g_intern_string(access ? access : ""),
		.times = learntProjectTimesOf(record),
		.meter = reading->meter,
		.pe = reading->pe,
		.start = record->start,
		.end = record->end,
	};

	if (strcmp(record->name, "Io") != 0 || isInterrupted(record) ||
	    !order || !access || !one.times || one.end <= one.start ||
	    !learntProjectNumberOf(learntProjectTextOf(record, "size"),
				   &one.bytes) ||
	    one.bytes < 0)
		return false;
	g_array_append_val(reading->self->accesses, one);
	return true;
}

/* Whether a state says that something runs: a region around kernels tells
 * nothing of the time between them, and what a link does takes no PE. */
static bool isBusy(const struct reading *reading, const hdIRecord *record,
		   const char *kernel)
{
	const GPtrArray *runs = reading->self->runs;

	if (strcmp(record->name, "Transfer") == 0)
		return false;
	if (kernel || learntProjectIsReserved(record->name))
		return true;
	return record->depth == 0 &&
	       (runs->len <= reading->first ||
		learntRunOf(reading->self, runs->len - 1)->start <
			record->start);
}

static void learntProjectAddRecord(struct reading *reading,
				   const hdIRecord *record)
{
	struct learnt *self = reading->self;
	struct learntMeter *meter = learntMeterOf(self, reading->meter);
	struct learntSpan span = { record->start, record->end };
	const char *kernel;
	bool isAccess;

	if (record->kind != HDI_STATE || isIdle(reading, record))
		return;
	/* What a further PE of a task does is said by the first one. */
	if (learntProjectTextOf(record, "partOf")) {
		reading->partKind = g_intern_string(
			learntProjectTextOf(record, "architecture"));
		return;
	}
	if (takeTransfer(reading, record) &&
	    strcmp(record->name, "Exchange") != 0)
		return;
	isAccess = takeAccess(reading, record);
	kernel = learntProjectKernelOf(reading, record);
	if (isBusy(reading, record, kernel))
		g_array_append_val(meter->spans, span);
	if (isBusy(reading, record, kernel) && !kernel && !isAccess)
		g_array_append_val(meter->others, span);
	if (kernel && !isInterrupted(record) && learntProjectPesOf(record))
		learntProjectAddRun(reading, record, kernel);
}

/* Whether any state of a trace names its kernel, or a task. */
static void findKinds(struct reading *reading, const hdITraceFile *trace)
{
	hdITraceReader *reader = diagnosticsOpenTrace(reading->project, trace,
						      &diagnosticsDropped);
	const hdIRecord *record;

	while (reader && !reading->hasKernels && !reading->hasTasks &&
	       hdI_readTrace(reader, &record) > 0) {
		reading->hasKernels = learntProjectTextOf(record, "kernel");
		reading->hasTasks = learntProjectTextOf(record, "activity");
	}
	hdI_closeTrace(reader);
}

/* The trace is that of a PE if anything ran on it. */
static void addPe(struct reading *reading)
{
	struct learnt *self = reading->self;
	struct learntHost *host;
	const char *kind = reading->partKind;
	char *name;

	if (self->runs->len > reading->first)
		kind = learntRunOf(self, self->runs->len - 1)->architecture;
	if (!kind)
		return;
	host = learntHostOf(self, learntMeterOf(self, reading->meter)->host);
	name = peName(reading->project, reading->trace->node);
	for (guint i = 0; i < host->pes->len; i++) {
		if (strcmp(g_ptr_array_index(host->pes, i), name) == 0) {
			g_free(name);
			return;
		}
	}
	g_ptr_array_add(host->pes, name);
	g_ptr_array_add(host->peKinds, (char *)g_intern_string(kind));
}

static void learntProjectReadTrace(struct reading *reading)
{
	hdITraceReader *reader =
		diagnosticsOpenTrace(reading->project, reading->trace, NULL);
	const hdIRecord *record;

	reading->first = reading->self->runs->len;
	reading->firstAccess = reading->self->accesses->len;
	reading->partKind = NULL;
	reading->pe = reading->self->peCount++;
	while (reader && hdI_readTrace(reader, &record) > 0)
		learntProjectAddRecord(reading, record);
	hdI_closeTrace(reader);
	addPe(reading);
}

static void readTraces(struct learnt *self, const hdIProject *project)
{
	struct reading reading = { .self = self, .project = project };

	for (size_t i = 0; i < project->traceCount; i++) {
		/* Hosts first: exchanges name them. */
		meterOf(self, project,
			hostNode(project, project->traces[i]->node));
		findKinds(&reading, project->traces[i]);
	}
	for (size_t i = 0; i < project->traceCount; i++) {
		reading.trace = project->traces[i];
		reading.meter = meterOf(self, project,
					hostNode(project, reading.trace->node));
		learntProjectReadTrace(&reading);
	}
}

/* ---- The project -------------------------------------------------------- */

static void learntProjectAddDiagnostic(const hdIMessage *message, void *data)
{
	const struct learnt *self = data;
	hdPMessage said = { .isWarning = true,
			    .file = message->file,
			    .line = message->line,
			    .text = message->text };

	if (message->severity != HDI_NOTE && self->handler)
		self->handler(&said, self->data);
}

/* Each measurement counts once, however its project is named. */
static bool learntProjectIsKnown(const struct learnt *self,
				 const hdIProject *project)
{
	struct stat is, other;

	if (stat(project->file, &is) < 0)
		return false;
	for (guint i = 0; i < self->projects->len; i++) {
		const hdIProject *old = self->projects->pdata[i];

		if (stat(old->file, &other) == 0 && is.st_dev == other.st_dev &&
		    is.st_ino == other.st_ino)
			return true;
	}
	return false;
}

int learnProject(struct learnt *self, const char *path)
{
	hdIProject *project =
		hdI_openProject(path, learntProjectAddDiagnostic, self);
	int ret = project ? 0 : -errno;
	struct powerChoice *choice;
	int64_t start = 0;

	if (project && learntProjectIsKnown(self, project)) {
		hdI_closeProject(project);
		ret = -EEXIST;
	}
	if (ret < 0) {
		hdPMessage said = { .file = path,
				    .text = ret == -EEXIST ? "it is named twice"
							   : g_strerror(-ret) };

		if (self->handler)
			self->handler(&said, self->data);
		return ret;
	}
	g_ptr_array_add(self->projects, project);
	projectStartFind(project, &diagnosticsDropped, &start);
	readTraces(self, project);
	for (guint i = 0; i < self->meters->len; i++) {
		if (learntMeterOf(self, i)->project == project)
			learntMeterOf(self, i)->origin = start;
	}
	choice = powerChoiceNew(project, NULL);
	for (size_t i = 0; i < project->groupCount && ret == 0; i++)
		ret = learntProjectReadPower(self, project, choice, i);
	powerChoiceFree(choice);
	if (ret < 0)
		learntSay(self, false, project, NULL,
			  "cannot read its power: %s", g_strerror(-ret));
	return ret;
}
