/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From a place to its caller; see framerules.h. */
/* process_vm_readv() is Linux's. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "config.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "MPITracingLibrary/src/sample/framerules.h"

/* Longer entries are not looked at. */
#define ENTRY_MAX 4096
/* Most are shorter. */
#define ENTRY_USUAL 256
/* Rows of a table that are read at once. */
#define ROWS_MAX 256
#define REMEMBERED_MAX 8

/* Numbers of registers (psABI, figure 3.36). */
enum { REGISTER_FP = 6, REGISTER_SP = 7, REGISTER_RETURN = 16 };

/* How pointers are written (LSB, table 10.5). */
enum {
	POINTER_ABSOLUTE = 0x00,
	POINTER_RELATIVE_U4 = 0x13,
	POINTER_RELATIVE_S4 = 0x1b,
	POINTER_RELATIVE_S8 = 0x1c,
	POINTER_NONE = 0xff
};

/* Instructions (DWARF 5, table 7.29). */
enum {
	CFA_ADVANCE = 1,
	CFA_OFFSET = 2,
	CFA_RESTORE = 3,
	CFA_NOP = 0x00,
	CFA_SET_LOCATION = 0x01,
	CFA_ADVANCE1 = 0x02,
	CFA_ADVANCE2 = 0x03,
	CFA_ADVANCE4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER = 0x0a,
	CFA_RESTORE_STATE = 0x0b,
	CFA_DEFINE = 0x0c,
	CFA_DEFINE_REGISTER = 0x0d,
	CFA_DEFINE_OFFSET = 0x0e,
	CFA_DEFINE_EXPRESSION = 0x0f,
	CFA_EXPRESSION = 0x10,
	CFA_OFFSET_SIGNED = 0x11,
	CFA_DEFINE_SIGNED = 0x12,
	CFA_DEFINE_OFFSET_SIGNED = 0x13,
	CFA_VALUE_OFFSET = 0x14,
	CFA_VALUE_OFFSET_SIGNED = 0x15,
	CFA_VALUE_EXPRESSION = 0x16,
	CFA_ARGUMENTS_SIZE = 0x2e,
};

/* Operations of expressions (DWARF 5, table 7.9). */
enum { OP_DEREF = 0x06, OP_REGISTER = 0x70 };

/* An entry that was copied from @p from. */
struct entryText {
	unsigned char bytes[ENTRY_MAX];
	size_t size;
	uintptr_t from;
};

/* A part of an entry that is read. */
struct entryCursor {
	const unsigned char *at, *end;
	bool isBad;
};

/* A row of the table of entries: both are counted from that table's header. */
struct tableRow {
	int32_t place, entry;
};

enum savedHow {
	SAVED_SAME,
	SAVED_AT_ADDRESS,
	SAVED_AT_FP,
	SAVED_NOT,
	SAVED_ELSE
};

struct savedRegister {
	enum savedHow how;
	int64_t offset;
};

/* A row of the table that the instructions make. */
struct frameRow {
	bool isExpression;
	uint64_t base; /* Register of the canonical frame address. */
	int64_t offset;
	struct entryCursor expression;
	struct savedRegister pointer, back;
};

struct frameProgram {
	struct frameRow row, initial, remembered[REMEMBERED_MAX];
	unsigned int count;
	uintptr_t location, place;
	uint64_t codeUnit;
	int64_t dataUnit;
	uint8_t pointerKind;
	bool hasSize;
};

/* ---- Reading ---------------------------------------------------------------
 */

/* Copy memory of this process, as much as there is: it may have gone. */
static size_t entryCopy(uintptr_t from, void *to, size_t size)
{
	struct iovec local = { to, size }, remote = { (void *)from, size };
	ssize_t got = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);

	return got > 0 ? (size_t)got : 0;
}

static uint64_t entryNumber(struct entryCursor *cursor, size_t size)
{
	uint64_t number = 0;

	if ((size_t)(cursor->end - cursor->at) < size) {
		cursor->isBad = true;
		cursor->at = cursor->end;
		return 0;
	}
	for (size_t i = 0; i < size; i++)
		number |= (uint64_t)cursor->at[i] << 8 * i;
	cursor->at += size;
	return number;
}

