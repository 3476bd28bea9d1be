/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The messages as lists of fields, so that reading and writing them cannot
 * disagree.
 */
#ifndef PT_WIREFIELDS_H
#define PT_WIREFIELDS_H

#include "PowerTracingLibrary/wire/wire.h"

enum ptWireFieldType {
	PT_WIRE_FIELDS_END,
	PT_WIRE_U8,
	PT_WIRE_U16,
	PT_WIRE_U32,
	PT_WIRE_U64, /**< And i64, f64: 8 bytes as they are. */
	PT_WIRE_TEXT,
	PT_WIRE_BYTES32,
	PT_WIRE_REST,
};

/** A field: what it is, and where in the struct. */
struct ptWireField {
	enum ptWireFieldType type;
	size_t offset;
};

extern const struct ptWireField ptWireHelloFields[];
extern const struct ptWireField ptWireGreetingFields[];
extern const struct ptWireField ptWireHeaderFields[];
extern const struct ptWireField ptWireSelectionFields[];
extern const struct ptWireField ptWireColumnTotalFields[];

/** Find the fields of a type of frame, or return NULL. */
const struct ptWireField *ptWireFieldsOf(unsigned int type);

/**
 * Write fields.
 *
 * @return Bytes written.
 * @retval -ENOSPC They do not fit.
 */
int ptWirePutFields(const struct ptWireField *fields, const void *message,
		    unsigned char *bytes, size_t size);

/**
 * Read fields, and go behind them.
 *
 * @retval -EBADMSG There is less, or a text that is not one.
 */
int ptWireGetFields(const struct ptWireField *fields, struct ptWireRest *rest,
		    void *message);

#endif
