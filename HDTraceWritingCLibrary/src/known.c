/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names and keys that are known; see known.h. */
#include "config.h"

#include <string.h>

#include "HDTraceWritingCLibrary/src/known.h"
#include "HDTraceWritingCLibrary/src/literal.h"

/* What a text has besides the name or key, at most: ` ='`. */
#define KNOWN_MORE 3

/* How what is no literal is called. */
static const char *knownVariable(const char *text)
{
	return (const char *)~(uintptr_t)text;
}

void hdKnownInit(struct hdKnown *table)
{
	/* The first place of NULL has something else. */
	table[0].literal = (const char *)table;
}

/* The two places of a text. */
static struct hdKnown *knownAt(struct hdKnown *table, const char *text,
			       size_t place)
{
	return &table[((uintptr_t)text + place * (HD_KNOWNS / 2)) % HD_KNOWNS];
}

/* Whether a variable still is what it was. */
static bool knownIsSame(const struct hdKnown *known, const char *text)
{
	/* ` key='` or `<name` */
	size_t length = known->length - (known->text[0] == ' ' ? 3 : 1);

	return text[0] == known->text[1] &&
	       strncmp(text, known->text + 1, length) == 0 && !text[length];
}

const struct hdKnown *hdKnownFind(struct hdKnown *table, const char *text)
{
	for (size_t i = 0; i < 2; i++) {
		const struct hdKnown *known = knownAt(table, text, i);

		if (known->literal == text)
			return known;
		if (known->literal == knownVariable(text))
			return knownIsSame(known, text) ? known : NULL;
	}
	return NULL;
}

/* Find a place for a text that has none, or NULL. Literals take those of
 * variables. */
static struct hdKnown *knownPlace(struct hdKnown *table, const char *text,
				  const char **literal)
{
	struct hdKnown *first = knownAt(table, text, 0);
	struct hdKnown *other = knownAt(table, text, 1);
	struct hdKnown *place = first->length == 0   ? first
				: other->length == 0 ? other
				: first->isVariable  ? first
				: other->isVariable  ? other
						     : NULL;
	bool isLiteral;

	*literal = knownVariable(text);
	if (!place || first->literal == *literal || other->literal == *literal)
		return NULL;
	if (strnlen(text, HD_KNOWN_LENGTH) > HD_KNOWN_LENGTH - KNOWN_MORE)
		return NULL;
	isLiteral = hdLiteralIs(text);
	if (!isLiteral && place->length > 0)
		return NULL;
	place->isVariable = !isLiteral;
	if (isLiteral)
		*literal = text;
	return place;
}

void hdKnownAddName(struct hdKnown *table, const char *name)
{
	const char *literal;
	struct hdKnown *place = knownPlace(table, name, &literal);

	if (!place)
		return;
	place->length = (uint32_t)strlen(name) + 1;
	place->text[0] = '<';
	memcpy(place->text + 1, name, place->length - 1);
	place->literal = literal;
}

void hdKnownAddKey(struct hdKnown *table, const char *key)
{
	char bytes[HD_KEY_SHORT + 16];
	struct hdText text = { .bytes = bytes, .size = sizeof(bytes) };
	struct hdKeys keys = { 0, 0 };
	const char *literal;
	struct hdKnown *place = knownPlace(table, key, &literal);

	if (!place || hdAttributeBegin(&text, 0, &keys, key, '\0', 0) < 0)
		return;
	memcpy(place->text, bytes, text.used);
	place->keys = keys;
	place->length = (uint32_t)text.used;
	place->literal = literal;
}
