/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The secrets that users share with a service; see tokens.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/secure/tokens.h"
#include "PowerTracingLibrary/src/config/secret.h"
#include "PowerTracingLibrary/src/message.h"

/* Largest file. */
#define TOKENS_MAX (1 << 20)

struct token {
	const char *user;
	const char *secret;
};

struct ptTokens {
	char *text;
	size_t size;
	struct token *list;
	size_t count;
};

/* Take a line "USER TOKEN"; tells whether it is one. */
static bool tokensLine(struct ptTokens *tokens, char *line)
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
	if (end[strspn(end, blanks)] || end - secret < PT_TOKEN_MIN)
		return false;
	*end = '\0';
	tokens->list[tokens->count++] = (struct token){ user, secret };
	return true;
}

static int tokensParse(const char *path, struct ptTokens *tokens)
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
		ptMessage(HD_LOG_ERROR,
			  "%s:%ld: a line is USER TOKEN, a token at least %d "
			  "characters without blanks",
			  path, number, PT_TOKEN_MIN);
		return -EINVAL;
	}
	return 0;
}

int ptTokensRead(const char *path, struct ptTokens **result)
{
	struct ptTokens *tokens = calloc(1, sizeof(*tokens));
	char why[200];
	int ret;

	if (!tokens)
		return -ENOMEM;
	ret = ptSecretRead(path, TOKENS_MAX, &tokens->text, &tokens->size, why,
			   sizeof(why));
	if (ret < 0)
		ptMessage(HD_LOG_ERROR, "%s: %s", path, why);
	if (ret == 0)
		ret = tokensParse(path, tokens);
	if (ret < 0)
		ptTokensDestroy(tokens);
	else
		*result = tokens;
	return ret;
}

void ptTokensDestroy(struct ptTokens *tokens)
{
	if (!tokens)
		return;
	ptSecretFree(tokens->text, tokens->size);
	free(tokens->list);
	free(tokens);
}

const char *ptTokensFind(const struct ptTokens *tokens, const char **user)
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

bool ptTokensCheck(const struct ptTokens *tokens, struct ptWireProof *proof,
		   const unsigned char theirs[PT_WIRE_PROOF_SIZE],
		   unsigned char ours[PT_WIRE_PROOF_SIZE])
{
	static const char none[PT_TOKEN_MIN];
	unsigned char expected[PT_WIRE_PROOF_SIZE];
	const char *right = NULL;

	for (size_t i = 0; i < tokens->count; i++) {
		const struct token *token = &tokens->list[i];

		if (!ptWireTextIs(proof->user, token->user))
			continue;
		proof->token = token->secret;
		proof->tokenLength = strlen(token->secret);
		ptWireProve(proof, PT_WIRE_CLIENT_SIDE, expected);
		if (ptWireIsEqual(theirs, expected, sizeof(expected)))
			right = token->secret;
	}
	proof->token = right ? right : none;
	proof->tokenLength = right ? strlen(right) : sizeof(none);
	ptWireProve(proof, PT_WIRE_SERVER_SIDE, ours);
	return right != NULL;
}
