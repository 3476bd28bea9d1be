/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This machine's own meters; see own.h. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "PowerTracingLibrary/client/core/own.h"
#include "PowerTracingLibrary/client/core/recorder.h"
#include "PowerTracingLibrary/src/meter/runner.h"
#include "cli/output.h"
#include "common/clock.h"

/* RAPL moves every millisecond, and NVML every 100 ms; see pt-drivers(7). */
#define CYCLE_NS INT64_C(50000000)
/* How long the last reading may take to come. */
#define PATIENCE_NS INT64_C(2000000000)

/* One device, read by its own thread. */
struct ownMeter {
	struct ptSink sink;
	struct ptOwn *own;
	size_t number;
	struct ptConfig config;
	struct ptRunner runner;
	size_t inputCount; /* Columns of power; behind them those of energy. */
	size_t *inputOf; /* Whose energy a column has; inputCount: not used. */
	double *values, *joules;
	gboolean hasRunner;
	int64_t lastNs; /* When the last reading ended. */
};

struct ptOwn {
	const char *tool, *root;
	int64_t cycleNs;
	struct ptPowerSum *sum;
	GPtrArray *meters;     /* struct ownMeter */
	GString *name;         /* What is measured. */
	GString *looked;       /* What was looked for, and is not here. */
	GPtrArray *passedOver; /* Labels of unknown roles. */
	pthread_mutex_t mutex;
	pthread_cond_t hasRead;
};

/* ---- What there is ----------------------------------------------------- */

/* A search among the channels of a driver. */
struct search {
	struct ptOwn *own;
	const struct ptDriver *driver;
	GPtrArray *labels; /* Of those that work. */
};

static const char *const noOptions[] = { NULL };

static struct ptSetup setupOf(const struct ptOwn *own)
{
	return (struct ptSetup){
		.cycleNs = own->cycleNs,
		.root = own->root,
		.wakeFd = -1,
		.options = noOptions,
	};
}

static void found(void *context, const char *label, const char *description,
		  bool works)
{
	struct search *search = context;

	if (works) {
		g_ptr_array_add(search->labels, g_strdup(label));
		return;
	}
	g_string_append_printf(
		search->own->looked, "  %s: %s%s%s\n", search->driver->name,
		strcmp(label, "-") == 0 ? "" : label,
		strcmp(label, "-") == 0 ? "" : ": cannot be used: ",
		description);
}

static void ownMetersLookForChannels(struct search *search, struct ptOwn *own,
				     const struct ptDriver *driver)
{
	struct ptSetup setup = setupOf(own);
	gsize before = own->looked->len;

	search->own = own;
	search->driver = driver;
	search->labels = g_ptr_array_new_with_free_func(g_free);
	if (driver->list)
		driver->list(&setup, found, search);
	if (search->labels->len == 0 && own->looked->len == before)
		g_string_append_printf(own->looked, "  %s: none\n",
				       driver->name);
}

/* What a channel of a driver measures. */
static struct hdPowerChannel ownMetersChannelOf(const struct ptDriver *driver,
						const char *label)
{
	struct hdPowerChannel channel = { .device = driver->name,
					  .label = label };

	hdPowerClassify(&channel);
	return channel;
}

/* Whether a channel may become a part of the node's power: a core of many is
 * in its package, and what has no known role is for where nothing else is. */
static gboolean ownMetersIsCandidate(const struct ptDriver *driver,
				     const char *label, gboolean hasOthers)
{
	struct hdPowerChannel channel = ownMetersChannelOf(driver, label);

	if (channel.is == HD_POWER_CORE && !channel.container[0])
		return FALSE;
	return channel.is != HD_POWER_UNKNOWN || !hasOthers;
}

static void keepCandidates(struct search *search, gboolean hasOthers)
{
	GPtrArray *labels = search->labels;

	for (guint i = labels->len; i-- > 0;) {
		if (ownMetersIsCandidate(search->driver, labels->pdata[i],
					 hasOthers))
			continue;
		/* A machine has hundreds of cores. */
		if (ownMetersChannelOf(search->driver, labels->pdata[i]).is ==
		    HD_POWER_UNKNOWN)
			g_ptr_array_add(search->own->passedOver,
					g_strdup(labels->pdata[i]));
		g_ptr_array_remove_index(labels, i);
	}
}

/* ---- Meters ------------------------------------------------------------ */

