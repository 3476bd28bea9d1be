/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The LMG450's driver: the dialogue that sets the meter up; see lmg450.c. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "PowerTracingLibrary/src/drivers/lmg/lmg450.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "common/clock.h"

#define MS INT64_C(1000000)

/* How long all may take if nobody says so, and how long before the end what
 * must have happened: there is time for what comes after it. */
#define OPEN_NS (1900 * MS)
#define FIRST_TRY_NS (1100 * MS)
#define SECOND_TRY_NS (700 * MS)
#define TRIAL_NS (300 * MS)
#define TRY_READING_NS (200 * MS)

int ptLmgNoted(struct ptLmgState *state, int ret)
{
	if (ret < 0 && ret != -ETIMEDOUT && ret != -EINTR && ret != -EPROTO)
		state->isGone = true;
	return ret;
}

int ptLmgSendLine(struct ptLmgState *state, const char *line)
{
	return ptLmgNoted(state, ptLmgSend(&state->link, line,
					   hdMonotonicNow() + PT_LMG_STEP_NS));
}

int ptLmgSendLines(struct ptLmgState *state, const char *const *lines)
{
	int ret = 0;

	for (; *lines && ret == 0; lines++)
		ret = ptLmgSendLine(state, *lines);
	return ret;
}

int ptLmgSendQuery(struct ptLmgState *state, const char *command)
{
	char line[PT_LMG_LINE_MAX];
	int length =
		snprintf(line, sizeof(line), "%s;%s%s", command,
			 state->asksCount ? PT_LMG_COUNT : "", state->query);

	/* Without the last ';'. */
	line[length - 1] = '\0';
	return ptLmgSendLine(state, line);
}

int ptLmgSendCycle(struct ptLmgState *state, int64_t cycleNs)
{
	char line[32];

	snprintf(line, sizeof(line), "CYCL %lld.%06lld",
		 (long long)(cycleNs / HD_NS_PER_S),
		 (long long)(cycleNs % HD_NS_PER_S / 1000));
	return ptLmgSendLine(state, line);
}

int ptLmgSendStart(struct ptLmgState *state)
{
	static const char *const lines[][3] = {
		{ "FRMT ASCII", "CONT ON", NULL },
		{ "FRMT PACKED", "CONT ON", NULL },
	};

	ptLmgExpectValues(state,
			  state->isPacked ? PT_LMG_PACKED : PT_LMG_ASCII);
	return ptLmgSendLines(state, lines[state->isPacked]);
}

void ptLmgExpectValues(struct ptLmgState *state, enum ptLmgKind kind)
{
	ptLmgExpect(&state->link.parser, kind,
		    state->values + (state->asksCount ? 1 : 0));
	state->link.usual = 0;
}

int ptLmgSendStop(struct ptLmgState *state)
{
	int ret = ptLmgSendLine(state, "CONT OFF");

	if (ret == 0)
		ret = ptLmgCalm(state);
	if (ret == 0)
		ret = ptLmgSendLine(state, "FRMT ASCII");
	return ret;
}

int ptLmgCalm(struct ptLmgState *state)
{
	int ret = ptLmgNoted(
		state,
		ptLmgQuiet(&state->link, hdMonotonicNow() + PT_LMG_STEP_NS));

	return state->isGone ? ret : 0;
}

int ptLmgAskErrors(struct ptLmgState *state, int64_t deadlineNs,
		   const char **text)
{
	int ret = ptLmgNoted(state,
			     ptLmgAsk(&state->link, "ERRALL?", deadlineNs));
	const char *errors = state->link.message.text;

	*text = NULL;
	if (ret < 0)
		return ret;
	errors += strspn(errors, " +");
	if (*errors && (*errors != '0' || (errors[1] && errors[1] != ',')))
		*text = errors;
	return 0;
}

/* Bring it to where it answers, from wherever it was. */
static int awaken(struct ptLmgState *state)
{
	static const char *const lines[] = { "*CLS", "*RST", NULL };
	int ret = ptTransportBreak(state->link.receiver.transport);

	if (ret == -ENOTSUP)
		ret = ptLmgSendLine(state, "CONT OFF");
	if (ret == 0)
		ret = ptLmgCalm(state);
	if (ret == 0)
		ret = ptLmgSendLines(state, lines);
	return ret;
}

/* Choose the language and ask for the identity. If it was in SHORT already,
 * perhaps with packed replies, that is an error, and so is FRMT if it was not:
 * the last *CLS forgets them. */
