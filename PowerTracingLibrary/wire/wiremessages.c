/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The messages as lists of fields; see net/fields.h and, for their order,
 * doc/format/power-service.md. */
#include "config.h"

#include "PowerTracingLibrary/wire/wire.h"

#define FIELD(kind, message, member)                                      \
	{                                                                 \
		HD_FIELD_##kind, offsetof(struct ptWire##message, member) \
	}
#define END                     \
	{                       \
		HD_FIELD_END, 0 \
	}

const struct hdField ptWireHelloFields[] = {
	FIELD(U16, Hello, lowest),
	FIELD(U16, Hello, highest),
	FIELD(U32, Hello, flags),
	FIELD(U32, Hello, payloadMax),
	END,
};

const struct hdField ptWireGreetingFields[] = {
	FIELD(U16, Greeting, version),   FIELD(U16, Greeting, mustAuthenticate),
	FIELD(U32, Greeting, flags),     FIELD(U32, Greeting, payloadMax),
	FIELD(U64, Greeting, wall),      FIELD(U64, Greeting, mono),
	FIELD(BYTES32, Greeting, nonce), END,
};

const struct hdField ptWireHeaderFields[] = {
	FIELD(U32, Header, length),
	FIELD(U16, Header, type),
	FIELD(U16, Header, tag),
	END,
};

const struct hdField ptWireSelectionFields[] = {
	FIELD(TEXT, Selection, device),
	FIELD(TEXT, Selection, node),
	FIELD(TEXT, Selection, line),
	FIELD(TEXT, Selection, value),
	END,
};

const struct hdField ptWireColumnTotalFields[] = {
	FIELD(U64, ColumnTotal, coveredNs),
	FIELD(U64, ColumnTotal, total),
	FIELD(U64, ColumnTotal, min),
	FIELD(U64, ColumnTotal, max),
	END,
};

static const struct hdField nothing[] = { END };

static const struct hdField authenticate[] = {
	FIELD(TEXT, Authenticate, user),
	FIELD(BYTES32, Authenticate, nonce),
	FIELD(BYTES32, Authenticate, proof),
	END,
};

static const struct hdField authenticated[] = {
	FIELD(TEXT, Authenticated, user),
	FIELD(BYTES32, Authenticated, proof),
	END,
};

static const struct hdField ping[] = {
	FIELD(U64, Ping, content),
	END,
};

static const struct hdField pong[] = {
	FIELD(U64, Pong, content),
	FIELD(U64, Pong, wall),
	FIELD(U64, Pong, mono),
	END,
};

static const struct hdField device[] = {
	FIELD(U16, Device, device),     FIELD(TEXT, Device, name),
	FIELD(TEXT, Device, driver),    FIELD(TEXT, Device, description),
	FIELD(U64, Device, intervalNs), FIELD(U8, Device, timedByMeter),
	FIELD(U8, Device, isUp),        FIELD(U64, Device, readings),
	FIELD(U64, Device, lost),       FIELD(U64, Device, errors),
	FIELD(U64, Device, reconnects), FIELD(U64, Device, late),
	FIELD(U64, Device, lastWall),   END,
};

static const struct hdField line[] = {
	FIELD(U16, Line, device),
	FIELD(U16, Line, line),
	FIELD(TEXT, Line, name),
	FIELD(TEXT, Line, node),
	FIELD(TEXT, Line, channel),
	FIELD(TEXT, Line, description),
	FIELD(U64, Line, voltage),
	FIELD(U8, Line, flags),
	END,
};

static const struct hdField value[] = {
	FIELD(U16, Value, device),      FIELD(U16, Value, line),
	FIELD(TEXT, Value, name),       FIELD(TEXT, Value, unit),
	FIELD(TEXT, Value, grouping),   FIELD(U8, Value, kind),
	FIELD(U8, Value, flags),        FIELD(TEXT, Value, source),
	FIELD(TEXT, Value, resolution), END,
};

static const struct hdField listEnd[] = {
	FIELD(U16, ListEnd, devices),
	FIELD(U16, ListEnd, reserved),
	END,
};

static const struct hdField open[] = {
	FIELD(U32, Open, flags),       FIELD(U64, Open, frequency),
	FIELD(U32, Open, delayMs),     FIELD(U16, Open, count),
	FIELD(REST, Open, selections), END,
};