static void meterAdd(struct ptSink *sink, const union hdCell *cells,
		     const struct ptReading *reading)
{
	struct ownMeter *meter = (struct ownMeter *)(void *)sink;
	const struct ptRecorderReading taken = {
		.endNs = reading->endNs,
		.lengthNs = reading->lengthNs,
		.values = meter->values,
		.joules = meter->joules,
	};

	for (size_t i = 0; i < meter->config.columnCount; i++) {
		double number = hdCellNumber(
			meter->config.columns[i].quantity->type, cells[i]);

		if (i < meter->inputCount)
			meter->values[i] = number;
		else
			meter->joules[meter->inputOf[i]] = number;
	}
	ptPowerSumAdd(meter->own->sum, meter->number, &taken);
	pthread_mutex_lock(&meter->own->mutex);
	meter->lastNs = reading->endNs;
	pthread_cond_broadcast(&meter->own->hasRead);
	pthread_mutex_unlock(&meter->own->mutex);
}

static const struct ptSinkCalls meterCalls = { .add = meterAdd };

static const struct ptQuantity *ownMetersFindQuantity(
	const struct ptDriver *driver, const char *name)
{
	for (const struct ptQuantity *q = driver->quantities; q->name; q++)
		if (strcmp(q->name, name) == 0)
			return q;
	return NULL;
}

/* Resolve a channel as a configuration would; FALSE if it vanished. */
static gboolean ownMetersResolve(struct ptOwn *own,
				 const struct ptDriver *driver,
				 const char *label, const char *quantity,
				 struct ptColumn *column)
{
	struct ptSetup setup = setupOf(own);
	char why[256] = "";

	column->quantity = ownMetersFindQuantity(driver, quantity);
	return column->quantity &&
	       driver->resolve(&setup, label, 0, &column->channel,
			       column->label, why, sizeof(why)) == 0;
}

static void meterFree(void *data)
{
	struct ownMeter *meter = data;

	if (meter->hasRunner)
		ptRunnerEnd(&meter->runner, NULL);
	g_free(meter->config.columns);
	g_free(meter->inputOf);
	g_free(meter->values);
	g_free(meter->joules);
	g_free(meter);
}

/* Resolve the channels: the power of each, and the energy, which is exact where
 * a counter tells it. */
static void ownMetersTakeChannels(struct ptOwn *own, struct ownMeter *meter,
				  const struct ptDriver *driver,
				  const GPtrArray *labels)
{
	struct ptConfig *config = &meter->config;

	config->columns = g_new0(struct ptColumn, 2 * labels->len + 1);
	meter->inputOf = g_new0(size_t, 2 * labels->len + 1);
	meter->values = g_new0(double, labels->len + 1);
	meter->joules = g_new(double, labels->len + 1);
	for (guint i = 0; i < labels->len; i++)
		if (ownMetersResolve(own, driver, labels->pdata[i], "P",
				     &config->columns[config->columnCount]))
			config->columnCount++;
	meter->inputCount = config->columnCount;
	for (size_t i = 0; i < meter->inputCount; i++) {
		meter->joules[i] = NAN;
		meter->inputOf[config->columnCount] = i;
		if (ownMetersResolve(own, driver, config->columns[i].label, "E",
				     &config->columns[config->columnCount]))
			config->columnCount++;
	}
}

/* The energy of what tells power is no better than that; it is not used. */
static void ownMetersDropIntegrals(struct ownMeter *meter)
{
	for (size_t i = meter->inputCount; i < meter->config.columnCount; i++)
		if (!hdPowerIsCounted(meter->config.columns[i].source))
			meter->inputOf[i] = meter->inputCount;
}

/* Open a device with some of its channels; FALSE after a message. */
static gboolean addMeter(struct ptOwn *own, const struct ptDriver *driver,
			 const GPtrArray *labels)
{
	struct ownMeter *meter = g_new0(struct ownMeter, 1);
	struct ptConfig *config = &meter->config;

	meter->sink.calls = &meterCalls;
	meter->own = own;
	meter->number = own->meters->len;
	config->driver = driver;
	config->name = driver->name;
	config->cycleNs = own->cycleNs;
	config->options = (const char **)(void *)noOptions;
	ownMetersTakeChannels(own, meter, driver, labels);
	if (config->columnCount == 0 ||
	    ptRunnerInit(&meter->runner, config, own->root) != 0) {
		meterFree(meter);
		return FALSE;
	}
	meter->hasRunner = TRUE;
	ptMeterAddSink(&meter->runner.meter, &meter->sink);
	if (ptMeterOpen(&meter->runner.meter) != 0) {
		meterFree(meter);
		return FALSE;
	}
	ownMetersDropIntegrals(meter);
	g_ptr_array_add(own->meters, meter);
	return TRUE;
}

