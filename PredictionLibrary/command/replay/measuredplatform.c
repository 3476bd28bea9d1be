/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The platform of the run itself, from its trace: hosts with a core for each
 * rank, and the latency and bandwidth of its messages. Messages count whose
 * receiver waited already when they were sent, since only these take nothing
 * but their own time. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "HDTraceTools/model/diagnostics.h"
#include "HDTraceTools/model/mpi/messages.h"
#include "PredictionLibrary/command/calibrate/calibration.h"
#include "PredictionLibrary/command/errors.h"
#include "PredictionLibrary/command/replay/replaying.h"

/* Messages of a sender, receiver, communicator and tag that are read at most.
 */
#define MEASURED_MOST 1000

/* Sizes that are told apart. */
#define MEASURED_SIZES 256

/* Sizes whose ratio is below this do not tell latency and bandwidth apart. */
#define MEASURED_RATIO 4

/* Where no message says it: SimGrid's own link in a host, and a usual network.
 */
static const struct machineXmlLink measuredUsual[2] = {
	{ true, false, 15e-6, 498e6 },
	{ true, false, 10e-6, 1.25e9 },
};

static const char *const measuredKinds[2] = { "inside of a host",
					      "between hosts" };

/* A message that was sent. */
struct measuredSend {
	int64_t start;
	int64_t end;
	bool isBlocking;
};

/* Messages that have all in common but their time. */
struct measuredChannel {
	int64_t key[4];
	GArray *sends; /* struct measuredSend */
	guint received;
};

struct measured {
	const struct replay *replay;
	const GArray *hosts; /* guint, by rank. */
	GHashTable *channels;
	GPtrArray *samples[2]; /* struct samplesGroup *, by size class. */
	double eager;          /* Largest size that was sent early. */
	const hdIRecord *record;
	bool isSending; /* Sends are read, before all that is received. */
};

/* ---- Messages ---------------------------------------------------------- */

static guint measuredHash(gconstpointer data)
{
	const int64_t *key = data;

	return (guint)((uint64_t)key[0] * 7919 + (uint64_t)key[1] * 104729 +
		       (uint64_t)key[2] * 31 + (uint64_t)key[3]);
}

static gboolean measuredIsSame(gconstpointer a, gconstpointer b)
{
	return memcmp(a, b, 4 * sizeof(int64_t)) == 0;
}

static void measuredFreeChannel(void *data)
{
	struct measuredChannel *channel = data;

	g_array_unref(channel->sends);
	g_free(channel);
}

static void measuredFreeGroup(void *data)
{
	struct samplesGroup *group = data;

	g_array_unref(group->times);
	g_free(group);
}

static struct measuredChannel *measuredChannelOf(struct measured *self,
						 const struct messageEnd *end)
{
	const int64_t key[4] = { end->sender, end->receiver,
				 (int64_t)end->group->number, end->tag };
	struct measuredChannel *channel =
		g_hash_table_lookup(self->channels, key);

	if (channel || !self->isSending)
		return channel;
	channel = g_new0(struct measuredChannel, 1);
	memcpy(channel->key, key, sizeof(key));
	channel->sends = g_array_new(FALSE, FALSE, sizeof(struct measuredSend));
	g_hash_table_insert(self->channels, channel->key, channel);
	return channel;
}

/* Of more sizes, an eighth of a power of two is one class, at its middle. */
static int64_t measuredClass(const GPtrArray *samples, int64_t size)
{
	if (samples->len < MEASURED_SIZES)
		return size;
	return llround(exp2(round(log2((double)MAX(size, 1)) * 8) / 8));
}

static void measuredAdd(struct measured *self, const struct messageEnd *end,
			double seconds)
{
	bool isBetween = g_array_index(self->hosts, guint, end->sender) !=
			 g_array_index(self->hosts, guint, end->receiver);
	int64_t size = measuredClass(self->samples[isBetween], end->size);
	struct samplesGroup *group =
		samplesFind(self->samples[isBetween], SAMPLES_PING_PONG, size);

	if (!group) {
		group = g_new(struct samplesGroup, 1);
		group->what = SAMPLES_PING_PONG;
		group->size = size;
		group->times = g_array_new(FALSE, FALSE, sizeof(double));
		g_ptr_array_add(self->samples[isBetween], group);
	}
	g_array_append_val(group->times, seconds);
}

static void measuredTakeReceive(struct measured *self,
				struct measuredChannel *channel,
				const struct messageEnd *end)
{
	guint number = channel->received++;
	const struct measuredSend *sent;

	if (number >= channel->sends->len || end->size < 0)
		return;
	sent = &g_array_index(channel->sends, struct measuredSend, number);
	if (self->record->start <= sent->start && end->time > sent->start)
		measuredAdd(self, end, (double)(end->time - sent->start) / 1e9);
	else if (sent->isBlocking && self->record->start > sent->end)
		self->eager = fmax(self->eager, (double)end->size + 1);
}

static void measuredTake(const struct messageEnd *end, void *data)
{
	struct measured *self = data;
	struct measuredChannel *channel;
	const struct measuredSend sent = { end->time, self->record->end,
					   strcmp(self->record->name, "Send") ==
						   0 };
	int64_t ranks = (int64_t)self->replay->count;

	if (end->isSent != self->isSending || end->sender < 0 ||
	    end->receiver < 0 || end->sender >= ranks || end->receiver >= ranks)
		return;
	channel = measuredChannelOf(self, end);
	if (!channel)
		return;
	if (!self->isSending)
		measuredTakeReceive(self, channel, end);
	else if (channel->sends->len < MEASURED_MOST)
		g_array_append_val(channel->sends, sent);
}

