/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Output of hdpredict calibrate: segments, and the comparison with a replay. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "PredictionLibrary/command/calibrate/calibrateprint.h"
#include "cli/output.h"

/* Segments of the model, by what they are the time of. */
struct calibrateTable {
	const char *name;
	const GArray *segments;
};

#define CALIBRATE_TABLES 4

static void calibrateTables(const struct calibration *model,
			    struct calibrateTable tables[CALIBRATE_TABLES])
{
	tables[0] = (struct calibrateTable){ "send", model->send };
	tables[1] = (struct calibrateTable){ "isend", model->isend };
	tables[2] = (struct calibrateTable){ "receive", model->receive };
	tables[3] = (struct calibrateTable){ "transfer", model->transfer };
}

/* Errors of a quantity over all sizes. */
struct calibrateErrors {
	int count;
	double sum;
	double worst;
};

static double calibrateErrorOf(const struct calibrateResult *result,
			       const struct samplesGroup *group)
{
	const struct samplesGroup *other =
		result->replayed ? samplesFind(result->replayed, group->what,
					       group->size)
				 : NULL;

	return other ? fitQuartile(other->times) / fitQuartile(group->times) - 1
		     : NAN;
}

static void calibratePrintSegments(const struct calibrateResult *result)
{
	struct calibrateTable tables[CALIBRATE_TABLES];

	calibrateTables(&result->model, tables);
	printf("\n%-10s %12s %12s %12s %12s %8s\n", "Segment", "from B", "to B",
	       "start us", "ns/KiB", "error %");
	for (int i = 0; i < CALIBRATE_TABLES; i++) {
		for (guint k = 0; k < tables[i].segments->len; k++) {
			const struct fitSegment *segment = &g_array_index(
				tables[i].segments, struct fitSegment, k);

			printf("%-10s %12.0f %12.0f %12.4g %12.4g %8.2g\n",
			       tables[i].name, segment->from, segment->until,
			       segment->start * 1e6,
			       segment->perByte * 1e9 * 1024,
			       segment->error * 100);
		}
	}
}

static void calibratePrintErrors(const char *what,
				 const struct calibrateErrors *errors)
{
	if (errors->count)
		printf("%-14s %6d %+10.3g %+10.3g\n", what, errors->count,
		       errors->sum / errors->count * 100, errors->worst * 100);
}

static void calibratePrintReplay(const struct calibrateResult *result)
{
	struct calibrateErrors errors = { 0, 0, 0 };
	const char *what = "";

	printf("\n%-14s %6s %10s %10s\n", "Replay of", "sizes", "mean %",
	       "worst %");
	for (guint i = 0; i < result->measured->len; i++) {
		const struct samplesGroup *group = result->measured->pdata[i];
		double error = calibrateErrorOf(result, group);

		if (strcmp(group->what, SAMPLES_EARLY) == 0)
			continue;
		if (strcmp(group->what, what) != 0) {
			calibratePrintErrors(what, &errors);
			errors = (struct calibrateErrors){ 0, 0, 0 };
			what = group->what;
		}
		if (isnan(error))
			continue;
		errors.count++;
		errors.sum += error;
		if (fabs(error) > fabs(errors.worst))
			errors.worst = error;
	}
	calibratePrintErrors(what, &errors);
}

void calibratePrintText(const struct calibrateResult *result,
			const char *output)
{
	const struct calibration *model = &result->model;

	printf("Latency: %.4g us\n", model->latency * 1e6);
	printf("Bandwidth: %.4g MB/s, %s\n", model->bandwidth / 1e6,
	       model->isShared ? "shared by all messages"
			       : "in each direction");
	printf("Sent without a receiver: messages below %.0f bytes\n",
	       model->eager);
	calibratePrintSegments(result);
	if (result->replayed) {
		printf("\nCollective calls: smpi/coll-selector %s\n",
		       result->selector);
		calibratePrintReplay(result);
	} else {
		printf("\nNot replayed: %s\n", result->failure);
	}
	printf("\nPlatform: %s\n", output);
}

/* ---- JSON -------------------------------------------------------------- */

static void calibrateJsonSegments(struct outJson *json,
				  const struct calibrateResult *result)
{
	struct calibrateTable tables[CALIBRATE_TABLES];

	calibrateTables(&result->model, tables);
	outJsonArray(json, "segments", false);
	for (int i = 0; i < CALIBRATE_TABLES; i++) {
		for (guint k = 0; k < tables[i].segments->len; k++) {
			const struct fitSegment *segment = &g_array_index(
				tables[i].segments, struct fitSegment, k);

			outJsonObject(json, NULL, true);
			outJsonText(json, "time_of", tables[i].name);
			outJsonDouble(json, "from_bytes", segment->from);
			outJsonDouble(json, "until_bytes", segment->until);
			outJsonInteger(json, "sizes", (int64_t)segment->count);
			outJsonDouble(json, "start_s", segment->start);
			outJsonDouble(json, "per_byte_s", segment->perByte);
			outJsonDouble(json, "error_percent",
				      segment->error * 100);
			outJsonEnd(json);
		}
	}
	outJsonEnd(json);
}

static void calibrateJsonTimes(struct outJson *json,
			       const struct calibrateResult *result)
{
	outJsonArray(json, "times", false);
	for (guint i = 0; i < result->measured->len; i++) {
		const struct samplesGroup *group = result->measured->pdata[i];
		double measured = fitQuartile(group->times);
		double error = calibrateErrorOf(result, group);

		if (strcmp(group->what, SAMPLES_EARLY) == 0)
			continue;
		outJsonObject(json, NULL, true);
		outJsonText(json, "time_of", group->what);
		outJsonInteger(json, "size_bytes", group->size);
		outJsonInteger(json, "count", group->times->len);
		outJsonDouble(json, "measured_s", measured);
		outJsonDouble(json, "replayed_s", measured * (1 + error));
		outJsonDouble(json, "error_percent", error * 100);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

void calibratePrintJson(const struct calibrateResult *result)
{
	const struct calibration *model = &result->model;
	struct outJson json = { .depth = 0 };

	outJsonDocument(&json, "hdpredict-calibrate");
	outJsonArray(&json, "hosts", true);
	for (guint i = 0; i < result->machine.hosts->len; i++)
		outJsonText(&json, NULL,
			    g_array_index(result->machine.hosts,
					  struct machineXmlHost, i)
				    .name);
	outJsonEnd(&json);
	outJsonText(&json, "link",
		    result->machine.between.isKnown ? "between hosts"
						    : "inside of a host");
	outJsonDouble(&json, "latency_s", model->latency);
	outJsonDouble(&json, "bandwidth_bytes_per_s", model->bandwidth);
	outJsonBool(&json, "shared", model->isShared);
	outJsonDouble(&json, "eager_bytes", model->eager);
	outJsonText(&json, "collectives", result->selector);
	calibrateJsonSegments(&json, result);
	calibrateJsonTimes(&json, result);
	outJsonArray(&json, "options", false);
	for (guint i = 0; i < result->machine.options->len; i++)
		outJsonText(&json, NULL, result->machine.options->pdata[i]);
	outJsonEnd(&json);
	outJsonEnd(&json);
}
