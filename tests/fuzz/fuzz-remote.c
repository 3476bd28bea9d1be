/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: what a power service says to its clients, for a whole session:
 * greeting, clocks, what there is or a stream, its readings and its end.
 *
 * The first byte says what is asked: with bit 0 for readings, else for what
 * there is; with bit 1 the readings are added up and go into the files of a
 * project, as those of "pt record"; with bit 2 a recorder has its thread, too.
 * The rest is what the service says: 64 bytes
 * to a hello, all others to the first request, and then it is gone.
 */
#include "config.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "PowerTracingLibrary/client/recording.h"
#include "PowerTracingLibrary/client/remotelist.h"
#include "PowerTracingLibrary/client/core/powersum.h"
#include "PowerTracingLibrary/pt/client/recordfiles.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "common/clock.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/outcome.h"

static const struct ptRemoteSetup setup = {
	.address = { .text = "fuzz" },
};

struct session {
	struct ptRecorder *recorder;
	char *directory, *project;
	struct recordFiles *files;
	struct ptPowerSum sum;
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
	const struct session *session = context;
	const struct ptRecorder *recorder = session->recorder;

	must(group < recorder->groupCount);
	must(reading->lengthNs >= 0 && reading->endNs >= reading->lengthNs);
	for (size_t i = 0; i < recorder->groups[group].count; i++)
		last = reading->values[i];
}

static void gap(void *context, size_t group)
{
	const struct session *session = context;

	must(group < session->recorder->groupCount);
}

/* ---- As pt record has it ----------------------------------------------- */

/* Remove a directory with its files. */
static void removeAll(const char *directory)
{
	GDir *dir = g_dir_open(directory, 0, NULL);
	const char *name;

	must(dir != NULL);
	while ((name = g_dir_read_name(dir)) != NULL) {
		char *file = g_build_filename(directory, name, NULL);

		must(g_unlink(file) == 0);
		g_free(file);
	}
	g_dir_close(dir);
	must(g_rmdir(directory) == 0);
}

static int begin(void *context, const struct ptRecorderGroup *groups,
		 size_t count, const struct ptRemoteClock *clock)
{
	struct session *session = context;
	const struct recordFilesSetup files = {
		.project = session->project,
		.server = "fuzz",
	};
	int ret = opened(context, groups, count, clock);

	must(ret == 0);
	ret = recordFilesCreate(&files, groups, count, clock, &session->files);
	if (ret < 0)
		return ret;
	ptPowerSumOpen(&session->sum, groups, count);
	/* All of the time there is, so that nothing is left out. */
	ptPowerSumBegin(&session->sum, 1);
	return 0;
}

static void store(void *context, size_t group,
		  const struct ptRecorderReading *reading)
{
	struct session *session = context;
	struct ptRecorderReading recorded;

	add(context, group, reading);
	if (recordFilesAdd(session->files, group, reading, &recorded))
		ptPowerSumAdd(&session->sum, group, &recorded);
}

static void writeGap(void *context, size_t group)
{
	struct session *session = context;

	gap(context, group);
	recordFilesGap(session->files, group);
}

static void prepare(struct session *session)
{
	session->directory = g_dir_make_tmp("hdtrace-fuzz-XXXXXX", NULL);
	must(session->directory != NULL);
	session->project = g_build_filename(session->directory, "fuzz", NULL);
	ptPowerSumInit(&session->sum);
}

/* What is printed at the end. */
static void finish(struct session *session)
{
	const struct ptIntegral *integral = &session->sum.integral;

	ptPowerSumEnd(&session->sum, hdClockNow());
	must(ptIntegralCovered(integral) >= 0);
	must(!isinf(ptIntegralJoules(integral)));
	must(!isinf(ptIntegralWatts(integral)));
	recordFilesEnd(session->files, hdClockNow());
	ptPowerSumClear(&session->sum);
	removeAll(session->directory);
	g_free(session->project);
	g_free(session->directory);
}

/* ---- What there is ----------------------------------------------------- */

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

/* ---- A stream ---------------------------------------------------------- */

static const struct ptRecorderCalls reading = {
	.opened = opened,
	.add = add,
	.gap = gap,
};
static const struct ptRecorderCalls writing = {
	.opened = begin,
	.add = store,
	.gap = writeGap,
};

/* What a recorder does but for its thread, so that it is the same each time. */
static void recordFrames(struct session *session, struct ptRemote *remote)
{
	struct ptRecorder *recorder = session->recorder;
	struct ptRemoteFrame frame;

	recorder->remote = remote;
	recorder->wakeFd = -1;
	recorder->moments =
		g_array_new(FALSE, FALSE, sizeof(struct ptRemoteMoment));
	if (ptRecordingOpen(recorder) == 0 && ptRecordingStart(recorder) == 0)
		while (ptRemoteReceive(remote, hdMonotonicNow(), &frame) == 0 &&
		       ptRecordingTake(recorder, &frame) == 0)
			;
	ptRecordingClear(recorder);
	g_array_unref(recorder->moments);
}