static uint64_t entryUleb(struct entryCursor *cursor)
{
	uint64_t number = 0, byte = 0x80;

	for (unsigned int shift = 0; byte & 0x80 && !cursor->isBad;
	     shift += 7) {
		byte = entryNumber(cursor, 1);
		if (shift < 64)
			number |= (byte & 0x7f) << shift;
	}
	return number;
}

static int64_t entrySleb(struct entryCursor *cursor)
{
	uint64_t number = 0, byte = 0x80;
	unsigned int shift = 0;

	for (; byte & 0x80 && !cursor->isBad; shift += 7) {
		byte = entryNumber(cursor, 1);
		if (shift < 64)
			number |= (byte & 0x7f) << shift;
	}
	if (byte & 0x40 && shift < 64)
		number |= ~UINT64_C(0) << shift;
	return (int64_t)number;
}

/* A part of so many bytes. */
static struct entryCursor entryPart(struct entryCursor *cursor, uint64_t size)
{
	struct entryCursor part = { cursor->at, cursor->at, false };

	if (size > (uint64_t)(cursor->end - cursor->at)) {
		cursor->isBad = true;
		return part;
	}
	cursor->at += size;
	part.end = cursor->at;
	return part;
}

static size_t entryPointerSize(uint8_t kind)
{
	switch (kind) {
	case POINTER_RELATIVE_U4:
	case POINTER_RELATIVE_S4:
		return 4;
	case POINTER_ABSOLUTE:
	case POINTER_RELATIVE_S8:
		return 8;
	default:
		return 0;
	}
}

static uintptr_t entryPointer(struct entryCursor *cursor,
			      const struct entryText *text, uint8_t kind)
{
	uintptr_t own = text->from + (uintptr_t)(cursor->at - text->bytes);
	size_t size = entryPointerSize(kind);
	uint64_t value = entryNumber(cursor, size);

	if (!size)
		cursor->isBad = true;
	if (kind == POINTER_RELATIVE_S4)
		value = (uint64_t)(int64_t)(int32_t)value;
	return kind == POINTER_ABSOLUTE ? value : own + value;
}

/* Copy an entry, which begins with its length: without that. */
static bool entryRead(uintptr_t at, struct entryText *text)
{
	uint32_t length;
	size_t got = entryCopy(at, text->bytes, ENTRY_USUAL);

	if (got < sizeof(length))
		return false;
	memcpy(&length, text->bytes, sizeof(length));
	if (length < 4 || length > sizeof(text->bytes))
		return false;
	text->from = at + sizeof(length);
	text->size = length;
	if (length > got - sizeof(length))
		return entryCopy(text->from, text->bytes, length) == length;
	memmove(text->bytes, text->bytes + sizeof(length), length);
	return true;
}

/* ---- Instructions ----------------------------------------------------------
 */

static struct savedRegister *rowRegister(struct frameRow *row, uint64_t number)
{
	if (number == REGISTER_FP)
		return &row->pointer;
	return number == REGISTER_RETURN ? &row->back : NULL;
}

static void rowSave(struct frameRow *row, uint64_t number, enum savedHow how,
		    int64_t offset)
{
	struct savedRegister *saved = rowRegister(row, number);

	if (saved)
		*saved = (struct savedRegister){ how, offset };
}

static void rowRestore(struct frameProgram *self, uint64_t number)
{
	struct savedRegister *saved = rowRegister(&self->row, number);

	if (saved)
		*saved = *rowRegister(&self->initial, number);
}

/* A register that an expression finds: breg6 N is at the frame pointer. */
static void rowSaveExpression(struct frameRow *row, uint64_t number,
			      struct entryCursor expression)
{
	bool isOfFp = entryNumber(&expression, 1) == OP_REGISTER + REGISTER_FP;
	int64_t offset = entrySleb(&expression);

	if (isOfFp && !expression.isBad && expression.at == expression.end)
		rowSave(row, number, SAVED_AT_FP, offset);
	else
		rowSave(row, number, SAVED_ELSE, 0);
}

/* An offset in bytes; a wrong table must not overflow a signed number. */
static int64_t programScale(const struct frameProgram *self, uint64_t offset)
{
	return (int64_t)(offset * (uint64_t)self->dataUnit);
}

/* An instruction on a register; false: it is none. */
static bool programSaves(struct frameProgram *self, uint8_t code,
			 struct entryCursor *cursor)
{
	struct frameRow *row = &self->row;
	uint64_t number;

