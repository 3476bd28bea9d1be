/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The protocol of the power service in bytes; both sides use it.
 *
 * doc/format/power-service.md specifies every message and field; the structs
 * here have them in its order. Nothing allocates: a message is encoded into the
 * caller's memory, and a decoded one points into the bytes that were received.
 *
 * A client, without its errors:
 *
 *     hdFrameEncodeHello(PT_WIRE_MAGIC, &hello, buffer);
 *     ...                          send; receive 64 bytes
 *     hdFrameDecodeGreeting(PT_WIRE_MAGIC, buffer, &greeting);
 *     size = ptWireEncode(PT_WIRE_START, 1, &start, buffer, sizeof(buffer));
 *     ...                          send; receive 8 bytes, then header.length
 *     hdFrameDecodeHeader(buffer, &header);
 *     ptWireDecode(header.type, payload, header.length, &message);
 *
 * Our protocol has its messages as lists of fields (wire/wiremessages.c),
 * and a SHA-256 of its own: a client must be able to prove who it is in any
 * build. TLS is GnuTLS'; a proof is bound to the TLS connection that it is
 * made in.
 */
#ifndef PT_WIRE_H
#define PT_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/authenticate.h"
#include "net/fields.h"
#include "net/frames.h"

/** The first bytes of both sides. */
#define PT_WIRE_MAGIC "\x89HDP"
/** The version that is spoken here. */
#define PT_WIRE_VERSION 1
/** Selections of an OPEN, and columns of a group, at most. */
#define PT_WIRE_SELECTIONS_MAX 256
#define PT_WIRE_COLUMNS_MAX 1024
/** What proofs begin with, and what TLS exports to bind them. */
extern const struct hdAuthentication ptWireAuthentication;

/** Types of frames. */
enum ptWireType {
	/* Requests. */
	PT_WIRE_AUTHENTICATE = HD_FRAME_AUTHENTICATE,
	PT_WIRE_PING = HD_FRAME_PING,
	PT_WIRE_LIST = 3,
	PT_WIRE_OPEN = 4,
	PT_WIRE_START = 5,
	PT_WIRE_STOP = 6,
	PT_WIRE_CLOSE = 7,
	/* Answers. */
	PT_WIRE_AUTHENTICATED = HD_FRAME_AUTHENTICATED,
	PT_WIRE_PONG = HD_FRAME_PONG,
	PT_WIRE_DEVICE = 259,
	PT_WIRE_LINE = 260,
	PT_WIRE_VALUE = 261,
	PT_WIRE_LIST_END = 262,
	PT_WIRE_OPENED = 263,
	PT_WIRE_GROUP = 264,
	PT_WIRE_COLUMN = 265,
	PT_WIRE_STARTED = 266,
	PT_WIRE_STOPPED = 267,
	PT_WIRE_CLOSED = 268,
	PT_WIRE_ERROR = HD_FRAME_ERROR,
	/* What comes by itself. */
	PT_WIRE_DATA = 272,
	PT_WIRE_LOSS = 273,
	PT_WIRE_EVENT = 274,
	PT_WIRE_TOTAL = 275,
	PT_WIRE_END = 276,
};

/** How the readings of a value become one. */
enum ptWireKind {
	PT_WIRE_MEAN = 0,    /**< W, V, A: weighted mean. */
	PT_WIRE_AMOUNT = 1,  /**< J in the interval: sum. */
	PT_WIRE_RUNNING = 2, /**< A count that goes on: the last. */
};

/* Bits of flags. */
#define PT_WIRE_KEEP 1U      /**< Of OPEN: send after the stop. */
#define PT_WIRE_LINES 2U     /**< Of OPEN: no sums. */
#define PT_WIRE_SUMMED 1U    /**< Of LINE. */
#define PT_WIRE_SIMULATED 1U /**< Of VALUE and COLUMN. */
#define PT_WIRE_GAP 1U       /**< Of the marks of a reading. */

/** PT_WIRE_DEVICE */
struct ptWireDevice {
	uint16_t device;
	struct hdFieldText name;
	struct hdFieldText driver;
	struct hdFieldText description;
	int64_t intervalNs;
	uint8_t timedByMeter;
	uint8_t isUp;
	uint64_t readings;
	uint64_t lost;
	uint64_t errors;
	uint64_t reconnects;
	uint64_t late;
	int64_t lastWall;
};

