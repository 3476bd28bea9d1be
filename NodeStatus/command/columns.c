/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which values of a node's status are recorded; see columns.h. */
#include "config.h"

#include <math.h>
#include <string.h>
#include <glib.h>

#include "NodeStatus/command/columns.h"
#include "NodeStatus/local/sample.h"

/* What the header has beside columns, and of a column beside its texts. */
#define OTHER_LENGTH 4000
#define COLUMN_LENGTH                                                    \
	strlen("  <Value name=\"\" type=\"DOUBLE\" unit=\"operations\" " \
	       "grouping=\"NET_PACKETS\" kind=\"gauge\"/>\n")
/* A unit whose name is longer is none. */
#define UNIT_MAX 200

#define CPU_TOTAL "CPU_TOTAL"

static const char *const loads[] = { "LOAD_1", "LOAD_5", "LOAD_15" };

/* What libRUT's values are, by how their names begin; the first one counts. */
static const struct {
	const char *begin, *unit, *grouping;
} meanings[] = {
	{ "CPU_STATE_", "%", "CPU_STATE" },
	{ "CPU_", "%", "CPU" },
	{ "LOAD_", "tasks", "LOAD" },
	{ "MEM_", "B", "MEM" },
	{ "SWAP_", "B", "SWAP" },
	{ "NET_ERRORS_", "packets", "NET_PACKETS" },
	{ "NET_DROPS_", "packets", "NET_PACKETS" },
	{ "NET_", "B", "NET" },
	{ "HDD_READ_OPS_", "operations", "HDD_OPS" },
	{ "HDD_WRITE_OPS_", "operations", "HDD_OPS" },
	{ "HDD_BUSY_", "%", "HDD_BUSY" },
	{ "HDD_", "B", "HDD" },
	{ "STORAGE_", "B", "STORAGE" },
	{ "GPU_UTIL_", "%", "GPU" },
	{ "GPU_", "B", "GPU" },
};

/* ---- Finding ------------------------------------------------------------- */

static void nodeColumnsAddColumn(struct nodeColumns *columns,
				 const struct nodePlace *place,
				 const char *begin, const char *unit)
{
	struct nodeColumn *column;
	size_t length = COLUMN_LENGTH + strlen(begin) + strlen(unit);

	if (OTHER_LENGTH + columns->length + length > HDS_MAX_HEADER_LENGTH) {
		columns->left++;
		return;
	}
	columns->length += length;
	columns->list =
		g_renew(struct nodeColumn, columns->list, columns->count + 1);
	column = &columns->list[columns->count++];
	*column = (struct nodeColumn){
		.name = g_strconcat(begin, unit, NULL),
		.unit = g_strdup(unit),
		.place = place,
	};
	column->column = (struct hdRecordColumn){
		.name = column->name,
		/* A unit may go, and then there is no number. */
		.type = DOUBLE,
		.kind = place && place->sumKey ? HD_KIND_DELTA : HD_KIND_GAUGE,
	};
	for (size_t i = 0; i < G_N_ELEMENTS(meanings); i++) {
		if (!g_str_has_prefix(begin, meanings[i].begin))
			continue;
		column->column.unit = meanings[i].unit;
		column->column.grouping = meanings[i].grouping;
		return;
	}
}

