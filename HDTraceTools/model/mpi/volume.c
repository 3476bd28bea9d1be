/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * How many bytes a process gives and gets in a collective call of MPI.
 */
#include "config.h"

#include <glib.h>

#include "HDTraceTools/model/mpi/messages.h"
#include "HDTraceTools/model/mpi/volume.h"

/** What the numbers of a function mean; see common/mpi/functions.table. */
enum volumeRule {
	VOLUME_NONE,
	VOLUME_FROMROOT,
	VOLUME_TOROOT,
	VOLUME_GATHER,
	VOLUME_GATHERV,
	VOLUME_SCATTER,
	VOLUME_SCATTERV,
	VOLUME_ALLGATHER,
	VOLUME_ALLGATHERV,
	VOLUME_ALLTOALL,
	VOLUME_ALLTOALLV,
	VOLUME_ALIKE,
	VOLUME_PREFIX,
	VOLUME_REDUCESCATTER,
	VOLUME_REDUCESCATTERBLOCK,
	VOLUME_NEIGHBORS,
	VOLUME_NEIGHBORSEACH,
	VOLUME_NEIGHBORSALL,
};

static const struct {
	const char *name;
	enum volumeRule rule;
} volumeRules[] = {
#define MPI_BYTES(name, RULE) { name, VOLUME_##RULE },
#define MPI_POINT2POINT(name, isSending, isReceiving)
#define MPI_COLLECTIVE(name, NAME, ROLE, isAlike)
#include "HDTraceTools/model/mpi/functions.h"
};

/** A call while it is looked at. */
struct call {
	const hdIRecord *record;
	const struct volumePart *part;
	int64_t size;
	int64_t received;
	int64_t own; /**< Of what is received, or sent, what stays. */
	bool hasSize;
	bool hasReceived;
	bool isInPlace;
	bool isPlaceKnown;
	bool hasOwn;
};

#define UNKNOWN ((struct volume){ -1, -1 })
#define NOTHING ((struct volume){ 0, 0 })

static gpointer volumeMakeTable(gpointer data)
{
	GHashTable *table = g_hash_table_new(g_str_hash, g_str_equal);

	(void)data;
	for (size_t i = 0; i < G_N_ELEMENTS(volumeRules); i++)
		g_hash_table_insert(table, (gpointer)volumeRules[i].name,
				    (gpointer)&volumeRules[i].rule);
	return table;
}

static const enum volumeRule *volumeRuleOf(const char *name)
{
	static GOnce once = G_ONCE_INIT;

	return g_hash_table_lookup(g_once(&once, volumeMakeTable, NULL), name);
}

static bool volumeNumber(const hdIRecord *record, const char *name,
			 int64_t *number)
{
	return messagesNumber(record->attributes, record->attributeCount, name,
			      number) &&
	       *number >= 0;
}

static struct call volumeRead(const hdIRecord *record,
			      const struct volumePart *part)
{
	struct call call = { .record = record, .part = part };
	int64_t isInPlace;

	call.hasSize = volumeNumber(record, "size", &call.size);
	call.hasReceived = volumeNumber(record, "recvSize", &call.received);
	call.isPlaceKnown = volumeNumber(record, "inPlace", &isInPlace);
	call.isInPlace = call.isPlaceKnown && isInPlace;
	/* There is none in those of an intercommunicator. */
	call.isPlaceKnown |= part->isInter;
	call.hasOwn = volumeNumber(record, "ownSize", &call.own);
	return call;
}

/** A number that is there, so many times. */
static int64_t volumeTimes(bool isThere, int64_t number, int64_t times)
{
	return isThere && times >= 0 ? number * times : -1;
}

/** All together, less what stays in place. */
static int64_t volumeLess(bool isThere, int64_t number, const struct call *call)
{
	return isThere && call->hasOwn ? number - call->own : -1;
}

/* ---- Rules ------------------------------------------------------------- */

static struct volume volumeFromRoot(const struct call *call)
{
	int64_t size = volumeTimes(call->hasSize, call->size, 1);

	return call->part->isRoot ? (struct volume){ size, 0 }
				  : (struct volume){ 0, size };
}

