/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which channels of its meters make up the power of a node.
 *
 * The one rule for all that add up power, live or from files (doc/power.md).
 * It is made from what a channel measures (its role) and what contains it. A
 * file states both as attributes of a value (doc/format/format.md); without
 * them they follow from the channel's label.
 */
#ifndef HD_NODEPOWER_H
#define HD_NODEPOWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Size of a reason, with its end. */
#define HD_POWER_REASON 96

/** Longest label of a container, with its end. */
#define HD_POWER_LABEL 64

/** A share below its parts by more than this contradicts containment. */
#define HD_POWER_TOLERANCE 0.02

/** No channel draws more, in watts. */
#define HD_POWER_WATTS_MAX 20000

/** A counter is judged over at least this time, and over so many of its update
 *  periods. */
#define HD_POWER_WINDOW_NS INT64_C(1000000000)
#define HD_POWER_WINDOW_PERIODS 10

/** What a channel measures. */
enum hdPowerRole {
	HD_POWER_UNKNOWN,  /**< No pattern matches the label. */
	HD_POWER_METER,    /**< External meter: all that the node draws. */
	HD_POWER_SUPPLY,   /**< Input of a power supply, or a BMC. */
	HD_POWER_RAIL,     /**< Output of a supply. */
	HD_POWER_PLATFORM, /**< All that the board draws: psys. */
	HD_POWER_MODULE,   /**< A module with its processor and GPUs. */
	HD_POWER_PACKAGE,  /**< A package, or a die of one. */
	HD_POWER_DRAM,     /**< Memory; not in its package. */
	HD_POWER_CORE,     /**< Cores; in their package. */
	HD_POWER_UNCORE,   /**< Other parts of a package. */
	HD_POWER_CARD,     /**< GPU or another accelerator. */
	HD_POWER_COPY,     /**< A register that another zone reads, too. */
	HD_POWER_ROLES
};

/** A channel. */
struct hdPowerChannel {
	/* Given: */
	const char *device;   /**< Driver, or NULL. */
	const char *label;    /**< "package-0-dram". */
	const char *role;     /**< As stated, or NULL. */
	const char *partOf;   /**< Label of what contains it, or NULL. */
	const char *hardware; /**< Identity of its hardware, or NULL. */
	size_t group;         /**< Number of its file, or 0. */
	bool isNamed;         /**< The user named it: it counts. */
	/* Found: */
	enum hdPowerRole is;
	char container[HD_POWER_LABEL]; /**< Label; "" for none. */
	const char *fault; /**< Why its values are not used, or NULL. */
	bool isTwin;       /**< A channel before it is the same one. */
	bool isCounted;
	char reason[HD_POWER_REASON]; /**< Why it is left out, or a note. */
};

/** Name of a role as files have it: "package". */
const char *hdPowerRoleName(enum hdPowerRole role);

/** Find what a channel measures, and what contains it: by what is stated, else
 *  by its label. Fills in `is` and `container`. */
void hdPowerClassify(struct hdPowerChannel *channel);

/**
 * Choose the channels that add up to the node.
 *
 * One that the user named counts. Else, in this order: external meters;
 * supplies; the platform, if there is one zone of it; modules, packages,
 * memory and cards; what has no known role, of the first file that has such
 * channels. A channel with a fault is passed over. One that several files have
 * counts once.
 *
 * @param channels Classified; isCounted and reason are filled in.
 *
 * @return How many count.
 */
size_t hdPowerChoose(struct hdPowerChannel *channels, size_t count);

/** What channels gained over the same time. */
struct hdPowerGain {
	bool isCounter; /**< Counts energy; a gauge is never judged. */
	bool isKnown;   /**< All the time. */
	double joules;
	double resolution; /**< In joules. */
	int64_t periodNs;  /**< Between its updates; 0: not known. */
};

/** How long counters are to be watched before they are judged. */
int64_t hdPowerWindow(const struct hdPowerGain *gains, size_t count);

/**
 * Whether counters have to be watched: one contains others, or two may be
 * mirrors of each other.
 */
bool hdPowerIsDoubtful(const struct hdPowerChannel *channels, size_t count);

/** Whether any of them is a counter: it may advance implausibly fast, whatever
 *  contains it. */
bool hdPowerHasCounter(const struct hdPowerGain *gains, size_t count);

/**
 * Judge counters by what they gained in a window of at least
 * hdPowerWindow(): one that gains nothing while its parts do, a platform
 * that gains less than its packages, and one that gains more than is plausible
 * has a fault from then on.
 *
 * @return Whether any has one now that had none.
 */
bool hdPowerJudge(struct hdPowerChannel *channels,
		  const struct hdPowerGain *gains, size_t count,
		  int64_t windowNs);

/**
 * Find dies of one package whose counters gained the same over all the time:
 * they are one counter, and the later ones have a fault until they differ.
 *
 * @return Whether any of these faults came or went.
 */
bool hdPowerFindMirrors(struct hdPowerChannel *channels,
			const struct hdPowerGain *gains, size_t count,
			int64_t timeNs);

/** Whether power is computed from a counter of energy, by the text that says
 *  where it comes from ("powercap intel-rapl:0/energy_uj"), or NULL. */
bool hdPowerIsCounted(const char *source);

/** The resolution of a counter in joules, by its text ("61 uJ, every 1 ms"), or
 *  what a counter has at most if that is NULL or tells none. */
double hdPowerResolution(const char *text);

/** The time between updates of a counter by the same text, or 0. */
int64_t hdPowerPeriod(const char *text);

#endif
