/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: files of tokens. */
#include "config.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/log.h"
#include "net/logger.h"
#include "net/tokens.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memoryfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = memoryFile(data, size), *user = NULL, *token;
	struct hdTokens *tokens = NULL;

	hdLogSetLevel(hdNetLogger, HD_LOG_NONE);
	/* Files that others may read are refused. */
	must(chmod(path, 0600) == 0);
	if (hdTokensRead(path, &tokens) < 0) {
		must(!tokens);
		return 0;
	}
	token = hdTokensFind(tokens, &user);
	if (token) {
		must(user && *user && strlen(token) >= 32);
		must(!strpbrk(token, " \t\n") && !strpbrk(user, " \t\n"));
		must(hdTokensFind(tokens, &user) == token);
	}
	hdTokensDestroy(tokens);
	return 0;
}
