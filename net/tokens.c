/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The secrets that users share with a service; see tokens.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "net/tokens.h"
#include "common/secret.h"
#include "net/logger.h"

/* Largest file. */
#define TOKENS_MAX (1 << 20)

struct token {
	const char *user;
	const char *secret;
};

struct hdTokens {
	char *text;
	size_t size;
	struct token *list;
	size_t count;
};

/* Take a line "USER TOKEN"; tells whether it is one. */
static bool tokensLine(struct hdTokens *tokens, char *line)
{
	static const char blanks[] = " \t\r";
	char *user = line + strspn(line, blanks);
	char *secret = user + strcspn(user, blanks), *end;

	if (!*user || *user == '#')
		return true;
	if (!*secret)
		return false;
	*secret++ = '\0';
	secret += strspn(secret, blanks);
	end = secret + strcspn(secret, blanks);
	if (end[strspn(end, blanks)] || end - secret < HD_TOKEN_MIN)
		return false;
	*end = '\0';
	tokens->list[tokens->count++] = (struct token){ user, secret };
	return true;
}

static int tokensParse(const char *path, struct hdTokens *tokens)
{
	size_t lines = 1;
	long number = 0;
	char *next = tokens->text;

	for (const char *at = next; *at; at++)
		lines += *at == '\n';
	tokens->list = calloc(lines, sizeof(*tokens->list));
	if (!tokens->list)
		return -ENOMEM;
	while (next) {
		char *line = next;

		number++;
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (tokensLine(tokens, line))
			continue;
		/* Not the line itself: it may hold a secret. */
		hdNetLog(HD_LOG_ERROR,
			 "%s:%ld: a line is USER TOKEN, a token at least %d "
			 "characters without blanks",
			 path, number, HD_TOKEN_MIN);
		return -EINVAL;
	}
	return 0;
}

int hdTokensRead(const char *path, struct hdTokens **result)
{
	struct hdTokens *tokens = calloc(1, sizeof(*tokens));
	char why[200];
	int ret;

	if (!tokens)
		return -ENOMEM;
	ret = hdSecretRead(path, TOKENS_MAX, &tokens->text, &tokens->size, why,
			   sizeof(why));
	if (ret < 0)
		hdNetLog(HD_LOG_ERROR, "%s: %s", path, why);
	if (ret == 0)
		ret = tokensParse(path, tokens);
	if (ret < 0)
		hdTokensDestroy(tokens);
	else
		*result = tokens;
	return ret;
}

void hdTokensDestroy(struct hdTokens *tokens)
{
	if (!tokens)
		return;
	hdSecretFree(tokens->text, tokens->size);
	free(tokens->list);
	free(tokens);
}

const char *hdTokensFind(const struct hdTokens *tokens, const char **user)
{
	for (size_t i = 0; i < tokens->count; i++) {
		const struct token *token = &tokens->list[i];

		if (*user && strcmp(*user, token->user) != 0)
			continue;
		*user = token->user;
		return token->secret;
	}
	return NULL;
}

bool hdTokensHave(const struct hdTokens *tokens, const char *user,
		  const unsigned char digest[HD_SHA256_SIZE])
{
	unsigned char found[HD_SHA256_SIZE];
	bool has = false;

	for (size_t i = 0; i < tokens->count; i++) {
		const struct token *token = &tokens->list[i];

		if (strcmp(token->user, user) != 0)
			continue;
		hdSha256Of(token->secret, strlen(token->secret), found);
		has = has || hdProofIsEqual(found, digest, sizeof(found));
	}
	return has;
}

bool hdTokensCheck(const struct hdTokens *tokens, struct hdProof *proof,
		   const unsigned char theirs[HD_PROOF_SIZE],
		   unsigned char ours[HD_PROOF_SIZE])
{
	static const char none[HD_TOKEN_MIN];
	unsigned char expected[HD_PROOF_SIZE];
	const char *right = NULL;

	for (size_t i = 0; i < tokens->count; i++) {
		const struct token *token = &tokens->list[i];

		if (!hdFieldTextIs(proof->user, token->user))
			continue;
		proof->token = token->secret;
		proof->tokenLength = strlen(token->secret);
		hdProve(proof, HD_PROOF_CLIENT, expected);
		if (hdProofIsEqual(theirs, expected, sizeof(expected)))
			right = token->secret;
	}
	proof->token = right ? right : none;
	proof->tokenLength = right ? strlen(right) : sizeof(none);
	hdProve(proof, HD_PROOF_SERVER, ours);
	return right != NULL;
}
