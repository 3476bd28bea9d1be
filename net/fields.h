/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Messages as lists of fields, so that reading and writing them cannot
 * disagree.
 */
#ifndef HD_FIELDS_H
#define HD_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Bytes of a text at most. */
#define HD_FIELD_TEXT_MAX 255

/** A text; it does not end with a zero. */
struct hdFieldText {
	const char *at;
	size_t length;
};

/** What is behind the fields that have a place of their own. */
struct hdFieldRest {
	const unsigned char *at;
	size_t length;
};

/** A text of a string; NULL is empty. */
struct hdFieldText hdFieldTextOf(const char *string);

/** Whether a text is that of a string. */
bool hdFieldTextIs(struct hdFieldText text, const char *string);

/**
 * Copy a text into a string.
 *
 * @retval false It was cut off.
 */
bool hdFieldTextCopy(struct hdFieldText text, char *string, size_t size);

enum hdFieldType {
	HD_FIELD_END,
	HD_FIELD_U8,
	HD_FIELD_U16,
	HD_FIELD_U32,
	HD_FIELD_U64, /**< And i64, f64: 8 bytes as they are. */
	HD_FIELD_TEXT,
	HD_FIELD_BYTES32,
	HD_FIELD_REST,
};

/** A field: what it is, and where in the struct. */
struct hdField {
	enum hdFieldType type;
	size_t offset;
};

/**
 * Write fields.
 *
 * @return Bytes written.
 * @retval -ENOSPC They do not fit.
 */
int hdFieldsPut(const struct hdField *fields, const void *message,
		unsigned char *bytes, size_t size);

/**
 * Read fields, and go behind them.
 *
 * @retval -EBADMSG There is less, or a text that is not one.
 */
int hdFieldsGet(const struct hdField *fields, struct hdFieldRest *rest,
		void *message);

#endif