/** The root of an intercommunicator gives nothing. */
static struct volume volumeToRoot(const struct call *call)
{
	int64_t size = volumeTimes(call->hasSize, call->size, 1);

	if (!call->part->isRoot)
		return (struct volume){ size, 0 };
	return (struct volume){ call->part->isInter ? 0 : size, size };
}

/** At the root of a gather or scatter: what is of all, and what is its own. */
static struct volume volumeAtRoot(const struct call *call, bool isScatter,
				  bool isOfAll)
{
	bool hasAll = isScatter ? call->hasSize : call->hasReceived;
	bool hasOne = isScatter ? call->hasReceived : call->hasSize;
	int64_t all = isScatter ? call->size : call->received;
	int64_t one = isScatter ? call->received : call->size;

	if (!call->isPlaceKnown)
		return UNKNOWN;
	if (call->isInPlace) {
		one = 0;
		all = isOfAll ? volumeLess(hasAll, all, call)
			      : volumeTimes(hasAll, all, call->part->peers - 1);
	} else {
		one = call->part->isInter ? 0 : volumeTimes(hasOne, one, 1);
		all = volumeTimes(hasAll, all, isOfAll ? 1 : call->part->peers);
	}
	return isScatter ? (struct volume){ all, one }
			 : (struct volume){ one, all };
}

static struct volume volumeGather(const struct call *call, bool isOfAll)
{
	if (call->part->isRoot)
		return volumeAtRoot(call, false, isOfAll);
	return (struct volume){ volumeTimes(call->hasSize, call->size, 1), 0 };
}

static struct volume volumeScatter(const struct call *call, bool isOfAll)
{
	if (call->part->isRoot)
		return volumeAtRoot(call, true, isOfAll);
	return (struct volume){ 0, volumeTimes(call->hasReceived,
					       call->received, 1) };
}

/** What a process gets from all, less what it has already. */
static int64_t volumeGets(const struct call *call, bool isOfAll)
{
	if (!call->isInPlace)
		return volumeTimes(call->hasReceived, call->received,
				   isOfAll ? 1 : call->part->peers);
	return isOfAll ? volumeLess(call->hasReceived, call->received, call)
		       : volumeTimes(call->hasReceived, call->received,
				     call->part->peers - 1);
}

static struct volume volumeAllgather(const struct call *call, bool isOfAll)
{
	int64_t given = volumeTimes(call->hasSize, call->size, 1);

	if (!call->isPlaceKnown)
		return UNKNOWN;
	if (call->isInPlace && isOfAll)
		given = volumeTimes(call->hasOwn, call->own, 1);
	else if (call->isInPlace)
		given = volumeTimes(call->hasReceived, call->received, 1);
	return (struct volume){ given, volumeGets(call, isOfAll) };
}

static struct volume volumeAlltoall(const struct call *call, bool isOfAll)
{
	int64_t got = volumeGets(call, isOfAll);

	if (!call->isPlaceKnown)
		return UNKNOWN;
	if (call->isInPlace)
		return (struct volume){ got, got };
	return (struct volume){
		volumeTimes(call->hasSize, call->size,
			    isOfAll ? 1 : call->part->peers),
		got,
	};
}

static struct volume volumeAlike(const struct call *call, bool isPrefix)
{
	int64_t size = volumeTimes(call->hasSize, call->size, 1);
	bool isFirst = isPrefix && call->part->rank == 0;

	return (struct volume){ size, isFirst ? 0 : size };
}

static struct volume volumeReduceScatter(const struct call *call, bool isBlock)
{
	int64_t size = volumeTimes(call->hasSize, call->size, 1);
	int64_t part = volumeTimes(call->hasReceived, call->received, 1);

	if (isBlock && size >= 0 && call->part->processes > 0)
		part = size / call->part->processes;
	return (struct volume){ size, part };
}

static struct volume volumeNeighbors(const struct call *call, bool isOfEach)
{
	int64_t sources = -1, targets = -1;

	if (!volumeNumber(call->record, "sources", &sources) ||
	    !volumeNumber(call->record, "targets", &targets))
		return UNKNOWN;
	return (struct volume){
		volumeTimes(call->hasSize, call->size, isOfEach ? targets : 1),
		volumeTimes(call->hasReceived, call->received, sources),
	};
}