	if (code < CFA_OFFSET_EXTENDED || code == CFA_REMEMBER ||
	    code == CFA_RESTORE_STATE ||
	    (code >= CFA_DEFINE && code <= CFA_DEFINE_EXPRESSION) ||
	    code == CFA_DEFINE_SIGNED || code == CFA_DEFINE_OFFSET_SIGNED ||
	    code > CFA_VALUE_EXPRESSION)
		return false;
	number = entryUleb(cursor);
	switch (code) {
	case CFA_OFFSET_EXTENDED:
		rowSave(row, number, SAVED_AT_ADDRESS,
			programScale(self, entryUleb(cursor)));
		break;
	case CFA_OFFSET_SIGNED:
		rowSave(row, number, SAVED_AT_ADDRESS,
			programScale(self, (uint64_t)entrySleb(cursor)));
		break;
	case CFA_RESTORE_EXTENDED:
		rowRestore(self, number);
		break;
	case CFA_UNDEFINED:
		rowSave(row, number, SAVED_NOT, 0);
		break;
	case CFA_SAME_VALUE:
		rowSave(row, number, SAVED_SAME, 0);
		break;
	case CFA_EXPRESSION:
		rowSaveExpression(row, number,
				  entryPart(cursor, entryUleb(cursor)));
		break;
	case CFA_VALUE_EXPRESSION:
		entryPart(cursor, entryUleb(cursor));
		rowSave(row, number, SAVED_ELSE, 0);
		break;
	default:
		entryUleb(cursor);
		rowSave(row, number, SAVED_ELSE, 0);
	}
	return true;
}

/* An instruction on the canonical frame address or the table. */
static void programDefines(struct frameProgram *self, uint8_t code,
			   struct entryCursor *cursor)
{
	struct frameRow *row = &self->row;

	if (code == CFA_DEFINE || code == CFA_DEFINE_SIGNED ||
	    code == CFA_DEFINE_REGISTER)
		row->base = entryUleb(cursor);
	switch (code) {
	case CFA_DEFINE:
	case CFA_DEFINE_OFFSET:
		row->offset = (int64_t)entryUleb(cursor);
		break;
	case CFA_DEFINE_SIGNED:
	case CFA_DEFINE_OFFSET_SIGNED:
		row->offset = programScale(self, (uint64_t)entrySleb(cursor));
		break;
	case CFA_DEFINE_EXPRESSION:
		row->expression = entryPart(cursor, entryUleb(cursor));
		row->isExpression = true;
		return;
	case CFA_REMEMBER:
		if (self->count < REMEMBERED_MAX)
			self->remembered[self->count++] = *row;
		else
			cursor->isBad = true;
		return;
	case CFA_RESTORE_STATE:
		if (self->count)
			*row = self->remembered[--self->count];
		else
			cursor->isBad = true;
		return;
	case CFA_ARGUMENTS_SIZE:
		entryUleb(cursor);
		return;
	case CFA_NOP:
		return;
	case CFA_DEFINE_REGISTER:
		break;
	default:
		cursor->isBad = true;
		return;
	}
	row->isExpression = false;
}

/* Run instructions as far as they are about the place. */
static bool programRun(struct frameProgram *self, struct entryCursor *cursor)
{
	while (cursor->at < cursor->end && self->location <= self->place) {
		uint8_t byte = (uint8_t)entryNumber(cursor, 1);
		uint8_t low = byte & 0x3f;

		switch (byte >> 6) {
		case CFA_ADVANCE:
			self->location += low * self->codeUnit;
			continue;
		case CFA_OFFSET:
			rowSave(&self->row, low, SAVED_AT_ADDRESS,
				programScale(self, entryUleb(cursor)));
			continue;
		case CFA_RESTORE:
			rowRestore(self, low);
			continue;
		default:
			break;
		}
		if (byte >= CFA_ADVANCE1 && byte <= CFA_ADVANCE4)
			self->location +=
				entryNumber(cursor,
					    (size_t)1
						    << (byte - CFA_ADVANCE1)) *
				self->codeUnit;
		else if (!programSaves(self, byte, cursor))
			programDefines(self, byte, cursor);
		if (cursor->isBad)
			return false;
	}
	return !cursor->isBad;
}

/* ---- Entries ---------------------------------------------------------------
 */