static void measuredReadRank(struct measured *self, struct messages *messages,
			     size_t rank)
{
	const hdITraceFile *trace = tiTrace(self->replay->ti, rank);
	hdITraceReader *reader = diagnosticsOpenTrace(
		self->replay->project, trace, &diagnosticsDropped);

	if (!reader)
		return;
	messagesEnter(messages, trace, NULL);
	while (hdI_readTrace(reader, &self->record) == 1) {
		if (self->record->kind == HDI_STATE)
			messagesFind(messages, self->record, measuredTake,
				     self);
	}
	hdI_closeTrace(reader);
}

static void measuredRead(struct measured *self)
{
	for (int pass = 0; pass < 2; pass++) {
		struct messages *messages = messagesNew(self->replay->project);

		self->isSending = pass == 0;
		for (size_t i = 0; i < self->replay->count; i++)
			measuredReadRank(self, messages, i);
		messagesFree(messages);
	}
}

/* ---- The platform ------------------------------------------------------ */

static int measuredCompare(const void *a, const void *b)
{
	const struct samplesGroup *const *x = a, *const *y = b;

	return ((*x)->size > (*y)->size) - ((*x)->size < (*y)->size);
}

/* Options that leave out what SMPI assumes of other machines. */
static void measuredOptions(struct machineXml *machine, double eager)
{
	static const char *const plain[] = {
		"smpi/lat-factor:0:1",    "smpi/bw-factor:0:1",
		"smpi/os:0:0:0",          "smpi/ois:0:0:0",
		"smpi/or:0:0:0",          "network/TCP-gamma:1e15",
		"network/crosstraffic:no"
	};

	for (size_t i = 0; i < G_N_ELEMENTS(plain); i++)
		machineXmlAddOption(machine, g_strdup(plain[i]));
	if (eager > 0)
		machineXmlAddOption(
			machine,
			g_strdup_printf("smpi/async-small-thresh:%.0f", eager));
	if (eager > 0)
		machineXmlAddOption(
			machine,
			g_strdup_printf("smpi/send-is-detached-thresh:%.0f",
					eager));
}

/* The latency and bandwidth of a model. If all messages have about one size,
 * the latency is the usual one, and the rest is bandwidth. */
static struct machineXmlLink measuredLink(const struct calibration *model,
					  const struct machineXmlLink *usual)
{
	const struct fitSegment *segment =
		&g_array_index(model->transfer, struct fitSegment, 0);
	struct machineXmlLink link = { true, false, model->latency,
				       model->bandwidth };
	double time = fitTime(model->transfer, segment->from);

	if (segment->until >= MEASURED_RATIO * segment->from)
		return link;
	link.latency = fmin(usual->latency, time / 2);
	link.bandwidth = segment->from / (time - link.latency);
	return link;
}

/* What messages of both kinds take: one line each, since SMPI has one set of
 * segments only. */
static void measuredLinks(struct measured *self, struct machineXml *machine)
{
	bool isNeeded[2] = { false, machine->hosts->len > 1 };
	struct machineXmlLink *const links[2] = { &machine->inside,
						  &machine->between };

	for (guint i = 0; i < machine->hosts->len; i++)
		isNeeded[0] |=
			g_array_index(machine->hosts, struct machineXmlHost, i)
				.cores > 1;
	for (int i = 0; i < 2; i++) {
		struct calibration model;

		if (!isNeeded[i])
			continue;
		*links[i] = measuredUsual[i];
		g_ptr_array_sort(self->samples[i], measuredCompare);
		if (calibrationMakeLine(&model, self->samples[i]))
			*links[i] = measuredLink(&model, &measuredUsual[i]);
		else
			predictError(self->replay->predict,
				     PREDICT_WARNING
				     "%s: no message %s had a waiting "
				     "receiver; assumed: %g us, %g MB/s",
				     self->replay->project->file,
				     measuredKinds[i], links[i]->latency * 1e6,
				     links[i]->bandwidth / 1e6);
		calibrationClear(&model);
	}
}

void measuredPlatform(struct replay *replay, struct machineXml *machine)
{
	struct measured self = { .replay = replay };
	GArray *hosts = g_array_new(FALSE, FALSE, sizeof(guint));

	self.hosts = hosts;
	self.channels = g_hash_table_new_full(measuredHash, measuredIsSame,
					      NULL, measuredFreeChannel);
	for (int i = 0; i < 2; i++)
		self.samples[i] =
			g_ptr_array_new_with_free_func(measuredFreeGroup);
	for (size_t i = 0; i < replay->count; i++) {
		guint host =
			machineXmlAddHost(machine, tiHost(replay->ti, i), 0);

		g_array_index(machine->hosts, struct machineXmlHost, host)
			.cores++;
		g_array_append_val(hosts, host);
	}
	measuredRead(&self);
	measuredOptions(machine, self.eager);
	measuredLinks(&self, machine);
	replay->ownHosts = g_ptr_array_new_with_free_func(g_free);
	for (guint i = 0; i < hosts->len; i++)
		g_ptr_array_add(
			replay->ownHosts,
			g_strdup(g_array_index(machine->hosts,
					       struct machineXmlHost,
					       g_array_index(hosts, guint, i))
					 .name));
	g_array_unref(hosts);
	for (int i = 0; i < 2; i++)
		g_ptr_array_unref(self.samples[i]);
	g_hash_table_destroy(self.channels);
}
