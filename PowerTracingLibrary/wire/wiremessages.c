/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The messages as lists of fields; see net/fields.h and, for their order,
 * doc/format/power-service.md. */
#include "config.h"

#include "PowerTracingLibrary/wire/wire.h"

#define RANGED(kind, message, member, range) \
	HD_FIELD_OF(kind, struct ptWire##message, message, member, range)
/* Any bits, and any text. */
#define FIELD(kind, message, member) RANGED(kind, message, member, NULL)

/* ---- What only this protocol has --------------------------------------- */

static const struct hdFieldRange kindRange = { .max = PT_WIRE_RUNNING };
static const struct hdFieldRange whyLossRange = { .min = 1, .max = 2 };
static const struct hdFieldRange whatRange = { .min = 1, .max = 2 };
static const struct hdFieldRange whyEndRange = { .min = 1, .max = 4 };
static const struct hdFieldRange columnsRange = { .min = 1,
						  .max = PT_WIRE_COLUMNS_MAX };

/* ---- Parts of messages --------------------------------------------------- */

const struct hdField ptWireSelectionFields[] = {
	FIELD(TEXT, Selection, device),
	FIELD(TEXT, Selection, node),
	FIELD(TEXT, Selection, line),
	FIELD(TEXT, Selection, value),
	HD_FIELDS_END,
};

const struct hdField ptWireColumnTotalFields[] = {
	RANGED(I64, ColumnTotal, coveredNs, &hdFieldCovered),
	RANGED(F64, ColumnTotal, total, &hdFieldTotal),
	RANGED(F64, ColumnTotal, min, &hdFieldValue),
	RANGED(F64, ColumnTotal, max, &hdFieldValue),
	HD_FIELDS_END,
};

#define ARRAY(kind, member, range)                                           \
	{                                                                    \
		HD_FIELD_##kind, offsetof(struct ptWireView, member), range, \
			"Data." #member                                      \
	}

/* The arrays of a PT_WIRE_DATA, in the order of struct ptWireView. */
const struct hdField ptWireArrayFields[] = {
	ARRAY(I64, wall, &hdFieldWall),
	ARRAY(I64, mono, &hdFieldMono),
	ARRAY(I64, length, &hdFieldLength),
	ARRAY(U32, lost, NULL),
	ARRAY(U32, marks, NULL),
	ARRAY(F64, values, &hdFieldValue),
	HD_FIELDS_END,
};

/* ---- Messages ---------------------------------------------------------- */

static const struct hdField nothing[] = { HD_FIELDS_END };

static const struct hdField device[] = {
	FIELD(U16, Device, device),
	RANGED(TEXT, Device, name, &hdFieldName),
	RANGED(TEXT, Device, driver, &hdFieldName),
	FIELD(TEXT, Device, description),
	RANGED(I64, Device, intervalNs, &hdFieldInterval),
	RANGED(U8, Device, timedByMeter, &hdFieldYes),
	RANGED(U8, Device, isUp, &hdFieldYes),
	RANGED(U64, Device, readings, &hdFieldCount),
	RANGED(U64, Device, lost, &hdFieldCount),
	RANGED(U64, Device, errors, &hdFieldCount),
	RANGED(U64, Device, reconnects, &hdFieldCount),
	RANGED(U64, Device, late, &hdFieldCount),
	RANGED(I64, Device, lastWall, &hdFieldWall),
	HD_FIELDS_END,
};

static const struct hdField line[] = {
	FIELD(U16, Line, device),
	FIELD(U16, Line, line),
	RANGED(TEXT, Line, name, &hdFieldName),
	RANGED(TEXT, Line, node, &hdFieldName),
	FIELD(TEXT, Line, channel),
	FIELD(TEXT, Line, description),
	RANGED(F64, Line, voltage, &hdFieldValue),
	FIELD(U8, Line, flags),
	HD_FIELDS_END,
};

static const struct hdField value[] = {
	FIELD(U16, Value, device),
	FIELD(U16, Value, line),
	RANGED(TEXT, Value, name, &hdFieldName),
	FIELD(TEXT, Value, unit),
	FIELD(TEXT, Value, grouping),
	RANGED(U8, Value, kind, &kindRange),
	FIELD(U8, Value, flags),
	FIELD(TEXT, Value, source),
	FIELD(TEXT, Value, resolution),
	HD_FIELDS_END,
};

static const struct hdField listEnd[] = {
	FIELD(U16, ListEnd, devices),
	FIELD(U16, ListEnd, reserved),
	HD_FIELDS_END,
};

static const struct hdField openFields[] = {
	FIELD(U32, Open, flags),
	RANGED(F64, Open, frequency, &hdFieldRate),
	FIELD(U32, Open, delayMs),
	FIELD(U16, Open, count),
	FIELD(REST, Open, selections),
	HD_FIELDS_END,
};

static const struct hdField opened[] = {
	FIELD(U32, Opened, stream),
	RANGED(U16, Opened, groups, &hdFieldSome),
	RANGED(U16, Opened, columns, &hdFieldSome),
	HD_FIELDS_END,
};

static const struct hdField group[] = {
	FIELD(U32, Group, stream),
	FIELD(U16, Group, group),
	RANGED(U16, Group, columns, &columnsRange),
	RANGED(TEXT, Group, device, &hdFieldName),
	RANGED(U32, Group, every, &hdFieldSome),
	RANGED(I64, Group, intervalNs, &hdFieldInterval),
	HD_FIELDS_END,
};

static const struct hdField column[] = {
	FIELD(U32, Column, stream),
	FIELD(U16, Column, group),
	FIELD(U16, Column, column),
	RANGED(TEXT, Column, node, &hdFieldName),
	FIELD(TEXT, Column, line),
	RANGED(U16, Column, lines, &hdFieldSome),
	RANGED(TEXT, Column, value, &hdFieldName),
	FIELD(TEXT, Column, unit),
	FIELD(TEXT, Column, grouping),
	RANGED(U8, Column, kind, &kindRange),
	FIELD(U8, Column, flags),
	FIELD(TEXT, Column, source),
	FIELD(TEXT, Column, resolution),
	HD_FIELDS_END,
};

static const struct hdField stream[] = {
	FIELD(U32, Stream, stream),
	HD_FIELDS_END,
};

static const struct hdField moment[] = {
	FIELD(U32, Moment, stream),
	RANGED(I64, Moment, wall, &hdFieldWall),
	RANGED(I64, Moment, mono, &hdFieldMono),
	HD_FIELDS_END,
};

static const struct hdField data[] = {
	FIELD(U32, Data, stream),
	FIELD(U16, Data, group),
	RANGED(U16, Data, columns, &columnsRange),
	RANGED(U32, Data, count, &hdFieldSome),
	FIELD(U32, Data, reserved),
	FIELD(REST, Data, arrays),
	HD_FIELDS_END,
};

static const struct hdField loss[] = {
	FIELD(U32, Loss, stream),
	FIELD(U16, Loss, group),
	RANGED(U16, Loss, why, &whyLossRange),
	RANGED(U64, Loss, readings, &hdFieldCount),
	RANGED(I64, Loss, fromWall, &hdFieldWall),
	RANGED(I64, Loss, toWall, &hdFieldWall),
	HD_FIELDS_END,
};

static const struct hdField event[] = {
	FIELD(U32, Event, stream),
	FIELD(U16, Event, group),
	RANGED(U16, Event, what, &whatRange),
	RANGED(I64, Event, wall, &hdFieldWall),
	RANGED(I64, Event, mono, &hdFieldMono),
	HD_FIELDS_END,
};

static const struct hdField total[] = {
	FIELD(U32, Total, stream),
	FIELD(U16, Total, group),
	RANGED(U16, Total, columns, &columnsRange),
	RANGED(U64, Total, readings, &hdFieldCount),
	RANGED(U64, Total, lost, &hdFieldCount),
	RANGED(U64, Total, dropped, &hdFieldCount),
	RANGED(I64, Total, coveredNs, &hdFieldCovered),
	FIELD(REST, Total, totals),
	HD_FIELDS_END,
};

static const struct hdField end[] = {
	FIELD(U32, End, stream),
	RANGED(U16, End, why, &whyEndRange),
	RANGED(I64, End, wall, &hdFieldWall),
	RANGED(I64, End, mono, &hdFieldMono),
	HD_FIELDS_END,
};

static const struct {
	enum ptWireType type;
	const struct hdField *fields;
} messages[] = {
	{ PT_WIRE_LIST, nothing },     { PT_WIRE_OPEN, openFields },
	{ PT_WIRE_START, stream },     { PT_WIRE_STOP, stream },
	{ PT_WIRE_CLOSE, stream },     { PT_WIRE_DEVICE, device },
	{ PT_WIRE_LINE, line },        { PT_WIRE_VALUE, value },
	{ PT_WIRE_LIST_END, listEnd }, { PT_WIRE_OPENED, opened },
	{ PT_WIRE_GROUP, group },      { PT_WIRE_COLUMN, column },
	{ PT_WIRE_STARTED, moment },   { PT_WIRE_STOPPED, moment },
	{ PT_WIRE_CLOSED, stream },    { PT_WIRE_DATA, data },
	{ PT_WIRE_LOSS, loss },        { PT_WIRE_EVENT, event },
	{ PT_WIRE_TOTAL, total },      { PT_WIRE_END, end },
};

const struct hdField *ptWireFieldsOf(unsigned int type)
{
	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++)
		if ((unsigned int)messages[i].type == type)
			return messages[i].fields;
	return hdFrameFieldsOf(type);
}