/* Read what entries of functions have in common. */
static bool programBegin(struct frameProgram *self, uintptr_t at)
{
	struct entryText text;
	struct entryCursor cursor, augmentation;
	const char *letters;
	uint64_t version;

	if (!entryRead(at, &text))
		return false;
	cursor = (struct entryCursor){ text.bytes, text.bytes + text.size,
				       false };
	if (entryNumber(&cursor, 4) != 0)
		return false;
	version = entryNumber(&cursor, 1);
	letters = (const char *)cursor.at;
	while (entryNumber(&cursor, 1) != 0 && !cursor.isBad) {
	}
	if (cursor.isBad || (version != 1 && version != 3) ||
	    (*letters && *letters != 'z'))
		return false;
	self->codeUnit = entryUleb(&cursor);
	self->dataUnit = entrySleb(&cursor);
	if ((version == 1 ? entryNumber(&cursor, 1) : entryUleb(&cursor)) !=
	    REGISTER_RETURN)
		return false;
	self->pointerKind = POINTER_ABSOLUTE;
	self->hasSize = *letters == 'z';
	augmentation =
		entryPart(&cursor, self->hasSize ? entryUleb(&cursor) : 0);
	for (letters += self->hasSize; *letters; letters++) {
		uint64_t kind = entryNumber(&augmentation, 1);

		if (*letters == 'R')
			self->pointerKind = (uint8_t)kind;
		else if (*letters == 'P')
			entryPart(&augmentation,
				  /* Relative, indirect, of a size. */
				  entryPointerSize(
					  (kind & 0x0f) ? (kind & 0x0f) | 0x10
							: 0));
		else if (*letters != 'L')
			/* Of signals: what was interrupted is another's. */
			return false;
	}
	self->location = 0;
	self->row.pointer.how = SAVED_SAME;
	self->row.back.how = SAVED_SAME;
	/* An expression would be in the text of this entry. */
	if (augmentation.isBad || !programRun(self, &cursor) ||
	    self->row.isExpression)
		return false;
	/* Nor may the entry of the function restore a row with one. */
	self->count = 0;
	self->initial = self->row;
	return true;
}

/* The row of a place, by the entry of its function. */
static bool programFind(struct frameProgram *self, uintptr_t at,
			struct entryText *text)
{
	struct entryCursor cursor;
	uintptr_t begin, size;
	uint64_t back;

	if (!entryRead(at, text))
		return false;
	cursor = (struct entryCursor){ text->bytes, text->bytes + text->size,
				       false };
	back = entryNumber(&cursor, 4);
	if (!back || !programBegin(self, text->from - back))
		return false;
	begin = entryPointer(&cursor, text, self->pointerKind);
	size = entryNumber(&cursor, entryPointerSize(self->pointerKind));
	if (self->hasSize)
		entryPart(&cursor, entryUleb(&cursor));
	if (cursor.isBad || self->place - begin >= size)
		return false;
	self->location = begin;
	return programRun(self, &cursor);
}

/* The entry of a place among some rows: the last one that does not begin behind
 * it; NULL: there is none. */
static const struct tableRow *rowsFind(const struct tableRow *rows,
				       uint32_t count, uintptr_t header,
				       uintptr_t place)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (header + (uintptr_t)(intptr_t)rows[middle].place <= place)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &rows[low - 1] : NULL;
}

/* Find the entry of a place in the table of an object, which is sorted; 0:
 * there is none. */
static uintptr_t tableFind(uintptr_t place, uintptr_t header)
{
	/* Version 1; kinds of the pointers to .eh_frame, of the count and of
	 * the table, as all linkers write them. */
	static const unsigned char usual[] = { 1, 0x1b, 0x03, 0x3b };
	struct {
		unsigned char kinds[4];
		int32_t start;
		uint32_t count;
	} head;
	struct tableRow rows[ROWS_MAX];
	const struct tableRow *found;
	uintptr_t table = header + sizeof(head);
	uint32_t low = 0, high;

	if (entryCopy(header, &head, sizeof(head)) != sizeof(head) ||
	    memcmp(head.kinds, usual, sizeof(usual)) != 0)
		return 0;
	high = head.count;
	while (high - low > ROWS_MAX) {
		uint32_t middle = low + (high - low) / 2;

		if (entryCopy(table + middle * sizeof(*rows), rows,
			      sizeof(*rows)) != sizeof(*rows))
			return 0;
		if (header + (uintptr_t)(intptr_t)rows[0].place <= place)
			low = middle;
		else
			high = middle;
	}
	if (entryCopy(table + low * sizeof(*rows), rows,
		      (high - low) * sizeof(*rows)) !=
	    (high - low) * sizeof(*rows))
		return 0;
	found = rowsFind(rows, high - low, header, place);
	return found ? header + (uintptr_t)(intptr_t)found->entry : 0;
}

