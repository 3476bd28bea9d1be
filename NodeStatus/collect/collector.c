/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Many nodes at once; see hdNode.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "NodeStatus/collect/collector.h"
#include "common/clock.h"
#include "net/logger.h"

#define TIMEOUT_NS (5 * HD_NS_PER_S)
/* Longer than anybody waits, and still a time. */
#define TIMEOUT_MAX 1e6
/* How often to look who is to try another address. */
#define TICK_NS (HD_NS_PER_S / 50)

const char *hdNodeStateWord(enum hdNode_State state)
{
	static const char *const words[] = {
		[HDNODE_OK] = "ok",
		[HDNODE_NEW] = "new",
		[HDNODE_LATE] = "late",
		[HDNODE_UNREACHABLE] = "unreachable",
		[HDNODE_UNKNOWN] = "unknown",
		[HDNODE_DENIED] = "denied",
		[HDNODE_BAD] = "bad",
	};

	return words[state];
}

/* ---- Begin and end ----------------------------------------------------- */

static void collectorWoken(struct hdLoop *loop)
{
	(void)loop;
}

/* Read who we are, and whom we trust. */
static int collectorSecrets(hdNode_Collector *collector,
			    const hdNode_Options *options)
{
	struct nodeShared *shared = &collector->shared;
	int ret = 0;

	if (options->user) {
		collector->user = strdup(options->user);
		if (!collector->user)
			return -ENOMEM;
	}
	if (options->tokenFile) {
		ret = hdTokensRead(options->tokenFile, &shared->tokens);
		if (ret < 0)
			return ret;
		shared->user = collector->user;
		shared->token = hdTokensFind(shared->tokens, &shared->user);
		if (!shared->token)
			return -ENOKEY;
	}
	if (!options->isEncrypted)
		return 0;
	if (!hdHasTls)
		return -ENOTSUP;
	return hdTlsCreateClient(options->caFile, options->fingerprint,
				 &shared->tls);
}

int hdNode_create(const hdNode_Options *options, hdNode_Collector **result)
{
	static const hdNode_Options usual;
	hdNode_Collector *collector = calloc(1, sizeof(*collector));
	const char *verbosity = getenv("HDNODE_VERBOSITY");
	int ret;

	if (!collector)
		return -ENOMEM;
	if (!options)
		options = &usual;
	if (verbosity)
		hdLogSetVerbosity(hdNetLogger, verbosity);
	collector->timeoutNs = TIMEOUT_NS;
	if (options->timeout > 0)
		collector->timeoutNs = (int64_t)((options->timeout < TIMEOUT_MAX
							  ? options->timeout
							  : TIMEOUT_MAX) *
						 1e9);
	ret = hdLoopOpen(&collector->shared.loop, collectorWoken);
	hdNodePeersSetup(&collector->shared);
	if (ret == 0)
		ret = collectorSecrets(collector, options);
	if (ret < 0)
		hdNode_destroy(collector);
	else
		*result = collector;
	return ret;
}

void hdNode_destroy(hdNode_Collector *collector)
{
	if (!collector)
		return;
	for (size_t i = 0; i < collector->count; i++)
		hdNodePeerDestroy(collector->peers[i]);
	hdNodePeersBury(&collector->shared);
	hdNodeSpoolClose(&collector->shared.spool);
	free(collector->peers);
	hdTokensDestroy(collector->shared.tokens);
	hdTlsDestroy(collector->shared.tls);
	hdLoopClose(&collector->shared.loop);
	free(collector->user);
	free(collector);
}

/* ---- Nodes ------------------------------------------------------------- */

/* Find where a node is; count: nowhere. */
static size_t collectorFind(const hdNode_Collector *collector,
			    const char *address)
{
	size_t i = 0;

	while (i < collector->count &&
	       strcmp(collector->peers[i]->address, address) != 0)
		i++;
	return i;
}

int hdNode_add(hdNode_Collector *collector, const char *address)
{
	int ret;

	if (collectorFind(collector, address) < collector->count)
		return -EEXIST;
	if (collector->count == collector->size) {
		size_t size = collector->size ? 2 * collector->size : 16;
		struct nodePeer **peers = realloc(
			collector->peers, size * sizeof(struct nodePeer *));

		if (!peers)
			return -ENOMEM;
		collector->peers = peers;
		collector->size = size;
	}
	ret = hdNodePeerCreate(&collector->shared, address,
			       &collector->peers[collector->count]);
	if (ret == 0)
		collector->count++;
	return ret;
}

int hdNode_remove(hdNode_Collector *collector, const char *address)
{
	size_t index = collectorFind(collector, address);

	if (index == collector->count)
		return -ENOENT;
	hdNodePeerDestroy(collector->peers[index]);
	hdNodePeersBury(&collector->shared);
	collector->count--;
	memmove(&collector->peers[index], &collector->peers[index + 1],
		(collector->count - index) * sizeof(struct nodePeer *));
	return 0;
}