/** PT_WIRE_LINE */
struct ptWireLine {
	uint16_t device;
	uint16_t line;
	struct hdFieldText name;
	struct hdFieldText node;
	struct hdFieldText channel;
	struct hdFieldText description;
	double voltage;
	uint8_t flags;
};

/** PT_WIRE_VALUE */
struct ptWireValue {
	uint16_t device;
	uint16_t line;
	struct hdFieldText name;
	struct hdFieldText unit;
	struct hdFieldText grouping;
	uint8_t kind;
	uint8_t flags;
	struct hdFieldText source;
	struct hdFieldText resolution;
};

/** PT_WIRE_LIST_END */
struct ptWireListEnd {
	uint16_t devices;
	uint16_t reserved;
};

/** PT_WIRE_OPEN; ptWireGetSelection() reads the rest. */
struct ptWireOpen {
	uint32_t flags;
	double frequency;
	uint32_t delayMs;
	uint16_t count;
	struct hdFieldRest selections;
};

/** What is wanted. */
struct ptWireSelection {
	struct hdFieldText device;
	struct hdFieldText node;
	struct hdFieldText line;
	struct hdFieldText value;
};

/** PT_WIRE_OPENED */
struct ptWireOpened {
	uint32_t stream;
	uint16_t groups;
	uint16_t columns;
};

/** PT_WIRE_GROUP */
struct ptWireGroup {
	uint32_t stream;
	uint16_t group;
	uint16_t columns;
	struct hdFieldText device;
	uint32_t every;
	int64_t intervalNs;
};

/** PT_WIRE_COLUMN */
struct ptWireColumn {
	uint32_t stream;
	uint16_t group;
	uint16_t column;
	struct hdFieldText node;
	struct hdFieldText line;
	uint16_t lines;
	struct hdFieldText value;
	struct hdFieldText unit;
	struct hdFieldText grouping;
	uint8_t kind;
	uint8_t flags;
	struct hdFieldText source;
	struct hdFieldText resolution;
};

/** PT_WIRE_START, PT_WIRE_STOP, PT_WIRE_CLOSE, PT_WIRE_CLOSED */
struct ptWireStream {
	uint32_t stream;
};

/** PT_WIRE_STARTED, PT_WIRE_STOPPED */
struct ptWireMoment {
	uint32_t stream;
	int64_t wall;
	int64_t mono;
};

/** PT_WIRE_DATA; ptWireViewData() finds the arrays in the rest. */
struct ptWireData {
	uint32_t stream;
	uint16_t group;
	uint16_t columns;
	uint32_t count;
	uint32_t reserved;
	struct hdFieldRest arrays;
};

/** Where the arrays of a PT_WIRE_DATA are; ptWireGet64() and ptWireGet32() read
 * them. */
struct ptWireView {
	const unsigned char *wall;
	const unsigned char *mono;
	const unsigned char *length;
	const unsigned char *lost;
	const unsigned char *marks;
	const unsigned char *values; /**< Column by column. */
};

/** PT_WIRE_LOSS */
struct ptWireLoss {
	uint32_t stream;
	uint16_t group;
	uint16_t why; /**< 1 the client's limit, 2 the service's. */
	uint64_t readings;
	int64_t fromWall;
	int64_t toWall;
};

/** PT_WIRE_EVENT */
struct ptWireEvent {
	uint32_t stream;
	uint16_t group;
	uint16_t what; /**< 1 the device is lost, 2 it is back. */
	int64_t wall;
	int64_t mono;
};

/** PT_WIRE_TOTAL; ptWireGetColumnTotal() reads the rest. */
struct ptWireTotal {
	uint32_t stream;
	uint16_t group;
	uint16_t columns;
	uint64_t readings;
	uint64_t lost;
	uint64_t dropped;
	int64_t coveredNs;
	struct hdFieldRest totals;
};

/** What a total says of a column. */
struct ptWireColumnTotal {
	int64_t coveredNs;
	double total;
	double min;
	double max;
};

/** Bytes of a struct ptWireColumnTotal. */
#define PT_WIRE_COLUMN_TOTAL_SIZE 32

