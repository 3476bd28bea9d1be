/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: the messages of an LMG450.
 *
 * The first byte says what is expected, the second how many values, the third
 * into parts of which size the rest is divided. However it is divided, the same
 * must come of it.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/src/drivers/lmg/lmgparser.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/outcome.h"

static void take(struct ptLmgParser *parser, struct outcome *outcome)
{
	static struct ptLmgMessage message;
	uint64_t before = parser->position;
	int ret;

	while ((ret = ptLmgNext(parser, &message)) != 0) {
		note(outcome, &ret, sizeof(ret));
		if (ret == -EPROTO) {
			must(*message.why != '\0');
			must(strlen(message.why) < sizeof(message.why));
			note(outcome, message.why, strlen(message.why));
			continue;
		}
		must(ret == 1);
		must(message.length >= 1);
		must(message.length <= PT_LMG_MESSAGE_MAX);
		must(message.position >= before);
		must(message.position + message.length == parser->position);
		before = parser->position;
		note(outcome, &message.position, sizeof(message.position));
		note(outcome, &message.length, sizeof(message.length));
		if (parser->kind == PT_LMG_TEXT)
			note(outcome, message.text, message.length);
		else
			note(outcome, message.values, 4 * parser->count);
	}
	must(ptLmgPending(parser) < PT_LMG_MESSAGE_MAX);
}

static void parse(const uint8_t *data, size_t size, enum ptLmgKind kind,
		  size_t count, size_t part, struct outcome *outcome)
{
	static struct ptLmgParser parser;

	memset(&parser, 0xaa, sizeof(parser));
	ptLmgInit(&parser);
	ptLmgExpect(&parser, kind, count);
	outcome->length = 0;
	while (size > 0) {
		size_t now = part < size ? part : size;

		must(ptLmgPush(&parser, data, now) == now);
		take(&parser, outcome);
		data += now;
		size -= now;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct outcome whole, parts;
	enum ptLmgKind kind;
	size_t count;

	if (size < 3)
		return 0;
	kind = (enum ptLmgKind)(data[0] % 3);
	count = 1 + data[1] % PT_LMG_VALUES_MAX;
	parse(data + 3, size - 3, kind, count, PT_LMG_MESSAGE_MAX, &whole);
	parse(data + 3, size - 3, kind, count, 1 + data[2], &parts);
	mustBeSame(&whole, &parts);
	return 0;
}