/* ---- Rules -----------------------------------------------------------------
 */

/* Canonical frame address of a table of jumps to other objects: 8 behind the
 * stack pointer, 16 once the instruction at N has pushed something:
 *     breg7 8; breg16 0; lit15; and; litN; ge; lit3; shl; plus */
static bool ruleOfJumps(struct hdmpiFrameRule *rule, uintptr_t place,
			struct entryCursor expression)
{
	static const unsigned char before[] = { 0x77, 8, 0x80, 0, 0x3f, 0x1a },
				   after[] = { 0x2a, 0x33, 0x24, 0x22 };
	const unsigned char *at = expression.at;

	if (expression.end - at != sizeof(before) + 1 + sizeof(after) ||
	    memcmp(at, before, sizeof(before)) != 0 ||
	    memcmp(at + sizeof(before) + 1, after, sizeof(after)) != 0)
		return false;
	rule->address = HDMPI_FRAME_OF_SP;
	rule->addressOffset =
		(place & 15) >= (uintptr_t)(at[sizeof(before)] - 0x30) ? 16 : 8;
	return true;
}

/* Canonical frame address of a function that aligns its stack: saved on it. */
static bool ruleOfExpression(struct hdmpiFrameRule *rule, uintptr_t place,
			     struct entryCursor expression)
{
	struct entryCursor cursor = expression;
	uint64_t code = entryNumber(&cursor, 1);
	int64_t offset = entrySleb(&cursor);

	if ((code == OP_REGISTER + REGISTER_FP ||
	     code == OP_REGISTER + REGISTER_SP) &&
	    entryNumber(&cursor, 1) == OP_DEREF && !cursor.isBad &&
	    cursor.at == cursor.end) {
		rule->address = code == OP_REGISTER + REGISTER_FP
					? HDMPI_FRAME_AT_FP
					: HDMPI_FRAME_AT_SP;
		rule->addressOffset = (int32_t)offset;
		return true;
	}
	return ruleOfJumps(rule, place, expression);
}

static bool ruleOfRow(struct hdmpiFrameRule *rule, uintptr_t place,
		      const struct frameRow *row)
{
	memset(rule, 0, sizeof(*rule));
	if (row->back.how == SAVED_NOT) {
		rule->address = HDMPI_FRAME_END;
		return true;
	}
	if (row->back.how != SAVED_AT_ADDRESS ||
	    row->back.offset != -(int64_t)sizeof(uintptr_t))
		return false;
	rule->pointerOffset = (int32_t)row->pointer.offset;
	switch (row->pointer.how) {
	case SAVED_AT_ADDRESS:
		rule->pointer = HDMPI_FRAME_SAVED;
		break;
	case SAVED_AT_FP:
		rule->pointer = HDMPI_FRAME_SAVED_FP;
		break;
	default:
		rule->pointer = HDMPI_FRAME_SAME;
	}
	if (row->isExpression)
		return ruleOfExpression(rule, place, row->expression);
	rule->address = row->base == REGISTER_SP ? HDMPI_FRAME_OF_SP
						 : HDMPI_FRAME_OF_FP;
	rule->addressOffset = (int32_t)row->offset;
	return row->base == REGISTER_SP || row->base == REGISTER_FP;
}

bool hdmpiFrameRulesAreReadable(void)
{
	char from = 1, to = 0;

	return HDMPI_HAS_FRAME_RULES &&
	       entryCopy((uintptr_t)&from, &to, sizeof(to)) == sizeof(to);
}

bool hdmpiFrameRuleFind(uintptr_t place, uintptr_t header,
			struct hdmpiFrameRule *rule)
{
	struct frameProgram program = { .place = place };
	uintptr_t entry = HDMPI_HAS_FRAME_RULES ? tableFind(place, header) : 0;
	struct entryText text;

	return entry && programFind(&program, entry, &text) &&
	       ruleOfRow(rule, place, &program.row);
}
