/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counters: what is recorded, and when. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "PowerTracingLibrary/pm/src/pm.h"
#include "common/clock.h"

/* Sets that a new counter has room for. */
#define ROOM 16

struct pmCounter *pmCounterOf(const counter_t *counter)
{
	return counter ? (struct pmCounter *)(void *)counter->measures : NULL;
}

static void counterFree(struct pmCounter *own)
{
	if (!own)
		return;
	pmMeasuresClear(&own->measures.energy);
	free(own->measures.timing);
	free(own->spans);
	free(own->device);
	free(own);
}

/* Have room for so many sets. */
static int pmCounterReserve(struct pmCounter *own, size_t sets)
{
	size_t room = own->room > 0 ? 2 * own->room : ROOM;
	struct pmSpan *spans;
	double *timing;

	if (sets <= own->room)
		return 0;
	if (sets > INT_MAX / 4)
		return -ENOMEM;
	spans = realloc(own->spans, room * sizeof(*spans));
	if (!spans)
		return -ENOMEM;
	own->spans = spans;
	timing = realloc(own->measures.timing, 2 * room * sizeof(*timing));
	if (!timing)
		return -ENOMEM;
	own->measures.timing = timing;
	own->room = room;
	return 0;
}

/* ---- Requests ---------------------------------------------------------- */

/* Close the connection, if the program has left it to us. */
static void counterClose(counter_t *counter)
{
	if (counter->sock >= 0)
		hdOwnedClose(&pmCounterOf(counter)->owned, counter->sock);
	counter->sock = -1;
}

/* Whether there is a connection. */
static bool counterIsConnected(counter_t *counter)
{
	const struct pmCounter *own = pmCounterOf(counter);

	if (counter->sock < 0)
		return false;
	if (hdOwnedIs(&own->owned, counter->sock))
		return true;
	pmLog(HD_LOG_ERROR, "%s: " HD_OWNED_GONE, own->device);
	counter->sock = -1;
	return false;
}

/* An error beside "no" leaves nobody knows what in the connection. */
static int counterFailed(counter_t *counter, int error)
{
	if (error != -EREMOTEIO)
		counterClose(counter);
	return error;
}

/* Send an operation and receive yes or no; @p ns is when it was done. */
static int counterAsk(counter_t *counter, enum pmOperation operation,
		      int64_t *ns)
{
	int64_t before = hdMonotonicNow();
	int32_t answer;
	int ret;

	if (!counterIsConnected(counter))
		return -ENOTCONN;
	ret = pmSendInt(counter->sock, (int32_t)operation);
	if (ret == 0)
		ret = pmReceiveInt(counter->sock, &pmFieldAnswer,
				   pmCounterOf(counter)->device, &answer);
	if (ret < 0)
		return counterFailed(counter, ret);
	*ns = before + (hdMonotonicNow() - before) / 2;
	if (answer == 0)
		return 0;
	pmLog(HD_LOG_ERROR, "%s: the server refuses operation %d",
	      pmCounterOf(counter)->device, (int)operation);
	return counterFailed(counter, -EREMOTEIO);
}

/* ---- Sets -------------------------------------------------------------- */

static int64_t wallOf(const struct pmCounter *own, int64_t monoNs)
{
	return own->wallNs + (monoNs - own->monoNs);
}

/* Begin a set, the first one or another. */
static int counterBegin(counter_t *counter, enum pmOperation operation)
{
	struct pmCounter *own = pmCounterOf(counter);
	bool isFirst = operation == PM_START;
	int64_t ns, wall;
	size_t set;
	int ret;

	if (!own)
		return -EINVAL;
	set = isFirst ? 0 : (size_t)own->measures.next_timing;
	ret = pmCounterReserve(own, set + 1);
	if (ret == 0)
		ret = counterAsk(counter, operation, &ns);
	if (ret < 0)
		return ret;
	if (isFirst) {
		own->measures.next_timing = 0;
		pmMeasuresClear(&own->measures.energy);
	}
	/* All sets by one clock, which does not jump. */
	wall = hdClockNow();
	if (isFirst || own->monoNs == 0) {
		own->monoNs = hdMonotonicNow();
		own->wallNs = wall > 0 ? wall : 0;
	}
	own->spans[set].start = wallOf(own, ns);
	own->measures.timing[2 * set] = (double)own->spans[set].start / 1e9;
	own->isRunning = true;
	return 0;
}

