/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a node says of itself, as metrics: see hdNodeLocalMetrics(). */
#include "config.h"

#include <string.h>

#include "NodeStatus/local/node.h"
#include "common/clock.h"
#include "common/format/exposition.h"

/* A copy of all samples, so that nobody is called with the lock. */
struct sample {
	char *name, *help;
	const char *unit;
	bool isCounter;
	double value;
	int64_t stamp;
};

static void sampleClear(gpointer data)
{
	struct sample *sample = data;

	g_free(sample->name);
	g_free(sample->help);
}

/* The unit of a column as hdtrace export says it, and the end of the name. */
static const char *prometheusUnitOf(const char *unit)
{
	static const char *const units[][2] = {
		{ "W", "watts" },  { "J", "joules" },  { "s", "seconds" },
		{ "B", "bytes" },  { "V", "volts" },   { "A", "amperes" },
		{ "Hz", "hertz" }, { "%", "percent" },
	};

	for (size_t i = 0; unit && i < G_N_ELEMENTS(units); i++)
		if (strcmp(units[i][0], unit) == 0)
			return units[i][1];
	return NULL;
}

/* "hdtrace_utilization_cpu_state_user_percent" */
static char *prometheusNameOf(const struct rutColumn *column, const char *unit)
{
	GString *name = g_string_new("hdtrace_utilization_");

	for (const char *at = column->name; *at; at++) {
		char piece[HD_EXPOSITION_PIECE];
		size_t length =
			hdExpositionNamePiece((unsigned char)*at, piece);

		g_string_append_len(name, piece, (gssize)length);
	}
	if (unit)
		g_string_append_printf(name, "_%s", unit);
	return g_string_free(name, FALSE);
}

static bool prometheusHasName(const GArray *samples, const char *name)
{
	for (guint i = 0; i < samples->len; i++)
		if (strcmp(g_array_index(samples, struct sample, i).name,
			   name) == 0)
			return true;
	return false;
}

static void prometheusAddColumn(GArray *samples, const struct nodeSample *from,
				size_t i)
{
	const struct rutColumn *column = &from->used.columns.list[i];
	const struct nodeValue *value = &from->values[i];
	const char *unit = prometheusUnitOf(column->unit);
	struct sample sample = {
		.name = prometheusNameOf(column, unit),
		.help = g_strdup_printf("%s in %s", column->name, column->unit),
		.unit = unit,
		.isCounter = column->kind == HD_KIND_DELTA,
		.value =
			column->kind == HD_KIND_DELTA ? value->sum : value->now,
		.stamp = from->stampNs,
	};

	/* Names that differed in other characters get numbers, as there. */
	for (int number = 2; prometheusHasName(samples, sample.name);
	     number++) {
		char *name = prometheusNameOf(column, NULL);

		g_free(sample.name);
		sample.name =
			unit ? g_strdup_printf("%s_%d_%s", name, number, unit)
			     : g_strdup_printf("%s_%d", name, number);
		g_free(name);
	}
	g_array_append_val(samples, sample);
}

static void addMetrics(GArray *samples, const struct hdNodeLocal *local)
{
	for (size_t i = 0; i < NODE_METRIC_COUNT; i++) {
		struct sample sample = {
			.name = g_strdup(nodeMetrics[i].prometheus),
			.help = g_strdup(nodeMetrics[i].help),
			.unit = nodeMetrics[i].unit,
			.value = nodeMetricIsStale(local, i)
					 ? NAN
					 : local->metrics[i],
			.stamp = local->sample.stampNs,
		};

		g_array_append_val(samples, sample);
	}
}

/* How old the rest is: a sample that is stale has no values here. */
static void addAges(GArray *samples, const struct hdNodeLocal *local)
{
	bool isStale;
	struct sample ages[] = {
		{ .name = g_strdup("hdtrace_node_sample_age_seconds"),
		  .help = g_strdup("Age of the last sample of the status"),
		  .unit = "seconds",
		  .value = nodeSampleAge(local) },
		{ .name = g_strdup("hdtrace_node_health_age_seconds"),
		  .help = g_strdup("Age of the last health check"),
		  .unit = "seconds",
		  .value = nodeHealthAge(local->health, &isStale) },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(ages); i++) {
		ages[i].stamp = hdWallNow();
		g_array_append_val(samples, ages[i]);
	}
}

