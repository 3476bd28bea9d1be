/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Talking to an LMG450; see link.h. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "PowerTracingLibrary/src/drivers/lmg/link.h"
#include "PowerTracingLibrary/src/core/ptlog.h"

void ptLmgLinkInit(struct ptLmgLink *link, struct ptTransport *transport,
		   int wakeFd, int64_t byteNs)
{
	memset(link, 0, sizeof(*link));
	ptReceiverInit(&link->receiver, transport, wakeFd, byteNs);
	ptLmgInit(&link->parser);
}

int ptLmgSend(struct ptLmgLink *link, const char *line, int64_t deadlineNs)
{
	size_t length = strlen(line);
	char bytes[PT_LMG_LINE_MAX];

	if (length >= sizeof(bytes))
		return -E2BIG;
	memcpy(bytes, line, length);
	bytes[length] = '\n';
	ptMessage(HD_LOG_DEBUG, "lmg450: > %s", line);
	return ptTransportWrite(link->receiver.transport, bytes, length + 1,
				deadlineNs);
}

/* Take what has come, at least a byte. */
static int lmgLinkReceiveBytes(struct ptLmgLink *link, int64_t deadlineNs)
{
	uint8_t bytes[PT_LMG_MESSAGE_MAX];
	ssize_t count = ptReceiverRead(&link->receiver, bytes, sizeof(bytes),
				       ptLmgPending(&link->parser), link->usual,
				       deadlineNs);

	if (count < 0)
		return (int)count;
	ptLmgPush(&link->parser, bytes, (size_t)count);
	return 0;
}

int ptLmgReceive(struct ptLmgLink *link, int64_t deadlineNs)
{
	for (;;) {
		int ret = ptLmgNext(&link->parser, &link->message);

		if (ret == 1) {
			link->usual = link->message.length;
			return 0;
		}
		if (ret == 0)
			ret = lmgLinkReceiveBytes(link, deadlineNs);
		if (ret < 0)
			return ret;
	}
}

bool ptLmgIsFollowed(struct ptLmgLink *link, int64_t deadlineNs)
{
	return ptLmgPending(&link->parser) > 0 ||
	       lmgLinkReceiveBytes(link, deadlineNs) == 0;
}

int ptLmgAsk(struct ptLmgLink *link, const char *question, int64_t deadlineNs)
{
	int ret;

	link->usual = 0;
	ptLmgExpect(&link->parser, PT_LMG_TEXT, 0);
	ret = ptLmgSend(link, question, deadlineNs);
	if (ret < 0)
		return ret;
	do
		ret = ptLmgReceive(link, deadlineNs);
	while (ret == -EPROTO);
	link->usual = 0;
	if (ret == 0)
		ptMessage(HD_LOG_DEBUG, "lmg450: < %s", link->message.text);
	return ret;
}

int ptLmgQuiet(struct ptLmgLink *link, int64_t deadlineNs)
{
	int ret = ptTransportQuiet(link->receiver.transport, deadlineNs);

	if (ret == 0)
		ptLmgExpect(&link->parser, link->parser.kind,
			    link->parser.count);
	return ret;
}

int64_t ptLmgArrival(const struct ptLmgLink *link)
{
	return ptReceiverArrival(&link->receiver, link->message.position);
}