static int askIdentity(struct ptLmgState *state, bool isAwake,
		       int64_t deadlineNs)
{
	static const char *const lines[] = {
		"CONT OFF", "FRMT ASCII", ":SYSTem:LANGuage SHORT",
		"*CLS",     NULL,
	};
	int ret = ptLmgSendLines(state, isAwake ? lines + 2 : lines);

	if (ret == 0 && !isAwake)
		ret = ptLmgCalm(state);
	if (ret < 0)
		return ret;
	return ptLmgNoted(state, ptLmgAsk(&state->link, "*IDN?", deadlineNs));
}

static int lmgSetupIdentify(struct ptLmgState *state, int64_t deadlineNs)
{
	int ret = awaken(state);

	if (ret == 0)
		ret = askIdentity(state, true, deadlineNs - FIRST_TRY_NS);
	/* No BREAK came through, or the meter is slow. */
	if (ret == -ETIMEDOUT)
		ret = askIdentity(state, false, deadlineNs - SECOND_TRY_NS);
	if (ret == -ETIMEDOUT)
		ptMessage(HD_LOG_ERROR,
			  "lmg450: no answer to *IDN?; check the power of the "
			  "meter, and its port: 8N1, RTS/CTS, EOS <lf>, echo "
			  "off, and the configured speed");
	if (ret < 0)
		return ret;
	snprintf(state->identity, sizeof(state->identity), "%.*s",
		 PT_LMG_IDENTITY_MAX - 1, state->link.message.text);
	if (!strstr(state->identity, "LMG450")) {
		ptMessage(HD_LOG_ERROR, "lmg450: not an LMG450: \"%s\"",
			  state->identity);
		return -ENXIO;
	}
	ptMessage(HD_LOG_INFO, "lmg450: %s", state->identity);
	return 0;
}

/* Program what it is to send, after which cycles. */
static int program(struct ptLmgState *state)
{
	int ret = ptLmgSendQuery(state, "ACTN");

	return ret < 0 ? ret : ptLmgSendCycle(state, state->cycleNs);
}

/* Ask for a reading of everything: does it know all that is wanted? */
static int lmgSetupTryReading(struct ptLmgState *state, int64_t deadlineNs)
{
	struct ptLmgLink *link = &state->link;
	const char *errors;
	int ret;

	ptLmgExpectValues(state, PT_LMG_ASCII);
	ret = ptLmgSendQuery(state, "INIM");
	if (ret == 0)
		ret = ptLmgNoted(
			state, ptLmgReceive(link, deadlineNs - TRY_READING_NS));
	if (ret == -EPROTO)
		ptMessage(HD_LOG_ERROR, "lmg450: test reading: %s",
			  link->message.why);
	if (ret < 0 && ret != -ETIMEDOUT)
		return ret;
	if (ret == -ETIMEDOUT &&
	    ptLmgAskErrors(state, deadlineNs, &errors) == 0 && errors) {
		ptMessage(HD_LOG_ERROR,
			  "lmg450: cannot request a test reading: %s", errors);
		return -EPROTO;
	}
	if (ret == -ETIMEDOUT)
		ptMessage(HD_LOG_ERROR,
			  "lmg450: the meter sent no test reading");
	return ret;
}

/* Ask for a reading, and find out whether there is a counter; the reading is
 * without, until that is known. */
static int tryAll(struct ptLmgState *state, int64_t deadlineNs)
{
	bool asksCount = state->asksCount;
	/* For a reading that does not take longer than it must. */
	int ret = ptLmgSendCycle(state, PT_LMG_SHORTEST_NS);

	state->asksCount &= !state->mustTry;
	if (ret == 0 && (state->values > 0 || state->asksCount))
		ret = lmgSetupTryReading(state, deadlineNs);
	state->asksCount = asksCount;
	if (ret == 0 && state->mustTry)
		ret = ptLmgTry(state, deadlineNs - TRIAL_NS);
	return ret;
}

int ptLmgSetUp(struct ptLmgState *state, int64_t deadlineNs)
{
	const char *errors;
	int ret;

	if (deadlineNs == 0)
		deadlineNs = hdMonotonicNow() + OPEN_NS;
	ret = lmgSetupIdentify(state, deadlineNs);
	if (ret == 0)
		ret = tryAll(state, deadlineNs);
	if (ret == 0)
		ret = program(state);
	if (ret < 0)
		return ret;
	ret = ptLmgAskErrors(state, deadlineNs, &errors);
	if (ret == -ETIMEDOUT)
		ptMessage(HD_LOG_ERROR, "lmg450: no answer to ERRALL?");
	if (ret == 0 && errors) {
		ptMessage(HD_LOG_ERROR,
			  "lmg450: the meter refused the setup: %s", errors);
		ret = -EPROTO;
	}
	return ret;
}
