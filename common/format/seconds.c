/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times as the format writes them; see seconds.h. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "common/clock.h"
#include "common/format/seconds.h"

/** What of a text is a number of seconds; all that follows is an error. */
struct secondsText {
	const char *text;
	const char *end;
	bool mayBeLong; /**< Digits behind the ninth decimal are left out. */
};

static bool secondsIsDigit(const struct secondsText *from, const char *at)
{
	return at < from->end && *at >= '0' && *at <= '9';
}

static bool secondsIsSpace(char byte)
{
	return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static int secondsParse(const struct secondsText *from, int64_t *ns)
{
	const char *text = from->text;
	bool isNegative = text < from->end && *text == '-';
	int64_t seconds = 0;
	int64_t rest = 0;
	int64_t place = HD_NS_PER_S;
	bool hasDigit = false;
	bool isLarge = false;

	if (text < from->end && (*text == '-' || *text == '+'))
		text++;
	for (; secondsIsDigit(from, text); text++) {
		hasDigit = true;
		seconds = seconds * 10 + (*text - '0');
		if (seconds > INT64_MAX / HD_NS_PER_S) {
			isLarge = true;
			seconds = 0;
		}
	}
	if (text < from->end && *text == '.') {
		for (text++; secondsIsDigit(from, text); text++) {
			hasDigit = true;
			place /= 10;
			if (place == 0 && !from->mayBeLong)
				return -EINVAL;
			rest += place * (*text - '0');
		}
	}
	if (!hasDigit || text != from->end)
		return -EINVAL;
	if (isLarge ||
	    __builtin_add_overflow(seconds * HD_NS_PER_S, rest, &seconds))
		return -ERANGE;
	*ns = isNegative ? -seconds : seconds;
	return 0;
}

int hdSecondsParse(const char *text, int64_t *ns)
{
	const struct secondsText all = { text, text + strlen(text), false };

	return secondsParse(&all, ns);
}

int hdAdjustmentParse(const char *text, int64_t *ns)
{
	struct secondsText number = { text, text + strlen(text), true };
	bool isMs;
	int ret = 0;

	while (secondsIsSpace(*number.text))
		number.text++;
	while (number.end > number.text && secondsIsSpace(number.end[-1]))
		number.end--;
	isMs = number.end - number.text >= 2 &&
	       memcmp(number.end - 2, "ms", 2) == 0;
	if (isMs)
		number.end -= 2;
	else if (number.end > number.text && number.end[-1] == 's')
		number.end--;
	*ns = 0;
	if (number.end > number.text)
		ret = secondsParse(&number, ns);
	if (isMs)
		*ns /= 1000;
	return ret;
}