/* Take a driver's channels, if there are any. */
static gboolean ownMetersAddDriver(struct ptOwn *own, const char *name)
{
	const struct ptDriver *driver = ptDriverFind(ptDrivers, name);
	struct search search;
	gboolean isTaken;

	ownMetersLookForChannels(&search, own, driver);
	keepCandidates(&search, own->meters->len > 0);
	isTaken =
		search.labels->len > 0 && addMeter(own, driver, search.labels);
	g_ptr_array_free(search.labels, TRUE);
	return isTaken;
}

static void ownMetersAddAll(struct ptOwn *own)
{
	/* The same counters in two ways. */
	if (!ownMetersAddDriver(own, "powercap"))
		ownMetersAddDriver(own, "perf");
	ownMetersAddDriver(own, "nvml");
	ownMetersAddDriver(own, "hwmon");
	ownMetersAddDriver(own, "power_supply");
}

/* The rule chooses among the columns of all meters. */
static void ownMetersChooseColumns(struct ptOwn *own)
{
	size_t count = own->sum->count;
	struct hdPowerChannel *channels =
		g_new0(struct hdPowerChannel, count + 1);
	struct hdPowerGain *gains = g_new0(struct hdPowerGain, count + 1);

	for (size_t i = 0; i < count; i++) {
		const struct ptPowerColumn *at = &own->sum->columns[i];
		const struct ownMeter *meter = own->meters->pdata[at->group];
		const struct ptColumn *column =
			&meter->config.columns[at->column];

		channels[i].device = meter->config.name;
		channels[i].label = column->label;
		channels[i].hardware = column->hardware;
		gains[i].isCounter = hdPowerIsCounted(column->source);
		gains[i].resolution = hdPowerResolution(column->resolution);
		gains[i].periodNs = hdPowerPeriod(column->resolution);
	}
	ptPowerSumChoose(own->sum, channels, gains);
	g_free(channels);
	g_free(gains);
}

/* Tell the sum what is added up. */
static void openSum(struct ptOwn *own)
{
	struct ptRecorderGroup *groups =
		g_new0(struct ptRecorderGroup, own->meters->len);

	for (guint i = 0; i < own->meters->len; i++) {
		const struct ownMeter *meter = own->meters->pdata[i];

		groups[i].count = meter->inputCount;
		groups[i].columns =
			g_new0(struct ptRecorderColumn, groups[i].count);
		for (size_t k = 0; k < groups[i].count; k++)
			groups[i].columns[k].unit = (char *)"W";
	}
	ptPowerSumOpen(own->sum, groups, own->meters->len);
	ownMetersChooseColumns(own);
	for (guint i = 0; i < own->meters->len; i++)
		g_free(groups[i].columns);
	g_free(groups);
}

/* ---- All of them ------------------------------------------------------- */

static void sayNone(const struct ptOwn *own)
{
	if (!own->tool)
		return;
	outSay(stderr,
	       "%s: no power service and no meter on this machine:", own->tool);
	fputs(own->looked->str, stderr);
	fprintf(stderr,
		"For a test without a meter, compute the power from the load "
		"of the CPUs:\n  %s --meter=sim -- COMMAND\n",
		own->tool);
}

static struct ptOwn *ownCreate(const char *tool, const char *root,
			       int64_t cycleNs, struct ptPowerSum *sum)
{
	struct ptOwn *own = g_new0(struct ptOwn, 1);
	pthread_condattr_t attributes;

	own->tool = tool;
	own->root = root ? root : "";
	own->cycleNs = cycleNs ? cycleNs : CYCLE_NS;
	own->sum = sum;
	own->meters = g_ptr_array_new_with_free_func(meterFree);
	own->name = g_string_new(NULL);
	own->looked = g_string_new(NULL);
	own->passedOver = g_ptr_array_new_with_free_func(g_free);
	pthread_mutex_init(&own->mutex, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&own->hasRead, &attributes);
	pthread_condattr_destroy(&attributes);
	return own;
}

struct ptOwn *ptOwnOpen(const char *tool, const char *device, const char *root,
			int64_t cycleNs, struct ptPowerSum *sum)
{
	static const char *const meters[] = { "powercap",     "perf",
					      "nvml",         "hwmon",
					      "power_supply", "sim" };
	struct ptOwn *own = ownCreate(tool, root, cycleNs, sum);
	gboolean isKnown = !device;

	for (size_t i = 0; device && i < G_N_ELEMENTS(meters); i++)
		if (strcmp(device, meters[i]) == 0)
			isKnown = TRUE;
	if (!isKnown)
		outSay(stderr,
		       "%s: --meter: invalid value \"%s\"; expected powercap, "
		       "perf, nvml, hwmon, power_supply or sim",
		       tool, device);
	else if (device)
		ownMetersAddDriver(own, device);
	else
		ownMetersAddAll(own);
	if (own->meters->len > 0) {
		openSum(own);
		return own;
	}
	if (isKnown)
		sayNone(own);
	ptOwnFree(own);
	return NULL;
}