/* The name of a unit, to be freed; NULL: it has none that can be recorded. */
static char *nodeColumnsUnitOf(const json_t *object, const char *key)
{
	const json_t *unit = json_object_get(object, key);
	const char *text = json_string_value(unit);

	if (json_is_integer(unit))
		return g_strdup_printf("%" JSON_INTEGER_FORMAT,
				       json_integer_value(unit));
	if (!text || !*text || strlen(text) > UNIT_MAX)
		return NULL;
	for (const char *at = text; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			return NULL;
	return g_strdup(text);
}

static bool nodeColumnsIsKnown(const struct nodeColumns *columns,
			       const struct nodePlace *place, const char *unit)
{
	for (size_t i = columns->count; i-- > 0;)
		if (columns->list[i].place == place)
			if (strcmp(columns->list[i].unit, unit) == 0)
				return true;
	return false;
}

static void addUnits(struct nodeColumns *columns, const struct nodePlace *place,
		     const json_t *list)
{
	const json_t *object;
	size_t i;

	json_array_foreach((json_t *)list, i, object)
	{
		char *unit = nodeColumnsUnitOf(object, place->unit);

		if (unit && json_object_get(object, place->key) &&
		    !nodeColumnsIsKnown(columns, place, unit)) {
			size_t before = columns->count;

			nodeColumnsAddColumn(columns, place, place->prefix,
					     unit);
			if (columns->count > before)
				columns->list[before].at = i;
		}
		g_free(unit);
	}
}

void nodeColumnsFind(struct nodeColumns *columns, const json_t *status)
{
	/* What is of the whole node has room in any case. */
	nodeColumnsAddColumn(columns, NULL, CPU_TOTAL, "");
	for (size_t i = 0; i < G_N_ELEMENTS(loads); i++)
		nodeColumnsAddColumn(columns, NULL, loads[i], "");
	for (const struct nodePlace *place = nodePlaces; place->prefix; place++)
		if (!place->unit &&
		    json_object_get(json_object_get(status, place->section),
				    place->key))
			nodeColumnsAddColumn(columns, place, place->prefix, "");
	for (const struct nodePlace *place = nodePlaces; place->prefix; place++)
		if (place->unit)
			addUnits(columns, place,
				 json_object_get(status, place->section));
}

/* ---- Reading ------------------------------------------------------------- */

static double nodeColumnsNumberOf(const json_t *number)
{
	return json_is_number(number) ? json_number_value(number) : NAN;
}

static bool isUnit(const json_t *object, const struct nodeColumn *column)
{
	char *unit = nodeColumnsUnitOf(object, column->place->unit);
	bool is = unit && strcmp(unit, column->unit) == 0;

	g_free(unit);
	return is;
}

static const json_t *nodeColumnsUnitObject(struct nodeColumn *column,
					   const json_t *list)
{
	const json_t *object = json_array_get(list, column->at);
	size_t i;

	if (isUnit(object, column))
		return object;
	json_array_foreach((json_t *)list, i, object)
	{
		if (!isUnit(object, column))
			continue;
		column->at = i;
		return object;
	}
	return NULL;
}

/* What is not at a place of its own. */
static double otherNumber(const char *name, const json_t *status)
{
	const json_t *cpu = json_object_get(status, "cpu");

	for (size_t i = 0; i < G_N_ELEMENTS(loads); i++)
		if (strcmp(name, loads[i]) == 0)
			return nodeColumnsNumberOf(json_array_get(
				json_object_get(status, "load"), i));
	return nodeColumnsNumberOf(json_object_get(cpu, "user_percent")) +
	       nodeColumnsNumberOf(json_object_get(cpu, "nice_percent")) +
	       nodeColumnsNumberOf(json_object_get(cpu, "system_percent"));
}

void nodeColumnsRead(struct nodeColumns *columns, const json_t *status,
		     double lengthS, union hdCell *cells)
{
	for (size_t i = 0; i < columns->count; i++) {
		struct nodeColumn *column = &columns->list[i];
		const struct nodePlace *place = column->place;
		const json_t *object;

		if (!place) {
			cells[i].d = otherNumber(column->name, status);
			continue;
		}
		object = json_object_get(status, place->section);
		if (place->unit)
			object = nodeColumnsUnitObject(column, object);
		cells[i].d = nodeColumnsNumberOf(
			json_object_get(object, place->key));
		/* The node has divided an integer by its interval. */
		if (place->sumKey)
			cells[i].d = round(cells[i].d * lengthS);
	}
}

void nodeColumnsClear(struct nodeColumns *columns)
{
	for (size_t i = 0; i < columns->count; i++) {
		g_free(columns->list[i].name);
		g_free(columns->list[i].unit);
	}
	g_free(columns->list);
	*columns = (struct nodeColumns){ 0 };
}
