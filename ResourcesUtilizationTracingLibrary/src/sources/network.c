/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Network traffic: bytes of each interface and sums of them; packets, errors
 * and drops of each interface.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "ResourcesUtilizationTracingLibrary/src/kernel/netdev.h"

struct networkState {
	struct rutNetDev netdev;
	rutSources sources;
	size_t columns; /* Interfaces that have values of their own. */
	bool isUnread;  /* The counters could not be read since a sample. */
};

static void networkClose(void *data)
{
	struct networkState *state = data;

	rutNetDevClose(&state->netdev);
	free(state);
}

static int networkAddColumns(const struct networkState *state,
			     struct rutColumns *columns)
{
	const rutSources *sources = &state->sources;
	const struct {
		const char *name;
		bool isSet;
	} sums[] = {
		{ "NET_IN_EXT", sources->NET_IN_EXT },
		{ "NET_OUT_EXT", sources->NET_OUT_EXT },
		{ "NET_IN", sources->NET_IN },
		{ "NET_OUT", sources->NET_OUT },
	};
	const struct rutColumn column = {
		.type = INT64,
		.unit = "B",
		.grouping = "NET",
		.kind = HD_KIND_DELTA,
	};
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < state->columns; i++) {
		const char *name = state->netdev.list[i].name;

		if (sources->NET_IN_X)
			ret = rutColumnsAdd(columns, &column, "NET_IN_%s",
					    name);
		if (ret == 0 && sources->NET_OUT_X)
			ret = rutColumnsAdd(columns, &column, "NET_OUT_%s",
					    name);
	}
	for (size_t i = 0; ret == 0 && i < 4; i++) {
		if (sums[i].isSet)
			ret = rutColumnsAdd(columns, &column, "%s",
					    sums[i].name);
	}
	return ret;
}

int rutNetworkOpenUpon(const struct rutNetDev *netdev,
		       const struct rutSetup *setup, struct rutColumns *columns,
		       void **result)
{
	struct networkState *state = calloc(1, sizeof(*state));
	struct rutNetDev own = *netdev;
	int ret;

	if (!state) {
		rutNetDevClose(&own);
		return -ENOMEM;
	}
	state->netdev = own;
	state->sources = setup->sources;
	state->columns = state->netdev.count;
	ret = networkAddColumns(state, columns);
	if (ret < 0) {
		networkClose(state);
		return ret;
	}
	*result = state;
	return 0;
}

static int networkOpen(const struct rutSetup *setup, struct rutColumns *columns,
		       void **result)
{
	struct rutNetDev netdev;
	int ret = rutNetDevOpen(&netdev, setup->root, RUT_NET_BYTES_OUT + 1);

	if (ret < 0)
		return ret;
	return rutNetworkOpenUpon(&netdev, setup, columns, result);
}

/* Bytes of several interfaces in an interval. */
struct networkSum {
	int64_t in, out;
};

/* What an interface counted that was not there all the time is left out. */
static void networkAdd(struct networkSum *sum, int64_t in, int64_t out)
{
	if (in != HD_CELL_MISSING && sum->in != HD_CELL_MISSING)
		sum->in += in;
	if (out != HD_CELL_MISSING && sum->out != HD_CELL_MISSING)
		sum->out += out;
}

/* Take the bytes of all interfaces, and put those of single ones. */
static union hdCell *networkTake(struct networkState *state,
				 struct networkSum *all,
				 struct networkSum *external,
				 union hdCell *cells)
{
	for (size_t i = 0; i < state->netdev.count; i++) {
		struct rutNetIf *netif = &state->netdev.list[i];
		int64_t in =
			rutCounterTake(&netif->counters[RUT_NET_BYTES_IN], 1);
		int64_t out =
			rutCounterTake(&netif->counters[RUT_NET_BYTES_OUT], 1);

		if (i < state->columns && state->sources.NET_IN_X)
			(cells++)->i = in;
		if (i < state->columns && state->sources.NET_OUT_X)
			(cells++)->i = out;
		networkAdd(all, in, out);
		if (netif->isExternal)
			networkAdd(external, in, out);
	}
	return cells;
}

