/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recording from a power service: the thread; see recorder.h. */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "PowerTracingLibrary/client/recording.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "common/backoff.h"
#include "common/clock.h"
#include "common/net.h"
#include "common/thread.h"

/* How long to wait before a server that is lost is tried again. */
/* How often the clocks are compared; it also shows that the server is there. */
#define PING_NS HD_NS_PER_S
/* How long the last readings are waited for, beyond one and a half intervals.
 */
#define LAST_NS (2 * HD_NS_PER_S)
#define LAST_MAX_NS (15 * HD_NS_PER_S)

/* ---- The connection ---------------------------------------------------- */

/* Keep what is known of the clocks for the project. */
static void keepMoments(struct ptRecorder *recorder)
{
	const struct ptRemoteClock *clock = ptRemoteGetClock(recorder->remote);

	g_array_append_vals(recorder->moments, clock->moments,
			    (guint)clock->momentCount);
}

static void disconnect(struct ptRecorder *recorder)
{
	if (!recorder->remote)
		return;
	keepMoments(recorder);
	ptRemoteClose(recorder->remote);
	recorder->remote = NULL;
	recorder->isStarted = false;
}

static int connectAll(struct ptRecorder *recorder)
{
	int ret = ptRemoteOpen(recorder->setup->remote, recorder->wakeFd,
			       &recorder->remote);

	if (ret == 0)
		ret = ptRecordingOpen(recorder);
	if (ret < 0)
		disconnect(recorder);
	return ret;
}

static void tellAll(struct ptRecorder *recorder, bool isUp)
{
	for (size_t i = 0; i < recorder->groupCount; i++) {
		if (!isUp)
			ptRecordingGap(recorder, i);
		if (recorder->calls->changed)
			recorder->calls->changed(recorder->context, i, isUp);
	}
}

static void recorderLoseConnection(struct ptRecorder *recorder)
{
	ptMessage(HD_LOG_WARNING,
		  "%s: connection lost; continuing when it is back",
		  recorder->setup->remote->address.text);
	disconnect(recorder);
	tellAll(recorder, false);
	recorder->lostNs = hdMonotonicNow();
	hdBackoffBegin(&recorder->backoff, false);
}

/* Try to get a server back that is lost; why it is not is said once. */
static void retry(struct ptRecorder *recorder)
{
	int ret;

	hdLogIsQuiet = true;
	ret = connectAll(recorder);
	if (ret == 0)
		ret = ptRecordingStart(recorder);
	hdLogIsQuiet = false;
	if (ret == 0) {
		recorder->reconnects++;
		ptMessage(HD_LOG_WARNING, "%s: reconnected after %.1f s",
			  recorder->setup->remote->address.text,
			  (double)(hdMonotonicNow() - recorder->lostNs) / 1e9);
		tellAll(recorder, true);
		return;
	}
	disconnect(recorder);
	hdBackoffFail(&recorder->backoff);
}

/* ---- The thread -------------------------------------------------------- */

/* When readings that cover the end are not waited for any more. */
static int64_t patience(const struct ptRecorder *recorder)
{
	int64_t longest = 0;

	for (size_t i = 0; i < recorder->groupCount; i++)
		longest = MAX(longest, recorder->groups[i].intervalNs);
	return hdMonotonicNow() + MIN(LAST_NS + longest * 3 / 2, LAST_MAX_NS);
}

/* Forget that it was woken; recorderHandleWish() finds out what for. */
static void drain(struct ptRecorder *recorder)
{
	eventfd_t count;

	eventfd_read(recorder->wakeFd, &count);
}

/* Look what the other thread wants: also while frames come without a pause, so
 * that nothing wakes. */
static void recorderHandleWish(struct ptRecorder *recorder)
{
	if (!recorder->lastNs &&
	    __atomic_load_n(&recorder->isEnding, __ATOMIC_ACQUIRE))
		recorder->lastNs = patience(recorder);
}

/* Whether there is nothing more to wait for. */
static bool isCovered(const struct ptRecorder *recorder)
{
	for (size_t i = 0; i < recorder->groupCount; i++)
		if (recorder->states[i].isUp &&
		    recorder->states[i].endNs < recorder->untilNs)
			return false;
	return true;
}

static int pingIfDue(struct ptRecorder *recorder)
{
	int64_t now = hdMonotonicNow();
	int64_t since = ptRemoteUnanswered(recorder->remote);

	if (since && now - since > PT_REMOTE_PATIENCE_NS) {
		ptMessage(HD_LOG_ERROR, "%s: " HD_NET_TEXT_TIMEOUT,
			  recorder->setup->remote->address.text);
		return -ETIMEDOUT;
	}
	if (since || now < recorder->pingNs)
		return 0;
	recorder->pingNs = now + PING_NS;
	return ptRemotePing(recorder->remote);
}

