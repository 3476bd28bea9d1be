/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Messages as lists of fields, so that reading and writing them cannot
 * disagree; and what may be in a field.
 *
 * Every number and text that comes from the network is compared with the range
 * of its field here, and nowhere else: whoever gets a message may add its times
 * and use its names without another look. What is sent is compared, too.
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
	HD_FIELD_U64,
	HD_FIELD_I32,
	HD_FIELD_I64,
	HD_FIELD_F32,
	HD_FIELD_F64,
	HD_FIELD_TEXT,
	HD_FIELD_BYTES32,
	HD_FIELD_REST,
};

/** What may be in a field. */
struct hdFieldRange {
	int64_t min, max; /**< Of integers; of a text how many bytes. */
	double magnitude; /**< Of an F32 or F64, whatever its sign is. */
	bool canBeNan;    /**< Which stands for none. */
	bool isSigned;    /**< An F32 or F64 may be below 0. */
};

/** A text that is not empty. */
extern const struct hdFieldRange hdFieldName;
/** 0 or 1. */
extern const struct hdFieldRange hdFieldYes;
/** 1 or more. */
extern const struct hdFieldRange hdFieldSome;
/** What has happened so often, up to 2^53: a double can have all of these. */
extern const struct hdFieldRange hdFieldCount;
/** Nanoseconds since 1970, up to 2106. */
extern const struct hdFieldRange hdFieldWall;
/** Nanoseconds from any start, up to 2^62 before and behind it: the difference
 * of two, or of one and a wall time, has 64 bits. */
extern const struct hdFieldRange hdFieldMono;
/** Nanoseconds that something lasts: up to ten years, of HD_FIELD_NS_MAX. */
extern const struct hdFieldRange hdFieldLength;
/** The same, and at least one: from one reading to the next. */
extern const struct hdFieldRange hdFieldInterval;
/** Nanoseconds that readings cover: all of the time that there is at most. */
extern const struct hdFieldRange hdFieldCovered;
/** What is measured: up to HD_FIELD_VALUE_MAX, or NaN. */
extern const struct hdFieldRange hdFieldValue;
/** A sum or an integral of such values, or NaN. */
extern const struct hdFieldRange hdFieldTotal;
/** Hertz: 0 to 10^9. */
extern const struct hdFieldRange hdFieldRate;

/** Ten years. */
#define HD_FIELD_NS_MAX (INT64_C(3653) * 86400 * 1000000000)
/** No quantity is larger, in whatever unit. */
#define HD_FIELD_VALUE_MAX 1e30

/** A field: what it is, where in the struct, and what may be in it. */
struct hdField {
	enum hdFieldType type;
	size_t offset;
	const struct hdFieldRange *range; /**< NULL: any bits, or any text. */
	const char *name;                 /**< For messages. */
};

/** A field that is a member of a struct; messages name it MESSAGE.MEMBER. */
#define HD_FIELD_OF(kind, structure, message, member, range)         \
	{                                                            \
		HD_FIELD_##kind, offsetof(structure, member), range, \
			#message "." #member                         \
	}
/** The end of a list of fields. */
#define HD_FIELDS_END                       \
	{                                   \
		HD_FIELD_END, 0, NULL, NULL \
	}

/** What is wrong with a message, for people: "Pong.wall is -1, below 0". */
struct hdFieldFault {
	char text[120];
};

/**
 * Write fields.
 *
 * @param[out] fault What is wrong if -EBADMSG is returned; takes NULL.
 *
 * @return Bytes written.
 * @retval -ENOSPC They do not fit.
 * @retval -EBADMSG One is out of its range.
 */
int hdFieldsPut(const struct hdField *fields, const void *message,
		unsigned char *bytes, size_t size, struct hdFieldFault *fault);

/**
 * Read fields, and go behind them.
 *
 * @param[out] fault What is wrong if -EBADMSG is returned; takes NULL.
 *
 * @retval -EBADMSG There is less, a text that is not one, or one is out of its
 *         range.
 */
int hdFieldsGet(const struct hdField *fields, struct hdFieldRest *rest,
		void *message, struct hdFieldFault *fault);

/**
 * Look at numbers of 4 or 8 bytes, one behind the other as they are sent.
 *
 * @param field Its offset does not matter.
 *
 * @retval -EBADMSG One is out of its range.
 */
int hdFieldsCheck(const struct hdField *field, const unsigned char *array,
		  size_t count, struct hdFieldFault *fault);

/**
 * Look at a text that is not in the form of hdFieldsGet(), and may be in any
 * encoding: how long it is, and that none of its bytes controls.
 *
 * @retval -EBADMSG It is out of its range.
 */
int hdFieldsCheckText(const struct hdField *field, const unsigned char *bytes,
		      size_t length, struct hdFieldFault *fault);

/** Get a value that can be sent: NaN for one that is out of hdFieldValue. */
double hdFieldValueOf(double value);

#endif