static void networkRead(void *data, enum rutWhy why, union hdCell *cells)
{
	struct networkState *state = data;
	const rutSources *sources = &state->sources;
	struct networkSum all = { 0, 0 }, external = { 0, 0 };

	bool isRead = rutNetDevRead(&state->netdev, why);

	state->isUnread |= !isRead;
	if (why != RUT_WHY_SAMPLE)
		return;
	/* The counts begin anew with this reading, if it is one. */
	if (state->isUnread)
		all = external =
			(struct networkSum){ HD_CELL_MISSING, HD_CELL_MISSING };
	state->isUnread = !isRead;
	cells = networkTake(state, &all, &external, cells);
	if (sources->NET_IN_EXT)
		(cells++)->i = external.in;
	if (sources->NET_OUT_EXT)
		(cells++)->i = external.out;
	if (sources->NET_IN)
		(cells++)->i = all.in;
	if (sources->NET_OUT)
		(cells++)->i = all.out;
}

const struct rutSource rutNetworkSource = {
	.name = "network",
	.isWanted = rutWantsNetwork,
	.open = networkOpen,
	.read = networkRead,
	.close = networkClose,
};

/* Packets, errors, drops. */

static bool packetsIsWanted(const rutSources *sources)
{
	return sources->NET_PACKETS_X;
}

static int packetsAddColumns(const struct networkState *state,
			     struct rutColumns *columns)
{
	static const char *const names[RUT_NET_COUNTS] = {
		[RUT_NET_PACKETS_IN] = "NET_PACKETS_IN",
		[RUT_NET_PACKETS_OUT] = "NET_PACKETS_OUT",
		[RUT_NET_ERRORS_IN] = "NET_ERRORS_IN",
		[RUT_NET_ERRORS_OUT] = "NET_ERRORS_OUT",
		[RUT_NET_DROPS_IN] = "NET_DROPS_IN",
		[RUT_NET_DROPS_OUT] = "NET_DROPS_OUT",
	};
	const struct rutColumn column = {
		.type = INT64,
		.unit = "packets",
		.grouping = "NET_PACKETS",
		.kind = HD_KIND_DELTA,
	};
	int ret = 0;

	for (size_t i = 0; i < state->columns; i++) {
		for (size_t j = RUT_NET_PACKETS_IN;
		     ret == 0 && j < RUT_NET_COUNTS; j++)
			ret = rutColumnsAdd(columns, &column, "%s_%s", names[j],
					    state->netdev.list[i].name);
	}
	return ret;
}

static int packetsOpen(const struct rutSetup *setup, struct rutColumns *columns,
		       void **result)
{
	struct networkState *state = calloc(1, sizeof(*state));
	int ret;

	if (!state)
		return -ENOMEM;
	ret = rutNetDevOpen(&state->netdev, setup->root, RUT_NET_COUNTS);
	if (ret < 0) {
		free(state);
		return ret;
	}
	state->columns = state->netdev.count;
	ret = packetsAddColumns(state, columns);
	if (ret < 0) {
		networkClose(state);
		return ret;
	}
	*result = state;
	return 0;
}

static void packetsRead(void *data, enum rutWhy why, union hdCell *cells)
{
	struct networkState *state = data;

	rutNetDevRead(&state->netdev, why);
	if (why != RUT_WHY_SAMPLE)
		return;
	for (size_t i = 0; i < state->columns; i++) {
		struct rutNetIf *netif = &state->netdev.list[i];

		for (size_t j = RUT_NET_PACKETS_IN; j < RUT_NET_COUNTS; j++)
			(cells++)->i = rutCounterTake(&netif->counters[j], 1);
	}
}

const struct rutSource rutPacketsSource = {
	.name = "packets",
	.isWanted = packetsIsWanted,
	.open = packetsOpen,
	.read = packetsRead,
	.close = networkClose,
};