static void addPower(GArray *samples, struct hdNodeLocal *local)
{
	double joules, watts = nodePowerWatts(local->power, &joules);
	struct sample power = {
		.name = g_strdup("hdtrace_power_watts"),
		.help = g_strdup("Power that the node draws"),
		.unit = "watts",
		.value = watts,
		.stamp = local->sample.stampNs,
	};
	struct sample energy = {
		.name = g_strdup("hdtrace_energy_joules"),
		.help = g_strdup("Energy that the node has used since hdnode "
				 "began"),
		.unit = "joules",
		.isCounter = true,
		.value = joules,
		.stamp = local->sample.stampNs,
	};

	g_array_append_val(samples, power);
	g_array_append_val(samples, energy);
}

/* An input of the node's power, copied. */
struct prometheusInput {
	char *label, *reason;
	bool isCounted;
};

static void prometheusClearInput(gpointer data)
{
	struct prometheusInput *input = data;

	g_free(input->label);
	g_free(input->reason);
}

static void prometheusAddInput(void *context, const struct ptOwnInput *from)
{
	const struct prometheusInput input = {
		.label = g_strdup(from->label),
		.reason = g_strdup(from->reason),
		.isCounted = from->isCounted,
	};

	g_array_append_val((GArray *)context, input);
}

/* Which inputs make up the power of the node: 1, or 0 and why not. */
static void prometheusTellInputs(struct hdNodeLocal *local, int64_t stamp,
				 hdNodeMetricTake *take, void *context)
{
	GArray *inputs =
		g_array_new(FALSE, FALSE, sizeof(struct prometheusInput));

	g_array_set_clear_func(inputs, prometheusClearInput);
	nodePowerEachInput(local->power, prometheusAddInput, inputs);
	for (guint i = 0; i < inputs->len; i++) {
		const struct prometheusInput *input =
			&g_array_index(inputs, struct prometheusInput, i);
		const char *const labels[] = { "node",   local->name,
					       "input",  input->label,
					       "reason", input->reason,
					       NULL };
		const struct hdNodeMetric metric = {
			.name = "hdtrace_power_input_counted",
			.help = "Whether the power of the node includes an "
				"input",
			.labels = labels,
			.value = input->isCounted,
			.stamp = stamp,
		};

		take(context, &metric);
	}
	g_array_free(inputs, TRUE);
}

static void prometheusPutSample(const struct sample *sample,
				const char *const *labels,
				hdNodeMetricTake *take, void *context)
{
	const struct hdNodeMetric metric = {
		.name = sample->name,
		.help = sample->help,
		.unit = sample->unit,
		.isCounter = sample->isCounter,
		.labels = labels,
		.value = sample->value,
		.stamp = sample->stamp,
	};

	if (isfinite(sample->value))
		take(context, &metric);
}

/* One of each alarm: 0 ok, 1 raised; none while it is unknown. */
static void tellAlarms(const char *node, json_t *alarms, int64_t stamp,
		       hdNodeMetricTake *take, void *context)
{
	for (size_t i = 0; i < json_array_size(alarms); i++) {
		json_t *alarm = json_array_get(alarms, i);
		const char *state =
			json_string_value(json_object_get(alarm, "state"));
		const char *const labels[] = {
			"node", node, "alarm",
			json_string_value(json_object_get(alarm, "name")), NULL
		};
		const struct hdNodeMetric metric = {
			.name = "hdtrace_node_alarm_raised",
			.help = "Whether an alarm is raised",
			.labels = labels,
			.value = strcmp(state, "raised") == 0,
			.stamp = stamp,
		};

		if (strcmp(state, "unknown") != 0)
			take(context, &metric);
	}
}

void hdNodeLocalMetrics(struct hdNodeLocal *local, hdNodeMetricTake *take,
			void *context)
{
	const char *const labels[] = { "node", local->name, NULL };
	GArray *samples = g_array_new(FALSE, FALSE, sizeof(struct sample));
	json_t *alarms;
	int64_t stamp;

	g_array_set_clear_func(samples, sampleClear);
	pthread_mutex_lock(&local->mutex);
	stamp = local->sample.stampNs;
	for (size_t i = 0;
	     i < local->sample.used.columns.count && !nodeSampleIsStale(local);
	     i++)
		prometheusAddColumn(samples, &local->sample, i);
	addMetrics(samples, local);
	addPower(samples, local);
	addAges(samples, local);
	pthread_mutex_unlock(&local->mutex);
	for (guint i = 0; i < samples->len; i++)
		prometheusPutSample(&g_array_index(samples, struct sample, i),
				    labels, take, context);
	g_array_free(samples, TRUE);
	prometheusTellInputs(local, stamp, take, context);
	alarms = hdNodeLocalSection(local, HD_NODE_ALARMS);
	tellAlarms(local->name, alarms, stamp, take, context);
	json_decref(alarms);
}