static void record(struct ptRemote *remote, bool isWritten)
{
	static const struct ptSelection selection = { .value = "P" };
	static const struct ptRecorderSetup what = {
		.remote = &setup,
		.selections = &selection,
		.selectionCount = 1,
	};
	struct session session = { 0 };
	struct ptRecorder own = {
		.setup = &what,
		.calls = isWritten ? &writing : &reading,
		.context = &session,
	};

	session.recorder = &own;
	if (isWritten)
		prepare(&session);
	recordFrames(&session, remote);
	if (isWritten)
		finish(&session);
}

/* All of a recorder, by a socket in a directory. */
static void recordAll(const char *path, bool isWritten)
{
	static const struct ptSelection selection = { .value = "P" };
	struct ptRemoteSetup remote = { .address = { .text = "fuzz",
						     .isPath = true } };
	const struct ptRecorderSetup what = {
		.remote = &remote,
		.selections = &selection,
		.selectionCount = 1,
	};
	struct session session = { 0 };

	g_strlcpy(remote.address.host, path, sizeof(remote.address.host));
	if (isWritten)
		prepare(&session);
	if (ptRecorderOpen(&what, isWritten ? &writing : &reading, &session,
			   &session.recorder) == 0) {
		if (ptRecorderBegin(session.recorder) == 0)
			ptRecorderEnd(session.recorder, hdClockNow());
		ptRecorderFree(session.recorder);
	}
	if (isWritten)
		finish(&session);
}

/* ---- The service ------------------------------------------------------- */

/* What it says, and where. */
struct says {
	const uint8_t *bytes;
	size_t size;
	int fd;
};

/* Say so much of it; who does not listen has closed. */
static void say(struct says *says, size_t size)
{
	size_t some = MIN(size, says->size);

	while (some > 0) {
		ssize_t sent = send(says->fd, says->bytes, some, MSG_NOSIGNAL);

		if (sent < 0)
			return;
		says->bytes += sent;
		says->size -= (size_t)sent;
		some -= (size_t)sent;
	}
}

/* Greet who says hello; who asks something gets all the rest at once. */
static gpointer serve(gpointer data)
{
	struct says *says = data;
	unsigned char heard[4096];

	if (recv(says->fd, heard, HD_FRAME_HELLO_SIZE, MSG_WAITALL) > 0)
		say(says, HD_FRAME_GREETING_SIZE);
	/* The client waits for all of a greeting. */
	if (says->size > 0 && recv(says->fd, heard, sizeof(heard), 0) > 0)
		say(says, says->size);
	shutdown(says->fd, SHUT_WR);
	while (recv(says->fd, heard, sizeof(heard), 0) > 0)
		;
	return NULL;
}

/* Over a pair of sockets. */
static void together(struct says *says, uint8_t how)
{
	struct ptRemote *remote = NULL;
	GThread *thread;
	int fds[2];

	must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
	must(fcntl(fds[1], F_SETFL, O_NONBLOCK) == 0);
	says->fd = fds[0];
	thread = g_thread_new("service", serve, says);
	if (ptRemoteTake(&setup, fds[1], -1, &remote) == 0) {
		if (how & 1)
			record(remote, how & 2);
		else
			list(remote);
		ptRemoteClose(remote);
	}
	g_thread_join(thread);
	close(fds[0]);
}

/* Whoever comes first. */
static gpointer serveFirst(gpointer data)
{
	struct says *says = data;
	int listener = says->fd;

	says->fd = accept(listener, NULL, NULL);
	close(listener);
	must(says->fd >= 0);
	serve(says);
	close(says->fd);
	return NULL;
}

/* Over a socket that is found by its name. */
static void apart(struct says *says, uint8_t how)
{
	char *directory = g_dir_make_tmp("hdtrace-fuzz-XXXXXX", NULL), *path;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	GThread *thread;

	must(directory != NULL);
	path = g_build_filename(directory, "socket", NULL);
	g_strlcpy(address.sun_path, path, sizeof(address.sun_path));
	says->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	must(says->fd >= 0 &&
	     bind(says->fd, (const struct sockaddr *)&address,
		  sizeof(address)) == 0 &&
	     listen(says->fd, 1) == 0);
	thread = g_thread_new("service", serveFirst, says);
	recordAll(path, how & 2);
	g_thread_join(thread);
	removeAll(directory);
	g_free(path);
	g_free(directory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct says says = { data + 1, size - 1, -1 };

	hdLogSetLevel(&ptLogger, HD_LOG_NONE);
	if (size == 0)
		return 0;
	if (data[0] & 4)
		apart(&says, data[0]);
	else
		together(&says, data[0]);
	return 0;
}