/** PT_WIRE_END */
struct ptWireEnd {
	uint32_t stream;
	uint16_t why; /**< 1 stop, 2 service, 3 device or access, 4 memory. */
	int64_t wall;
	int64_t mono;
};

/** Any message that a server sends. */
union ptWireAnswer {
	struct hdFrameAuthenticated authenticated;
	struct hdFramePong pong;
	struct ptWireDevice device;
	struct ptWireLine line;
	struct ptWireValue value;
	struct ptWireListEnd listEnd;
	struct ptWireOpened opened;
	struct ptWireGroup group;
	struct ptWireColumn column;
	struct ptWireMoment moment;
	struct ptWireStream stream;
	struct hdFrameFailure failure;
	struct ptWireData data;
	struct ptWireLoss loss;
	struct ptWireEvent event;
	struct ptWireTotal total;
	struct ptWireEnd end;
};

/**
 * Write a frame. Texts that are too long are cut off, and what must not be in
 * them becomes a question mark.
 *
 * @param message The struct of this type; NULL for PT_WIRE_LIST.
 * @param[out] fault Why it cannot be sent, if that is for what is in it; else
 *        empty. Takes NULL.
 *
 * @return Its size with the header; 0 if it does not fit, there is no such
 *         type, or a field is out of its range.
 */
size_t ptWireEncode(enum ptWireType type, uint16_t tag, const void *message,
		    unsigned char *bytes, size_t size,
		    struct hdFieldFault *fault);

/**
 * Read a payload: all of it but the selections of PT_WIRE_OPEN.
 *
 * @param[out] message The struct of this type; texts point into @p payload.
 *
 * @retval -EBADMSG It is too short, has a text that is not one, or a field that
 *         is out of its range; also in the arrays of PT_WIRE_DATA and
 *         PT_WIRE_TOTAL.
 * @retval -ENOENT There is no such type.
 */
int ptWireDecode(unsigned int type, const unsigned char *payload, size_t length,
		 void *message, struct hdFieldFault *fault);

/**
 * Write a selection of PT_WIRE_OPEN.
 *
 * @return Its size, or 0 if it does not fit.
 */
size_t ptWirePutSelection(const struct ptWireSelection *selection,
			  unsigned char *bytes, size_t size);

/**
 * Read the next selection of PT_WIRE_OPEN, and go behind it.
 *
 * @retval -EBADMSG As of ptWireDecode().
 */
int ptWireGetSelection(struct hdFieldRest *rest,
		       struct ptWireSelection *selection,
		       struct hdFieldFault *fault);

/** Write the total of a column. */
void ptWirePutColumnTotal(const struct ptWireColumnTotal *total,
			  unsigned char bytes[PT_WIRE_COLUMN_TOTAL_SIZE]);

/** Read the next total of a column, and go behind it; as above. */
int ptWireGetColumnTotal(struct hdFieldRest *rest,
			 struct ptWireColumnTotal *total);

/** Size of the payload of PT_WIRE_DATA. */
size_t ptWireDataSize(size_t count, size_t columns);

/**
 * Find the arrays of PT_WIRE_DATA, at the sender in memory for
 * ptWireDataSize() less the size of the fields, at the receiver in what came.
 *
 * @retval -EBADMSG There is less than the fields say, or no reading.
 */
int ptWireViewData(const struct ptWireData *data, struct ptWireView *view);

/** Read number @p index of an array of 64 bit. */
uint64_t ptWireGet64(const unsigned char *array, size_t index);

/** Read number @p index of an array of 32 bit. */
uint32_t ptWireGet32(const unsigned char *array, size_t index);

/** Read number @p index of an array of doubles. */
double ptWireGetDouble(const unsigned char *array, size_t index);

/** Write many numbers of 64 bit: integers or doubles. */
void ptWirePut64(unsigned char *array, const void *numbers, size_t count);

/** Write many numbers of 32 bit: integers or floats. */
void ptWirePut32(unsigned char *array, const void *numbers, size_t count);

extern const struct hdField ptWireSelectionFields[];
extern const struct hdField ptWireColumnTotalFields[];
extern const struct hdField ptWireArrayFields[];

/** Find the fields of a type of frame, or return NULL. */
const struct hdField *ptWireFieldsOf(unsigned int type);

#endif
