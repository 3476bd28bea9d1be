/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The channels that add up to the power of a node; see nodepower.h. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "common/nodepower.h"

/* Fewer steps of a counter than this say nothing. */
#define STEPS_MIN 100

/* The larger of two numbers; fmax() would need the library of mathematics. */
static double powerLarger(double a, double b)
{
	return a > b ? a : b;
}

/* Where a role comes in the order of choice; the least that is there counts. */
enum powerTier {
	TIER_NAMED,
	TIER_METER,
	TIER_BMC,
	TIER_SUPPLY,
	TIER_BATTERY,
	TIER_PLATFORM,
	TIER_PARTS,
	TIER_RAILS,
	TIER_COPIES,
	TIER_CORES,
	TIER_UNKNOWN,
	TIER_NONE
};

static const enum powerTier roleTiers[HD_POWER_ROLES] = {
	[HD_POWER_UNKNOWN] = TIER_UNKNOWN,   [HD_POWER_METER] = TIER_METER,
	[HD_POWER_SUPPLY] = TIER_SUPPLY,     [HD_POWER_RAIL] = TIER_RAILS,
	[HD_POWER_PLATFORM] = TIER_PLATFORM, [HD_POWER_MODULE] = TIER_PARTS,
	[HD_POWER_PACKAGE] = TIER_PARTS,     [HD_POWER_DRAM] = TIER_PARTS,
	[HD_POWER_CORE] = TIER_CORES,        [HD_POWER_UNCORE] = TIER_CORES,
	[HD_POWER_CARD] = TIER_PARTS,        [HD_POWER_COPY] = TIER_COPIES,
};

static bool powerAreSame(const char *a, const char *b)
{
	return a && b && strcmp(a, b) == 0;
}

/* ---- What contains what ------------------------------------------------ */

static const struct hdPowerChannel *powerFind(
	const struct hdPowerChannel *channels, size_t count, const char *label)
{
	for (size_t i = 0; *label && i < count; i++)
		if (strcmp(channels[i].label, label) == 0)
			return &channels[i];
	return NULL;
}

/* The module that contains a GPU, which neither of them says: the power of
 * NVIDIA's modules includes that of their GPUs. */
static const struct hdPowerChannel *powerModuleOf(
	const struct hdPowerChannel *channels, size_t count,
	const struct hdPowerChannel *card)
{
	if (card->is != HD_POWER_CARD || strncmp(card->label, "gpu-", 4) != 0)
		return NULL;
	for (size_t i = 0; i < count; i++)
		if (channels[i].is == HD_POWER_MODULE && !channels[i].fault)
			return &channels[i];
	return NULL;
}

/* The channel that contains one, however far out, and can be used. */
static const struct hdPowerChannel *powerContainer(
	const struct hdPowerChannel *channels, size_t count,
	const struct hdPowerChannel *channel)
{
	const struct hdPowerChannel *at =
		powerModuleOf(channels, count, channel);

	if (at)
		return at;
	at = channel;
	for (size_t depth = 0; depth < count; depth++) {
		at = powerFind(channels, count, at->container);
		if (!at || at == channel)
			return NULL;
		if (!at->fault)
			return at;
	}
	return NULL;
}

static size_t powerCountRole(const struct hdPowerChannel *channels,
			     size_t count, enum hdPowerRole role)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		found += channels[i].is == role;
	return found;
}

/* ---- The choice -------------------------------------------------------- */

/* A BMC measures what its supplies do, and a battery what an input of the board
 * does: of these three one kind counts. */
static enum powerTier powerSupplyTier(const struct hdPowerChannel *supply)
{
	if (powerAreSame(supply->device, "ipmi"))
		return TIER_BMC;
	return powerAreSame(supply->device, "power_supply") ? TIER_BATTERY
							    : TIER_SUPPLY;
}

static enum powerTier powerTierOfRole(const struct hdPowerChannel *channel)
{
	return channel->is == HD_POWER_SUPPLY ? powerSupplyTier(channel)
					      : roleTiers[channel->is];
}

