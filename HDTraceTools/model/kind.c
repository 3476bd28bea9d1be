/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the numbers of a value are, and so which results have a meaning.
 */
#include "config.h"

#include <string.h>
#include <glib.h>

#include "HDTraceTools/model/kind.h"
#include "HDTraceTools/model/units.h"

static const char *kindText(const hdIValue *value)
{
	for (size_t i = 0; i < value->attributeCount; i++) {
		if (strcmp(value->attributes[i].name, "kind") == 0)
			return value->attributes[i].value;
	}
	return NULL;
}

/** Find a kind by its name; false if there is none. */
static bool kindFind(const char *text, enum hdKind *kind)
{
	for (int i = HD_KIND_GAUGE; text && i <= HD_KIND_DELTA; i++) {
		if (strcmp(text, hdKindName((enum hdKind)i)) == 0) {
			*kind = (enum hdKind)i;
			return true;
		}
	}
	return false;
}

/* ---- Guesses ----------------------------------------------------------- */

/** Whether a name begins so; files before 2009 have a blank for the first "_"
 *  of a name. */
static bool beginsWith(const char *name, const char *prefix)
{
	for (; *prefix; prefix++, name++) {
		if (*name != *prefix && !(*prefix == '_' && *name == ' '))
			return false;
	}
	return true;
}

/** Whether all there is to the unit is an amount in an interval. */
static bool isAmountUnit(const char *unit)
{
	return unitIsEnergy(unit) || strcmp(unit, "packets") == 0;
}

static bool isAmountName(const char *name)
{
	static const char *const begins[] = { "NET_IN", "NET_OUT", "HDD_READ",
					      "HDD_WRITE" };
	static const char *const exact[] = { "CTX_SWITCHES", "RUT_CPU_TIME",
					     "RUT_LATE" };

	for (size_t i = 0; i < G_N_ELEMENTS(begins); i++) {
		if (beginsWith(name, begins[i]))
			return true;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(exact); i++) {
		if (strcmp(name, exact[i]) == 0)
			return true;
	}
	return false;
}

static enum hdKind kindGuess(const hdIValue *value)
{
	struct unit unit = unitParse(value->unit);

	/* "B/s" of a NET_IN is no amount. */
	if (g_str_has_suffix(value->unit, "/s"))
		return HD_KIND_GAUGE;
	if (isAmountUnit(value->unit) || isAmountName(value->name))
		return HD_KIND_DELTA;
	if (strcmp(unit.base, "Wh") == 0 ||
	    strcmp(value->grouping, "Counter") == 0)
		return HD_KIND_COUNTER;
	return HD_KIND_GAUGE;
}

/* ---- Kinds ------------------------------------------------------------- */

enum hdKind valueKind(const hdIGroup *group, const hdIValue *value,
		      bool *isGuessed)
{
	enum hdKind kind = HD_KIND_GAUGE;
	bool isKnown =
		value->type == HDI_STRING || kindFind(kindText(value), &kind);

	/* Names tell it in any group. */
	(void)group;
	if (isGuessed)
		*isGuessed = !isKnown;
	return isKnown ? kind : kindGuess(value);
}

const char *valueKindTitle(const hdIGroup *group, const hdIValue *value)
{
	static const char *const guesses[] = {
		[HD_KIND_GAUGE] = "gauge?",
		[HD_KIND_COUNTER] = "counter?",
		[HD_KIND_DELTA] = "delta?",
	};
	bool isGuessed;
	enum hdKind kind = valueKind(group, value, &isGuessed);

	if (value->type == HDI_STRING)
		return "";
	return isGuessed ? guesses[kind] : hdKindName(kind);
}

const char *valueKindUnknown(const hdIValue *value)
{
	const char *text = kindText(value);
	enum hdKind kind;

	return text && !kindFind(text, &kind) ? text : NULL;
}

char *rateUnit(const char *unit, double *scale)
{
	struct unit parsed = unitParse(unit);
	size_t length = strlen(unit) - strlen(parsed.base);
	bool isHours = strcmp(parsed.base, "Wh") == 0;

	*scale = isHours ? 3600 : 1;
	if (isHours || strcmp(parsed.base, "J") == 0)
		return g_strdup_printf("%.*sW", (int)length, unit);
	return g_strdup_printf("%s/s", *unit ? unit : "1");
}