static const struct hdField opened[] = {
	FIELD(U32, Opened, stream),
	FIELD(U16, Opened, groups),
	FIELD(U16, Opened, columns),
	END,
};

static const struct hdField group[] = {
	FIELD(U32, Group, stream),
	FIELD(U16, Group, group),
	FIELD(U16, Group, columns),
	FIELD(TEXT, Group, device),
	FIELD(U32, Group, every),
	FIELD(U64, Group, intervalNs),
	END,
};

static const struct hdField column[] = {
	FIELD(U32, Column, stream),      FIELD(U16, Column, group),
	FIELD(U16, Column, column),      FIELD(TEXT, Column, node),
	FIELD(TEXT, Column, line),       FIELD(U16, Column, lines),
	FIELD(TEXT, Column, value),      FIELD(TEXT, Column, unit),
	FIELD(TEXT, Column, grouping),   FIELD(U8, Column, kind),
	FIELD(U8, Column, flags),        FIELD(TEXT, Column, source),
	FIELD(TEXT, Column, resolution), END,
};

static const struct hdField stream[] = {
	FIELD(U32, Stream, stream),
	END,
};

static const struct hdField moment[] = {
	FIELD(U32, Moment, stream),
	FIELD(U64, Moment, wall),
	FIELD(U64, Moment, mono),
	END,
};

static const struct hdField failure[] = {
	FIELD(U16, Failure, code),
	FIELD(TEXT, Failure, text),
	END,
};

static const struct hdField data[] = {
	FIELD(U32, Data, stream),
	FIELD(U16, Data, group),
	FIELD(U16, Data, columns),
	FIELD(U32, Data, count),
	FIELD(U32, Data, reserved),
	FIELD(REST, Data, arrays),
	END,
};

static const struct hdField loss[] = {
	FIELD(U32, Loss, stream),
	FIELD(U16, Loss, group),
	FIELD(U16, Loss, why),
	FIELD(U64, Loss, readings),
	FIELD(U64, Loss, fromWall),
	FIELD(U64, Loss, toWall),
	END,
};

static const struct hdField event[] = {
	FIELD(U32, Event, stream), FIELD(U16, Event, group),
	FIELD(U16, Event, what),   FIELD(U64, Event, wall),
	FIELD(U64, Event, mono),   END,
};

static const struct hdField total[] = {
	FIELD(U32, Total, stream),
	FIELD(U16, Total, group),
	FIELD(U16, Total, columns),
	FIELD(U64, Total, readings),
	FIELD(U64, Total, lost),
	FIELD(U64, Total, dropped),
	FIELD(U64, Total, coveredNs),
	FIELD(REST, Total, totals),
	END,
};

static const struct hdField end[] = {
	FIELD(U32, End, stream),
	FIELD(U16, End, why),
	FIELD(U64, End, wall),
	FIELD(U64, End, mono),
	END,
};

static const struct {
	enum ptWireType type;
	const struct hdField *fields;
} messages[] = {
	{ PT_WIRE_AUTHENTICATE, authenticate },
	{ PT_WIRE_PING, ping },
	{ PT_WIRE_LIST, nothing },
	{ PT_WIRE_OPEN, open },
	{ PT_WIRE_START, stream },
	{ PT_WIRE_STOP, stream },
	{ PT_WIRE_CLOSE, stream },
	{ PT_WIRE_AUTHENTICATED, authenticated },
	{ PT_WIRE_PONG, pong },
	{ PT_WIRE_DEVICE, device },
	{ PT_WIRE_LINE, line },
	{ PT_WIRE_VALUE, value },
	{ PT_WIRE_LIST_END, listEnd },
	{ PT_WIRE_OPENED, opened },
	{ PT_WIRE_GROUP, group },
	{ PT_WIRE_COLUMN, column },
	{ PT_WIRE_STARTED, moment },
	{ PT_WIRE_STOPPED, moment },
	{ PT_WIRE_CLOSED, stream },
	{ PT_WIRE_ERROR, failure },
	{ PT_WIRE_DATA, data },
	{ PT_WIRE_LOSS, loss },
	{ PT_WIRE_EVENT, event },
	{ PT_WIRE_TOTAL, total },
	{ PT_WIRE_END, end },
};

const struct hdField *ptWireFieldsOf(unsigned int type)
{
	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++)
		if ((unsigned int)messages[i].type == type)
			return messages[i].fields;
	return NULL;
}
