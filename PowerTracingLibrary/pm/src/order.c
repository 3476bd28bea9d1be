/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which dialect a server speaks. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "PowerTracingLibrary/pm/src/pm.h"
#include "common/environment.h"

struct pmDialect pmDialectAsked(void)
{
	static const struct {
		const char *name;
		struct pmDialect dialect;
	} dialects[] = {
		{ "a", { 4, PM_LINE_MAJOR } },
		{ "b", { 8, PM_LINE_MAJOR } },
		{ "c", { 8, PM_SET_MAJOR } },
		{ "d", { 8, PM_SET_MAJOR } },
	};
	const char *asked = hdEnvironment("PM_DIALECT");

	for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++)
		if (asked && strcmp(asked, dialects[i].name) == 0)
			return dialects[i].dialect;
	return (struct pmDialect){ 0, PM_ORDER_UNKNOWN };
}

int pmCreate(int fd, const char *id, const line_t *lines, int aggregate,
	     int frequency)
{
	struct pmRequest request;
	int32_t answer;
	size_t length = strlen(id);
	int ret = pmRequestBegin(&request, PM_CREATE,
				 4 + length + 12 + sizeof(*lines));

	if (ret < 0)
		return ret;
	pmRequestBytes(&request, id, length);
	pmRequestInt(&request, frequency);
	pmRequestInt(&request, aggregate != 0);
	pmRequestBytes(&request, lines->bits, sizeof(lines->bits));
	ret = pmRequestSend(&request, fd);
	if (ret == 0)
		ret = pmReceiveInt(fd, &pmFieldAnswer, id, &answer);
	if (ret == 0 && answer != 0) {
		pmLog(HD_LOG_ERROR, "the server refuses a counter of \"%s\"",
		      id);
		ret = -EREMOTEIO;
	}
	return ret;
}

/* Ask a counter that has no lines, and was not started, how many lines it
 * has: to the Python server no lines are all, to that in C++ none. */
static int askEmpty(int fd, const char *device, int32_t *lines)
{
	/* No values, one border of a set, and that is 0. */
	static const unsigned char empty[] = { 0, 0, 0, 0, 1, 0, 0, 0 };
	unsigned char answer[16];
	line_t none;
	int ret;

	LINE_CLR_ALL(&none);
	ret = pmCreate(fd, device, &none, 0, 0);
	if (ret == 0)
		ret = pmSendInt(fd, PM_GET);
	if (ret == 0)
		ret = pmReceive(fd, answer, sizeof(answer), pmDeadline());
	if (ret == 0)
		ret = pmSendInt(fd, PM_FINALIZE);
	if (ret < 0)
		return ret;
	ret = pmGetInt(&pmFieldSampled, device, answer + 8, lines);
	if (ret < 0)
		return ret;
	if (memcmp(answer, empty, sizeof(empty)) != 0 ||
	    memcmp(answer + 12, empty, 4) != 0)
		return -EPROTO;
	/* So that it is over at the server, too. */
	pmReceive(fd, answer, 4, pmDeadline());
	return 0;
}

enum pmOrder pmFindOrder(const server_t *server, const char *device)
{
	char **list = NULL;
	int count = 0, fd, ret;
	bool isCounted;
	int32_t lines = 0;

	ret = pmConnect(server, &fd);
	if (ret == 0) {
		ret = askEmpty(fd, device, &lines);
		close(fd);
	}
	if (ret == 0)
		return lines == 0 ? PM_SET_MAJOR : PM_LINE_MAJOR;
	/* A server in C++ that has no number in its list has this order. */
	ret = pmList(server, &list, &count, &isCounted);
	pmListFree(list, count);
	if (ret == 0 && !isCounted && count > 0)
		return PM_SET_MAJOR;
	pmLog(HD_LOG_WARNING, "unknown order of the sets; set PM_DIALECT");
	return PM_LINE_MAJOR;
}