static int counterEnd(counter_t *counter)
{
	struct pmCounter *own = pmCounterOf(counter);
	size_t set;
	int64_t ns;
	int ret;

	if (!own)
		return -EINVAL;
	ret = counterAsk(counter, PM_STOP, &ns);
	/* It may say yes to what was not started, and no to what is running:
	 * then it has ended it, and has the samples until then. */
	if (!own->isRunning || (ret < 0 && ret != -EREMOTEIO))
		return ret;
	if (ret < 0)
		ns = hdMonotonicNow();
	set = (size_t)own->measures.next_timing++;
	own->spans[set].stop = wallOf(own, ns);
	own->measures.timing[2 * set + 1] = (double)own->spans[set].stop / 1e9;
	own->isRunning = false;
	return ret;
}

int pm_start_counter(counter_t *counter)
{
	int saved = errno;

	pmBegin();
	return pmResult(counterBegin(counter, PM_START), saved);
}

int pm_continue_counter(counter_t *counter)
{
	int saved = errno;

	pmBegin();
	return pmResult(counterBegin(counter, PM_CONTINUE), saved);
}

int pm_stop_counter(counter_t *counter)
{
	int saved = errno;

	pmBegin();
	return pmResult(counterEnd(counter), saved);
}

/* ---- Create, get, finalize --------------------------------------------- */

static int counterCreate(const char *id, int frequency, const server_t *server,
			 counter_t *counter)
{
	struct pmCounter *own = pmCounterOf(counter);
	device_t device = { 0 };
	int ret;

	own->server = *server;
	own->dialect = pmDialectAsked();
	own->device = strdup(id);
	ret = own->device ? pmCounterReserve(own, 1) : -ENOMEM;
	/* First: of a device that is not there, some servers say nothing when a
	 * counter is asked for. */
	if (ret == 0)
		ret = pmInfo(server, id, &device);
	if (ret == 0)
		ret = pmConnect(server, &counter->sock);
	if (ret == 0)
		hdOwnedSet(&own->owned, counter->sock);
	if (ret == 0)
		ret = pmCreate(counter->sock, id, &counter->lines,
			       counter->aggregate, frequency);
	counter->num_lines = device.n_lines;
	return ret;
}

int pm_create_counter(const char *id, line_t lines, int aggregate,
		      int frequency, server_t server, counter_t *counter)
{
	const counter_t none = { .sock = -1 };
	int saved = errno, ret = -EINVAL;

	pmBegin();
	if (!counter)
		return pmResult(-EINVAL, saved);
	*counter = none;
	counter->aggregate = aggregate != 0;
	counter->lines = lines;
	counter->interval = frequency;
	if (id && frequency >= 0) {
		counter->measures = calloc(1, sizeof(struct pmCounter));
		ret = counter->measures
			      ? counterCreate(id, frequency, &server, counter)
			      : -ENOMEM;
	}
	if (ret < 0) {
		counterClose(counter);
		counterFree(pmCounterOf(counter));
		*counter = none;
	}
	return pmResult(ret, saved);
}

int pm_get_counter_data(counter_t *counter)
{
	struct pmCounter *own = pmCounterOf(counter);
	int saved = errno, ret;
	pm_measures energy;

	pmBegin();
	if (!own)
		return pmResult(-EINVAL, saved);
	if (!counterIsConnected(counter))
		return pmResult(-ENOTCONN, saved);
	/* The server would say so, too. */
	if (own->isRunning) {
		pmLog(HD_LOG_ERROR, "%s: the counter is running", own->device);
		return pmResult(-EREMOTEIO, saved);
	}
	ret = pmGet(counter, &own->dialect, own->measures.next_timing, &energy);
	if (ret < 0)
		return pmResult(counterFailed(counter, ret), saved);
	pmMeasuresClear(&own->measures.energy);
	own->measures.energy = energy;
	return pmResult(1, saved);
}

int pm_get_counter_num_sets(const counter_t *counter)
{
	const struct pmCounter *own = pmCounterOf(counter);

	if (!own)
		return pmResult(-EINVAL, 0);
	return own->measures.next_timing;
}

int pm_finalize_counter(counter_t *counter)
{
	struct pmCounter *own = pmCounterOf(counter);
	int saved = errno, ret = 0, stopped = 0;
	int64_t ns;

	pmBegin();
	if (!own)
		return pmResult(-EINVAL, saved);
	/* The server in C++ does not end what is running. */
	if (own->isRunning)
		stopped = counterAsk(counter, PM_STOP, &ns);
	ret = counterAsk(counter, PM_FINALIZE, &ns);
	counterClose(counter);
	counter->measures = NULL;
	counterFree(own);
	return pmResult(stopped < 0 ? stopped : ret, saved);
}