/* A copy takes the tier of its original where that is of no use. */
static enum powerTier powerCopyTier(const struct hdPowerChannel *channels,
				    size_t count,
				    const struct hdPowerChannel *copy)
{
	const struct hdPowerChannel *original =
		powerFind(channels, count, copy->container);

	if (original)
		return original->fault ? powerTierOfRole(original)
				       : TIER_COPIES;
	return copy->container[0] ? TIER_PARTS : TIER_COPIES;
}

/* Whether a channel is the next best thing where its container is of no use:
 * copies and dies come before cores and other parts. */
static bool powerReplaces(const struct hdPowerChannel *channels, size_t count,
			  const struct hdPowerChannel *part)
{
	const struct hdPowerChannel *whole =
		powerFind(channels, count, part->container);

	if (!whole || !whole->fault || whole->is != HD_POWER_PACKAGE)
		return false;
	for (size_t i = 0; i < count; i++)
		if ((channels[i].is == HD_POWER_COPY ||
		     channels[i].is == HD_POWER_PACKAGE) &&
		    !channels[i].fault &&
		    strcmp(channels[i].container, whole->label) == 0)
			return false;
	return true;
}

static enum powerTier powerTierOf(const struct hdPowerChannel *channels,
				  size_t count,
				  const struct hdPowerChannel *channel)
{
	if (channel->isTwin)
		return TIER_NONE;
	if (channel->isNamed)
		return TIER_NAMED;
	if (channel->fault)
		return TIER_NONE;
	if (channel->is == HD_POWER_COPY)
		return powerCopyTier(channels, count, channel);
	if ((channel->is == HD_POWER_CORE || channel->is == HD_POWER_UNCORE) &&
	    powerReplaces(channels, count, channel))
		return TIER_PARTS;
	/* Nobody says which of several zones is the whole. */
	if (channel->is == HD_POWER_PLATFORM &&
	    powerCountRole(channels, count, HD_POWER_PLATFORM) > 1)
		return TIER_UNKNOWN;
	return powerTierOfRole(channel);
}

static enum powerTier powerBestTier(const struct hdPowerChannel *channels,
				    size_t count)
{
	enum powerTier best = TIER_NONE;

	for (size_t i = 0; i < count; i++) {
		enum powerTier tier =
			powerTierOf(channels, count, &channels[i]);

		best = tier < best ? tier : best;
	}
	return best;
}

/* ---- The same channel twice -------------------------------------------- */

/* Whether two channels of different files are one: labels of the machine's own
 * inputs are unique, cards are known by their hardware, and two external meters
 * may have the same label. */
static bool powerAreTwins(const struct hdPowerChannel *a,
			  const struct hdPowerChannel *b)
{
	bool hasLabel = strcmp(a->label, b->label) == 0;

	if (a->is != b->is || a->group == b->group)
		return false;
	switch (a->is) {
	case HD_POWER_CARD:
		return a->hardware && b->hardware
			       ? powerAreSame(a->hardware, b->hardware)
			       : hasLabel;
	case HD_POWER_METER:
	case HD_POWER_SUPPLY:
	case HD_POWER_RAIL:
	case HD_POWER_UNKNOWN:
		return hasLabel && powerAreSame(a->hardware, b->hardware);
	default:
		return hasLabel;
	}
}

static void powerFindTwins(struct hdPowerChannel *channels, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		channels[i].isTwin = false;
		for (size_t j = 0; j < i && !channels[i].isTwin; j++)
			channels[i].isTwin =
				!channels[j].isTwin &&
				powerAreTwins(&channels[j], &channels[i]);
	}
}

/* Whether a channel without a known role counts: those of one file do. */
static bool powerIsOfFirst(const struct hdPowerChannel *channels, size_t count,
			   const struct hdPowerChannel *channel)
{
	for (size_t i = 0; i < count; i++)
		if (powerTierOf(channels, count, &channels[i]) == TIER_UNKNOWN)
			return channel->group == channels[i].group;
	return false;
}