/* Receive something, or do what is due. */
static int recorderStep(struct ptRecorder *recorder)
{
	int64_t due = hdMonotonicNow() + PING_NS / 2;
	struct ptRemoteFrame frame;
	int ret = pingIfDue(recorder);

	if (ret < 0)
		return ret;
	if (recorder->lastNs)
		due = MIN(due, recorder->lastNs);
	ret = ptRemoteReceive(recorder->remote, due, &frame);
	if (ret == -EINTR)
		drain(recorder);
	if (ret == -EINTR || ret == -ETIMEDOUT)
		return 0;
	return ret < 0 ? ret : ptRecordingTake(recorder, &frame);
}

static void waitForRetry(struct ptRecorder *recorder)
{
	if (hdNetWait(-1, 0, recorder->wakeFd, recorder->backoff.retryNs) ==
	    -EINTR)
		drain(recorder);
	else
		retry(recorder);
}

static void *recorderThreadRun(void *data)
{
	struct ptRecorder *recorder = data;

	while (!recorder->hasFailed) {
		bool isLast;

		recorderHandleWish(recorder);
		isLast = recorder->lastNs != 0;
		if (isLast && (!recorder->remote || isCovered(recorder) ||
			       hdMonotonicNow() >= recorder->lastNs))
			break;
		if (!recorder->remote)
			waitForRetry(recorder);
		else if (recorderStep(recorder) < 0)
			recorderLoseConnection(recorder);
	}
	if (recorder->remote && !recorder->hasFailed)
		ptRecordingStop(recorder);
	disconnect(recorder);
	return NULL;
}

/* Create the thread, with all signals blocked: they are the program's. */
static int createThread(struct ptRecorder *recorder)
{
	int ret = hdThreadStart(&recorder->thread, recorderThreadRun, recorder);

	if (ret < 0)
		ptMessage(HD_LOG_ERROR, "cannot create a thread: %s",
			  strerror(-ret));
	return ret;
}

/* ---- From outside ------------------------------------------------------ */

int ptRecorderOpen(const struct ptRecorderSetup *setup,
		   const struct ptRecorderCalls *calls, void *context,
		   struct ptRecorder **result)
{
	struct ptRecorder *recorder = g_new0(struct ptRecorder, 1);
	int ret;

	recorder->setup = setup;
	recorder->calls = calls;
	recorder->context = context;
	recorder->moments =
		g_array_new(FALSE, FALSE, sizeof(struct ptRemoteMoment));
	recorder->wakeFd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (recorder->wakeFd < 0) {
		ret = -errno;
		ptMessage(HD_LOG_ERROR, "eventfd: %s", strerror(errno));
	} else {
		ret = connectAll(recorder);
	}
	if (ret < 0 && setup->isPatient && recorder->wakeFd >= 0 &&
	    !recorder->hasFailed) {
		recorderLoseConnection(recorder);
		ret = 0;
	}
	if (ret < 0)
		ptRecorderFree(recorder);
	else
		*result = recorder;
	return ret;
}

int ptRecorderBegin(struct ptRecorder *recorder)
{
	int ret = recorder->remote ? ptRecordingStart(recorder) : 0;

	if (ret < 0 && recorder->setup->isPatient) {
		recorderLoseConnection(recorder);
		ret = 0;
	}
	if (ret == 0)
		ret = createThread(recorder);
	recorder->isRunning = ret == 0;
	return ret;
}

void ptRecorderEnd(struct ptRecorder *recorder, int64_t untilNs)
{
	if (!recorder->isRunning)
		return;
	recorder->untilNs = untilNs;
	__atomic_store_n(&recorder->isEnding, true, __ATOMIC_RELEASE);
	eventfd_write(recorder->wakeFd, 1);
	pthread_join(recorder->thread, NULL);
	recorder->isRunning = false;
}

const struct ptRecorderGroup *ptRecorderGroups(
	const struct ptRecorder *recorder, size_t *count)
{
	*count = recorder->groupCount;
	return recorder->groups;
}

char *ptRecorderColumnName(const struct ptRecorderGroup *group, size_t column)
{
	const struct ptRecorderColumn *own = &group->columns[column];
	size_t count = 0;

	for (size_t i = 0; i < group->count; i++)
		count += strcmp(group->columns[i].node, own->node) == 0 &&
			 strcmp(group->columns[i].value, own->value) == 0;
	return count > 1 && *own->line
		       ? g_strdup_printf("%s_%s", own->value, own->line)
		       : g_strdup(own->value);
}

uint64_t ptRecorderReconnects(const struct ptRecorder *recorder)
{
	return recorder->reconnects;
}

const struct ptRemoteMoment *ptRecorderMoments(
	const struct ptRecorder *recorder, size_t *count)
{
	*count = recorder->moments->len;
	return (const struct ptRemoteMoment *)(const void *)
		recorder->moments->data;
}

void ptRecorderFree(struct ptRecorder *recorder)
{
	if (!recorder)
		return;
	ptRecorderEnd(recorder, 0);
	disconnect(recorder);
	ptRecordingClear(recorder);
	g_array_unref(recorder->moments);
	if (recorder->wakeFd >= 0)
		close(recorder->wakeFd);
	g_free(recorder);
}