static struct volume volumeBy(enum volumeRule rule, const struct call *call)
{
	switch (rule) {
	case VOLUME_NONE:
		return NOTHING;
	case VOLUME_FROMROOT:
		return volumeFromRoot(call);
	case VOLUME_TOROOT:
		return volumeToRoot(call);
	case VOLUME_GATHER:
	case VOLUME_GATHERV:
		return volumeGather(call, rule == VOLUME_GATHERV);
	case VOLUME_SCATTER:
	case VOLUME_SCATTERV:
		return volumeScatter(call, rule == VOLUME_SCATTERV);
	case VOLUME_ALLGATHER:
	case VOLUME_ALLGATHERV:
		return volumeAllgather(call, rule == VOLUME_ALLGATHERV);
	case VOLUME_ALLTOALL:
	case VOLUME_ALLTOALLV:
		return volumeAlltoall(call, rule == VOLUME_ALLTOALLV);
	case VOLUME_ALIKE:
	case VOLUME_PREFIX:
		return volumeAlike(call, rule == VOLUME_PREFIX);
	case VOLUME_REDUCESCATTER:
	case VOLUME_REDUCESCATTERBLOCK:
		return volumeReduceScatter(call,
					   rule == VOLUME_REDUCESCATTERBLOCK);
	case VOLUME_NEIGHBORS:
	case VOLUME_NEIGHBORSEACH:
		return volumeNeighbors(call, rule == VOLUME_NEIGHBORSEACH);
	case VOLUME_NEIGHBORSALL:
		return (struct volume){
			volumeTimes(call->hasSize, call->size, 1),
			volumeTimes(call->hasReceived, call->received, 1),
		};
	}
	return UNKNOWN;
}

bool volumeIsCollective(const char *name)
{
	return volumeRuleOf(name);
}

bool volumeOf(const hdIRecord *record, const struct volumePart *part,
	      struct volume *volume)
{
	const enum volumeRule *rule = volumeRuleOf(record->name);
	struct call call;

	if (!rule)
		return false;
	call = volumeRead(record, part);
	*volume = part->isNobody ? NOTHING : volumeBy(*rule, &call);
	return true;
}

/* ---- In a project ------------------------------------------------------ */

/** What is in records instead of a root's rank. */
#define ROOT_NOBODY (-2)
#define ROOT_SELF (-3)

/** Of an intercommunicator the root is in the other group, or it is in the own
 *  one and has no rank. */
static void volumeReadRoot(const struct messages *messages,
			   const hdIRecord *record, struct volumeShare *share)
{
	share->hasRoot =
		messagesNumber(record->attributes, record->attributeCount,
			       "rootRank", &share->root) ||
		messagesNumber(record->attributes, record->attributeCount,
			       "root", &share->root);
	if (!share->hasRoot)
		return;
	if (!share->group->remotes) {
		share->isRoot =
			messagesPeer(messages, share->cid, share->root) ==
			messagesRank(messages);
	} else {
		share->isRoot = share->root == ROOT_SELF;
		share->isNobody = share->root == ROOT_NOBODY;
	}
}

bool volumeShareOf(const struct messages *messages, const hdIRecord *record,
		   struct volumeShare *share)
{
	*share = (struct volumeShare){ .group = NULL };
	if (!messagesNumber(record->attributes, record->attributeCount, "cid",
			    &share->cid))
		return false;
	share->group = messagesGroupOf(messages, share->cid);
	if (share->group)
		volumeReadRoot(messages, record, share);
	return share->group;
}

struct volume volumeOfShare(const struct messages *messages,
			    const hdIRecord *record,
			    const struct volumeShare *share)
{
	const struct messageGroup *group = share->group;
	bool isSecond = messagesIsRemote(messages, share->cid);
	const GArray *own = isSecond ? group->remotes : group->globals;
	const GArray *other = isSecond ? group->globals : group->remotes;
	const struct volumePart part = {
		.processes = own->len,
		.peers = other ? other->len : own->len,
		.rank = messagesLocalRank(messages, share->cid),
		.isInter = other,
		.isRoot = share->isRoot,
		.isNobody = share->isNobody,
	};
	struct volume volume = { -1, -1 };

	volumeOf(record, &part, &volume);
	return volume;
}