/* Count those of a tier that nothing else contains. */
static size_t powerCountTier(struct hdPowerChannel *channels, size_t count,
			     enum powerTier tier)
{
	size_t counted = 0;

	for (size_t i = 0; i < count; i++) {
		struct hdPowerChannel *channel = &channels[i];

		channel->isCounted =
			tier < TIER_NONE &&
			powerTierOf(channels, count, channel) == tier &&
			(tier == TIER_NAMED ||
			 !powerContainer(channels, count, channel)) &&
			(tier != TIER_UNKNOWN ||
			 powerIsOfFirst(channels, count, channel));
		counted += channel->isCounted;
	}
	return counted;
}

static void powerSay(struct hdPowerChannel *channel, const char *text,
		     const char *label)
{
	snprintf(channel->reason, sizeof(channel->reason), text, label);
}

/* Why a channel does not count. */
static void powerExplain(const struct hdPowerChannel *channels, size_t count,
			 struct hdPowerChannel *channel, enum powerTier tier,
			 const struct hdPowerChannel *first)
{
	const struct hdPowerChannel *container =
		powerContainer(channels, count, channel);

	channel->reason[0] = '\0';
	if (channel->isTwin)
		powerSay(channel, "recorded twice%s", "");
	else if (channel->isCounted && tier == TIER_UNKNOWN)
		powerSay(channel, "unknown role%s", "");
	else if (channel->isCounted)
		return;
	else if (tier == TIER_NAMED)
		powerSay(channel, "not named%s", "");
	else if (channel->fault)
		powerSay(channel, "%s", channel->fault);
	else if (channel->is == HD_POWER_COPY && container)
		powerSay(channel, "the same as %s", container->label);
	else if (container)
		powerSay(channel, "part of %s", container->label);
	else if (channel->is == HD_POWER_UNKNOWN)
		powerSay(channel, "unknown role%s", "");
	else if (tier == TIER_PARTS && channel->is == HD_POWER_PLATFORM)
		powerSay(channel, "one of several platform zones%s", "");
	else
		powerSay(channel, "measured by %s", first ? first->label : "");
}

size_t hdPowerChoose(struct hdPowerChannel *channels, size_t count)
{
	const struct hdPowerChannel *first = NULL;
	enum powerTier tier;
	size_t counted;

	powerFindTwins(channels, count);
	tier = powerBestTier(channels, count);
	counted = powerCountTier(channels, count, tier);
	for (size_t i = count; i-- > 0;)
		if (channels[i].isCounted)
			first = &channels[i];
	for (size_t i = 0; i < count; i++)
		powerExplain(channels, count, &channels[i], tier, first);
	return counted;
}

/* ---- Counters that do not count ---------------------------------------- */

/* Whether a channel contains another one, and so draws at least as much. */
static bool powerContains(const struct hdPowerChannel *channels, size_t count,
			  const struct hdPowerChannel *whole,
			  const struct hdPowerChannel *part)
{
	if (part->is == HD_POWER_COPY)
		return false;
	if (whole->is == HD_POWER_PLATFORM)
		return part->is == HD_POWER_PACKAGE &&
		       !powerFind(channels, count, part->container) &&
		       powerCountRole(channels, count, HD_POWER_PLATFORM) == 1;
	return strcmp(part->container, whole->label) == 0;
}

bool hdPowerIsDoubtful(const struct hdPowerChannel *channels, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < count; j++)
			if (i != j && powerContains(channels, count,
						    &channels[i], &channels[j]))
				return true;
		if (channels[i].is == HD_POWER_PACKAGE &&
		    channels[i].container[0])
			return true;
	}
	return false;
}

bool hdPowerHasCounter(const struct hdPowerGain *gains, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (gains[i].isCounter)
			return true;
	return false;
}

/* What the parts of a channel gained: dies and cores are each of them less
 * than their package. */
