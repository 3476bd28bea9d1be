/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who the other side is; see authenticate.h. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "net/authenticate.h"

int hdAuthenticationRead(const char *tokenFile, const char *certificate,
			 const char *key, struct hdTokens **tokens,
			 struct hdTls **tls)
{
	int ret = 0;

	*tokens = NULL;
	*tls = NULL;
	if (tokenFile)
		ret = hdTokensRead(tokenFile, tokens);
	if (ret == 0 && certificate)
		ret = hdTlsCreate(certificate, key, tls);
	if (ret == 0)
		return 0;
	hdTokensDestroy(*tokens);
	*tokens = NULL;
	return ret;
}

/* What a proof is made of, but for the token. */
static bool proofBegin(const struct hdAuthentication *what,
		       struct hdTlsSession *tls, const unsigned char *nonce,
		       const struct hdFrameAuthenticate *request,
		       struct hdProof *proof)
{
	*proof = (struct hdProof){ .user = request->user,
				   .protocol = what->protocol };
	memcpy(proof->serverNonce, nonce, sizeof(proof->serverNonce));
	memcpy(proof->clientNonce, request->nonce, sizeof(proof->clientNonce));
	return !tls || hdTlsBinding(tls, what->exporter, proof->binding) == 0;
}

bool hdAuthenticationCheck(const struct hdAuthentication *what,
			   const struct hdTokens *tokens,
			   struct hdTlsSession *tls,
			   const unsigned char nonce[HD_NONCE_SIZE],
			   const struct hdFrameAuthenticate *request,
			   unsigned char ours[HD_PROOF_SIZE],
			   unsigned char token[HD_SHA256_SIZE])
{
	struct hdProof proof;

	if (!proofBegin(what, tls, nonce, request, &proof) || !tokens ||
	    !hdTokensCheck(tokens, &proof, request->proof, ours))
		return false;
	hdSha256Of(proof.token, proof.tokenLength, token);
	return true;
}

int hdAuthenticationMake(const struct hdAuthentication *what,
			 struct hdTlsSession *tls,
			 const unsigned char nonce[HD_NONCE_SIZE],
			 const char *user, const char *token,
			 struct hdFrameAuthenticate *request,
			 unsigned char theirs[HD_PROOF_SIZE])
{
	struct hdProof proof;

	request->user = hdFieldTextOf(user);
	if (getrandom(request->nonce, sizeof(request->nonce), 0) !=
		    (ssize_t)sizeof(request->nonce) ||
	    !proofBegin(what, tls, nonce, request, &proof))
		return -EIO;
	proof.token = token;
	proof.tokenLength = strlen(token);
	hdProve(&proof, HD_PROOF_CLIENT, request->proof);
	hdProve(&proof, HD_PROOF_SERVER, theirs);
	return 0;
}