int ptOwnBegin(struct ptOwn *own)
{
	for (guint i = 0; i < own->meters->len; i++) {
		struct ownMeter *meter = own->meters->pdata[i];
		int ret = ptRunnerBegin(&meter->runner);

		if (ret < 0)
			return ret;
		ptRunnerSet(&meter->runner, true);
	}
	return 0;
}

static gboolean isRead(const struct ptOwn *own, int64_t untilNs)
{
	for (guint i = 0; i < own->meters->len; i++) {
		const struct ownMeter *meter = own->meters->pdata[i];

		if (meter->lastNs < untilNs)
			return FALSE;
	}
	return TRUE;
}

void ptOwnEnd(struct ptOwn *own, int64_t untilNs)
{
	int64_t deadlineNs = hdMonotonicNow() + PATIENCE_NS;
	const struct timespec deadline = hdClockToTimespec(deadlineNs);
	int ret = 0;

	pthread_mutex_lock(&own->mutex);
	while (ret == 0 && !isRead(own, untilNs))
		ret = pthread_cond_timedwait(&own->hasRead, &own->mutex,
					     &deadline);
	pthread_mutex_unlock(&own->mutex);
	for (guint i = 0; i < own->meters->len; i++) {
		struct ownMeter *meter = own->meters->pdata[i];

		ptRunnerEnd(&meter->runner, NULL);
		meter->hasRunner = FALSE;
	}
}

/* Append the labels of a meter's columns that count. */
static void nameMeter(GString *name, const struct ptPowerSum *sum,
		      const struct ownMeter *meter)
{
	const char *between = "";

	for (size_t i = 0; i < sum->count; i++) {
		const struct ptPowerColumn *at = &sum->columns[i];

		if (at->group != meter->number || !sum->channels[i].isCounted)
			continue;
		if (!*between)
			g_string_append_printf(name, "%s%s ",
					       name->len ? "; " : "",
					       meter->config.name);
		g_string_append_printf(name, "%s%s", between,
				       sum->channels[i].label);
		between = ", ";
	}
}

const char *ptOwnName(struct ptOwn *own)
{
	pthread_mutex_lock(&own->sum->mutex);
	g_string_truncate(own->name, 0);
	for (guint i = 0; i < own->meters->len; i++)
		nameMeter(own->name, own->sum, own->meters->pdata[i]);
	pthread_mutex_unlock(&own->sum->mutex);
	return own->name->str;
}

void ptOwnEachInput(struct ptOwn *own, ptOwnTake *take, void *context)
{
	struct ptPowerSum *sum = own->sum;
	struct ptOwnInput unknown = { .reason = "unknown role" };

	pthread_mutex_lock(&sum->mutex);
	for (size_t i = 0; i < sum->count; i++) {
		const struct hdPowerChannel *channel = &sum->channels[i];
		const struct ptOwnInput input = {
			.label = channel->label,
			.isCounted = channel->isCounted,
			.isFault = channel->fault != NULL,
			.reason = channel->reason,
		};

		take(context, &input);
	}
	pthread_mutex_unlock(&sum->mutex);
	for (guint i = own->passedOver->len; i-- > 0;) {
		unknown.label = own->passedOver->pdata[i];
		take(context, &unknown);
	}
}

gboolean ptOwnIsSimulated(const struct ptOwn *own)
{
	for (guint i = 0; i < own->meters->len; i++) {
		const struct ownMeter *meter = own->meters->pdata[i];

		for (size_t k = 0; k < meter->config.columnCount; k++)
			if (meter->config.columns[k].isSimulated)
				return TRUE;
	}
	return FALSE;
}

void ptOwnFree(struct ptOwn *own)
{
	if (!own)
		return;
	g_ptr_array_free(own->meters, TRUE);
	g_string_free(own->name, TRUE);
	g_string_free(own->looked, TRUE);
	g_ptr_array_free(own->passedOver, TRUE);
	pthread_cond_destroy(&own->hasRead);
	pthread_mutex_destroy(&own->mutex);
	g_free(own);
}