static double powerPartsGained(const struct hdPowerChannel *channels,
			       const struct hdPowerGain *gains, size_t count,
			       size_t whole, double *resolution)
{
	double packages = 0, others = 0;

	*resolution = 0;
	for (size_t i = 0; i < count; i++) {
		if (i == whole || !gains[i].isCounter || !gains[i].isKnown ||
		    channels[i].fault ||
		    !powerContains(channels, count, &channels[whole],
				   &channels[i]))
			continue;
		*resolution = powerLarger(*resolution, gains[i].resolution);
		*(channels[i].is == HD_POWER_PACKAGE ? &packages : &others) +=
			gains[i].joules;
	}
	return powerLarger(packages, others);
}

static const char *powerFault(const struct hdPowerChannel *channels,
			      const struct hdPowerGain *gains, size_t count,
			      size_t number, int64_t windowNs)
{
	double joules = gains[number].joules, resolution;
	double parts =
		powerPartsGained(channels, gains, count, number, &resolution);

	if (joules > HD_POWER_WATTS_MAX * ((double)windowNs / 1e9))
		return "its counter advances implausibly fast";
	if (!(parts > STEPS_MIN * resolution))
		return NULL;
	if (joules <= 0)
		return "its counter does not advance";
	/* Estimates of cores may be off by more. */
	if (channels[number].is == HD_POWER_PLATFORM &&
	    joules < (1 - HD_POWER_TOLERANCE) * parts)
		return "its counter advances by less than its parts";
	return NULL;
}

bool hdPowerJudge(struct hdPowerChannel *channels,
		  const struct hdPowerGain *gains, size_t count,
		  int64_t windowNs)
{
	bool isNew = false;

	for (size_t i = 0; i < count; i++) {
		if (channels[i].fault || !gains[i].isCounter ||
		    !gains[i].isKnown)
			continue;
		channels[i].fault =
			powerFault(channels, gains, count, i, windowNs);
		isNew = isNew || channels[i].fault;
	}
	return isNew;
}

int64_t hdPowerWindow(const struct hdPowerGain *gains, size_t count)
{
	int64_t window = HD_POWER_WINDOW_NS;

	for (size_t i = 0; i < count; i++) {
		int64_t periods = HD_POWER_WINDOW_PERIODS * gains[i].periodNs;

		if (gains[i].isCounter && periods > window)
			window = periods;
	}
	return window;
}

static const char mirrorFault[] = "a mirror of another die";

static bool powerAreMirrors(const struct hdPowerGain *a,
			    const struct hdPowerGain *b, int64_t timeNs)
{
	double step = powerLarger(a->resolution, b->resolution);
	/* They are read one after the other, and step every millisecond. */
	double skew = a->joules * (2e6 / (double)timeNs);

	return a->isCounter && b->isCounter && a->isKnown && b->isKnown &&
	       a->joules > STEPS_MIN * step &&
	       powerLarger(a->joules - b->joules, b->joules - a->joules) <=
		       2 * step + skew;
}

/* Whether a die is the mirror of one before it. */
static bool powerIsMirror(const struct hdPowerChannel *channels,
			  const struct hdPowerGain *gains, size_t number,
			  int64_t timeNs)
{
	const struct hdPowerChannel *die = &channels[number];

	for (size_t i = 0; i < number; i++)
		if (channels[i].is == HD_POWER_PACKAGE && !channels[i].fault &&
		    strcmp(channels[i].container, die->container) == 0 &&
		    powerAreMirrors(&gains[i], &gains[number], timeNs))
			return true;
	return false;
}

bool hdPowerFindMirrors(struct hdPowerChannel *channels,
			const struct hdPowerGain *gains, size_t count,
			int64_t timeNs)
{
	bool isNew = false;

	for (size_t i = 0; timeNs > 0 && i < count; i++) {
		struct hdPowerChannel *die = &channels[i];
		const char *before = die->fault;

		if (die->is != HD_POWER_PACKAGE || !die->container[0] ||
		    (die->fault && die->fault != mirrorFault))
			continue;
		die->fault = powerIsMirror(channels, gains, i, timeNs)
				     ? mirrorFault
				     : NULL;
		isNew = isNew || die->fault != before;
	}
	return isNew;
}