size_t hdNode_count(const hdNode_Collector *collector)
{
	return collector->count;
}

/* ---- Pull -------------------------------------------------------------- */

static void collectorStep(hdNode_Collector *collector, int64_t deadlineNs)
{
	int64_t left = deadlineNs - hdMonotonicNow();
	int ms = left <= 0 ? 0 : (int)((left + 999999) / 1000000);

	hdLoopStep(&collector->shared.loop, ms);
	hdNodePeersBury(&collector->shared);
}

static void collectorTick(hdNode_Collector *collector)
{
	for (size_t i = 0; i < collector->count; i++)
		hdNodePeerTick(collector->peers[i]);
	hdNodePeersBury(&collector->shared);
}

static void collectorWait(hdNode_Collector *collector)
{
	struct nodeShared *shared = &collector->shared;
	int64_t tickNs = 0;

	while (shared->waiting > 0 && hdMonotonicNow() < shared->deadlineNs) {
		int64_t now = hdMonotonicNow();

		if (shared->isTicking && now >= tickNs) {
			collectorTick(collector);
			tickNs = now + TICK_NS;
		} else if (shared->isTicking && tickNs < shared->deadlineNs) {
			collectorStep(collector, tickNs);
		} else {
			collectorStep(collector, shared->deadlineNs);
		}
	}
}

static int collectorAsk(hdNode_Collector *collector,
			const struct nodeQuery *query)
{
	struct nodeShared *shared = &collector->shared;
	int64_t begin = hdMonotonicNow();
	int answered = 0;

	collector->pulledWall = hdWallNow();
	shared->deadlineNs = begin + collector->timeoutNs;
	shared->namesNs = begin + collector->timeoutNs / 2;
	shared->waiting = 0;
	shared->isTicking = false;
	for (size_t i = 0; i < collector->count; i++)
		hdNodeAnswerForget(&collector->peers[i]->answer);
	/* Those that have closed their connections since. */
	collectorStep(collector, begin);
	for (size_t i = 0; i < collector->count; i++)
		hdNodePeerAsk(collector->peers[i], query);
	collectorWait(collector);
	for (size_t i = 0; i < collector->count; i++) {
		hdNodePeerExpire(collector->peers[i]);
		answered += collector->peers[i]->state == HDNODE_OK;
	}
	hdNodePeersBury(shared);
	collector->tookNs = hdMonotonicNow() - begin;
	return answered;
}

int hdNode_pull(hdNode_Collector *collector, unsigned int sections,
		unsigned int flags)
{
	const struct nodeQuery query = {
		.sections = sections & HD_NODE_WIRE_ALL,
		.flags = flags & HDNODE_RESET ? HD_NODE_WIRE_RESET : 0,
	};

	return collectorAsk(collector, &query);
}

int hdNode_configure(hdNode_Collector *collector, const char *text,
		     size_t length)
{
	const struct nodeQuery query = { .isConfigure = true };

	if (length > HD_NODE_WIRE_CONFIG_MAX)
		return -E2BIG;
	collector->shared.configText = text;
	collector->shared.configLength = length;
	return collectorAsk(collector, &query);
}

/* ---- What is known ----------------------------------------------------- */

int hdNode_info(const hdNode_Collector *collector, size_t index,
		hdNode_Info *info)
{
	int64_t now = hdMonotonicNow(), offset = 0, error = 0;
	const struct nodePeer *peer;

	if (index >= collector->count)
		return -EINVAL;
	peer = collector->peers[index];
	*info = (hdNode_Info){
		.address = peer->address,
		.name = peer->self.name ? peer->self.name : peer->address,
		.state = peer->state,
		.word = hdNodeStateWord(peer->state),
		.why = *peer->why ? peer->why : NULL,
		.age = peer->answeredNs ? (double)(now - peer->answeredNs) / 1e9
					: NAN,
		.offset = NAN,
		.offsetError = NAN,
		.boot = peer->self.boot,
		.boots = peer->self.boots,
		.restarts = peer->self.restarts,
		.sent = peer->sent,
		.received = peer->received,
	};
	if (hdNodeOffsetGet(&peer->offset, now, &offset, &error)) {
		info->offset = (double)offset / 1e9;
		info->offsetError = (double)error / 1e9;
	}
	return 0;
}

const char *hdNode_section(hdNode_Collector *collector, size_t index,
			   enum hdNode_Section section)
{
	if (index >= collector->count)
		return NULL;
	return hdNodeAnswerText(&collector->peers[index]->answer,
				&collector->shared.spool,
				(unsigned int)section);
}

char *hdNode_json(hdNode_Collector *collector, unsigned int sections,
		  int isFlat)
{
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);
	bool isFine;

	if (!file)
		return NULL;
	isFine = hdNodeDocument(collector, sections, isFlat != 0, file);
	if (fclose(file) != 0 || !isFine) {
		free(text);
		return NULL;
	}
	return text;
}
