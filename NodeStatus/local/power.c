/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the node draws; see power.h. */
#include "config.h"

#include <string.h>
#include <unistd.h>

#include <glib.h>

#include "NodeStatus/local/json.h"
#include "NodeStatus/local/power.h"
#include "PowerTracingLibrary/client/core/powersum.h"
#include "PowerTracingLibrary/client/core/recorder.h"
#include "common/clock.h"

/* A reading that is older says nothing of now. */
#define AGE_MAX_NS (10 * HD_NS_PER_S)

struct nodePower {
	struct ptPowerSum sum;
	/* A service, or */
	char *source; /* Its address. */
	struct ptRemoteSetup remote;
	struct ptRecorderSetup setup;
	struct ptSelection selection;
	char *node;
	struct ptRecorder *recorder;
	/* the machine's own meters. */
	char *root;
	struct ptOwn *own;
};

/* ---- A service --------------------------------------------------------- */

static int nodePowerOnOpened(void *context,
			     const struct ptRecorderGroup *groups, size_t count,
			     const struct ptRemoteClock *clock)
{
	struct nodePower *power = context;

	(void)clock;
	ptPowerSumOpen(&power->sum, groups, count);
	return 0;
}

static void nodePowerOnReading(void *context, size_t group,
			       const struct ptRecorderReading *reading)
{
	struct nodePower *power = context;

	ptPowerSumAdd(&power->sum, group, reading);
}

static const struct ptRecorderCalls calls = { .opened = nodePowerOnOpened,
					      .add = nodePowerOnReading };

/* Whether a service is asked: one that was named, or whose socket is there. */
static bool hasService(struct nodePower *power, const char *server)
{
	struct ptRemoteAddress *address = &power->remote.address;

	if (ptRemoteParse(server, address) < 0)
		return false;
	return server || (address->isPath && access(address->host, F_OK) == 0);
}

static void askService(struct nodePower *power)
{
	power->selection =
		(struct ptSelection){ .node = power->node, .value = "P" };
	power->setup = (struct ptRecorderSetup){
		.remote = &power->remote,
		.selections = &power->selection,
		.selectionCount = 1,
		.frequency = 1,
		.isPatient = true,
	};
	if (ptRecorderOpen(&power->setup, &calls, power, &power->recorder) < 0)
		return;
	power->source = g_strdup(power->remote.address.text);
	if (ptRecorderBegin(power->recorder) == 0)
		return;
	ptRecorderFree(power->recorder);
	power->recorder = NULL;
}

/* ---- Own meters -------------------------------------------------------- */

static void useOwn(struct nodePower *power)
{
	power->own =
		ptOwnOpen(NULL, NULL, power->root, HD_NS_PER_S, &power->sum);
	if (!power->own)
		return;
	if (ptOwnBegin(power->own) == 0) {
		return;
	}
	ptOwnFree(power->own);
	power->own = NULL;
}

/* ---- Both -------------------------------------------------------------- */

struct nodePower *nodePowerStart(const char *node, const char *root,
				 const char *server)
{
	struct nodePower *power = g_new0(struct nodePower, 1);

	power->node = g_strdup(node);
	power->root = g_strdup(root);
	ptPowerSumInit(&power->sum);
	ptPowerSumBegin(&power->sum, hdClockNow());
	if (server && !*server)
		return power;
	if (hasService(power, server))
		askService(power);
	if (!power->recorder && !server)
		useOwn(power);
	return power;
}

void nodePowerStop(struct nodePower *power)
{
	if (!power)
		return;
	ptRecorderFree(power->recorder);
	ptOwnFree(power->own);
	ptPowerSumClear(&power->sum);
	g_free(power->source);
	g_free(power->node);
	g_free(power->root);
	g_free(power);
}

/* Power now, energy since the begin, and when the oldest reading ended. */
static double nodePowerSumNow(struct nodePower *power, double *joules,
			      int64_t *endNs)
{
	const struct ptIntegral *integral = &power->sum.integral;
	int64_t now = hdClockNow();
	double watts;

	*endNs = INT64_MAX;
	pthread_mutex_lock(&power->sum.mutex);
	for (size_t i = 0; i < integral->count; i++)
		if (!integral->values[i].isLeftOut)
			*endNs = MIN(*endNs, integral->values[i].lastNs);
	watts = ptPowerSumNow(&power->sum);
	*joules = integral->count && ptPowerSumIsSettled(&power->sum)
			  ? ptIntegralJoules(integral)
			  : NAN;
	if (integral->count == 0 || now - *endNs > AGE_MAX_NS)
		watts = NAN;
	pthread_mutex_unlock(&power->sum.mutex);
	return watts;
}

double nodePowerWatts(struct nodePower *power, double *joules)
{
	int64_t endNs;

	return nodePowerSumNow(power, joules, &endNs);
}

/* Add an input that does not count, to a list. */
static void nodePowerAddLeftOut(void *context, const struct ptOwnInput *input)
{
	if (!input->isCounted)
		json_array_append_new(
			context, json_pack("{so so sb}", "input",
					   nodeJsonText(input->label), "reason",
					   nodeJsonText(input->reason), "fault",
					   input->isFault));
}

void nodePowerEachInput(struct nodePower *power, ptOwnTake *take, void *context)
{
	if (power->own)
		ptOwnEachInput(power->own, take, context);
}

json_t *nodePowerJson(struct nodePower *power)
{
	json_t *leftOut;
	int64_t endNs;
	double joules, watts = nodePowerSumNow(power, &joules, &endNs);
	bool isThere = endNs > 0 && endNs < INT64_MAX;
	const char *source = power->own ? ptOwnName(power->own) : power->source;

	if (!source)
		return json_null();
	leftOut = json_array();
	if (power->own)
		ptOwnEachInput(power->own, nodePowerAddLeftOut, leftOut);
	return json_pack(
		"{so so so so so}", "watts", nodeJsonReal(watts), "joules",
		nodeJsonReal(joules), "source", nodeJsonText(source), "age_s",
		nodeJsonReal(isThere ? (double)(hdClockNow() - endNs) / 1e9
				     : NAN),
		"left_out", leftOut);
}
