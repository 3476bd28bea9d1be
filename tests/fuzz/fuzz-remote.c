/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: what a power service says to its clients. The first byte says
 * what is asked: for what there is, or for readings. All that comes then is
 * there from the beginning, and then the service is gone.
 */
#include "config.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "PowerTracingLibrary/client/recording.h"
#include "PowerTracingLibrary/client/remotelist.h"
#include "PowerTracingLibrary/src/message.h"
#include "common/clock.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/outcome.h"

static const struct ptRemoteSetup setup = {
	.address = { .text = "fuzz" },
};

/* Every value is looked at. */
static volatile double last;

static int opened(void *context, const struct ptRecorderGroup *groups,
		  size_t count, const struct ptRemoteClock *clock)
{
	(void)context;
	(void)clock;
	must(count > 0);
	for (size_t i = 0; i < count; i++) {
		must(groups[i].count > 0 && groups[i].device);
		for (size_t j = 0; j < groups[i].count; j++)
			must(groups[i].columns[j].node &&
			     groups[i].columns[j].value);
	}
	return 0;
}

static void add(void *context, size_t group,
		const struct ptRecorderReading *reading)
{
	struct ptRecorder *recorder = context;

	must(group < recorder->groupCount);
	for (size_t i = 0; i < recorder->groups[group].count; i++)
		last = reading->values[i];
}

static void gap(void *context, size_t group)
{
	const struct ptRecorder *recorder = context;

	must(group < recorder->groupCount);
}

static void list(struct ptRemote *remote)
{
	struct ptListed *listed = NULL;

	if (ptRemoteList(remote, &listed) < 0)
		return;
	must(listed != NULL);
	for (size_t i = 0; i < listed->count; i++)
		for (size_t j = 0; j < listed->devices[i].lineCount; j++) {
			const char *node = listed->devices[i].lines[j].node;

			must(!node || ptListedHasNode(listed, node));
			g_free(ptListedValues(listed, node ? node : ""));
		}
	g_free(ptListedNodes(listed));
	ptListedFree(listed);
}

static void record(struct ptRemote *remote)
{
	static const struct ptRecorderCalls calls = {
		.opened = opened,
		.add = add,
		.gap = gap,
	};
	static const struct ptWish wish = { .value = "P" };
	static const struct ptRecorderSetup what = {
		.remote = &setup,
		.wishes = &wish,
		.wishCount = 1,
	};
	struct ptRecorder recorder = {
		.setup = &what,
		.calls = &calls,
		.context = &recorder,
		.remote = remote,
		.wakeFd = -1,
	};
	struct ptRemoteFrame frame;

	recorder.moments =
		g_array_new(FALSE, FALSE, sizeof(struct ptRemoteMoment));
	if (ptRecordingOpen(&recorder) == 0 && ptRecordingStart(&recorder) == 0)
		while (ptRemoteReceive(remote, hdMonotonicNow(), &frame) == 0 &&
		       ptRecordingTake(&recorder, &frame) == 0)
			;
	ptRecordingClear(&recorder);
	g_array_unref(recorder.moments);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ptRemote *remote = NULL;
	int fds[2];

	hdLogSetLevel(&ptLogger, HD_LOG_NONE);
	if (size == 0)
		return 0;
	must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
			fds) == 0);
	/* What does not fit is not said. */
	(void)!write(fds[0], data + 1, size - 1);
	shutdown(fds[0], SHUT_WR);
	if (ptRemoteTake(&setup, fds[1], -1, &remote) == 0) {
		if (data[0] & 1)
			record(remote);
		else
			list(remote);
		ptRemoteClose(remote);
	}
	close(fds[0]);
	return 0;
}
