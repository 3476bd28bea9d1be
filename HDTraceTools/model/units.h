/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Units as texts, and how far off a value can be by what its source states.
 */
#ifndef HD_UNITS_H
#define HD_UNITS_H

#include <stdbool.h>

#include "HDTraceTools/model/moments.h"
#include "cli/quantity.h"

/** A unit taken apart. */
struct unit {
	char base[16]; /**< "W" of "mW", "B/s" of "kB/s"; "" if too long. */
	double scale;  /**< 1e-3 of "mW". */
};

/** Take a unit apart: a prefix of the SI before one of the units that have
 *  one (W, J, V, A, s, Hz, B), or none. */
struct unit unitParse(const char *text);

/** Choose the unit in which people read numbers up to a size. */
struct quantityUnit unitForPeople(const char *unit, double largest);

/** Whether a unit is one of power, or one of energy. */
bool unitIsPower(const char *text);
bool unitIsEnergy(const char *text);

/** By how much results can be off, in their units; 0 if not known. */
struct bound {
	bool isKnown;
	double single; /**< Of one reading; of minimum and maximum. */
	double mean;
	double sum;
	double integral;
};

/**
 * Get the bounds of results.
 *
 * The source of a value states its resolution ("0.1 W"; "10 ms over 200 ms":
 * time is counted in such steps, over so long at least) or its class ("0.5":
 * so many per cent of the reading), or both. A value of the resolution of a
 * counter of time is a share of time, in %.
 *
 * @param value Its description; of the group both may be stated, too.
 * @param moments Its values.
 * @param runs Number of intervals without a gap.
 * @param shortest Length of the shortest interval, in ns.
 */
struct bound boundGet(const hdIGroup *group, const hdIValue *value,
		      const struct moments *moments, uint64_t runs,
		      int64_t shortest);

/** The value of an attribute; NULL: there is none. */
const char *attributeFind(const hdIAttribute *attributes, size_t count,
			  const char *name);

/** What a source states: "resolution", "class", "source"; NULL if nothing. */
const char *valueStates(const hdIGroup *group, const hdIValue *value,
			const char *name);

/** For how long the mean reaches back that each entry of a value is, in ns, as
 *  its resolution says ("10 ms over 200 ms"); 0: for the entry itself. */
int64_t valueReachesBack(const hdIGroup *group, const hdIValue *value);

/** Whether a value was not measured but simulated or estimated. */
bool valueIsSimulated(const hdIGroup *group, const hdIValue *value);

/** The name of a value as people read it, "P (simulated)"; free it. */
char *valueTitle(const hdIGroup *group, const hdIValue *value);

#endif
