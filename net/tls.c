/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Encrypted connections by GnuTLS; see tls.h. */
#include "config.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gnutls/gnutls.h>

#include "net/tls.h"
#include "common/hex.h"
#include "net/logger.h"

const bool hdHasTls = true;

#define FINGERPRINT_SIZE 32

struct hdTls {
	gnutls_certificate_credentials_t credentials;
	int uses; /* Sessions need it as long as they live. */
	/* Of a client. */
	bool isByName; /* Certificates are verified. */
	bool isByFingerprint;
	unsigned char fingerprint[FINGERPRINT_SIZE];
};

struct hdTlsSession {
	struct hdTls *tls;
	gnutls_session_t session;
	bool isReady;   /* Hands were shaken. */
	size_t resend;  /* Bytes that must be sent again as they were. */
	char host[256]; /* Who the other side must be; empty for anybody. */
};

static struct hdTls *tlsNew(void)
{
	struct hdTls *tls = calloc(1, sizeof(*tls));

	if (!tls)
		return NULL;
	tls->uses = 1;
	if (gnutls_certificate_allocate_credentials(&tls->credentials) < 0) {
		free(tls);
		return NULL;
	}
	return tls;
}

/* GnuTLS does not tell why a file cannot be read. */
static void tlsLogFile(const char *file, const char *why)
{
	if (access(file, R_OK) < 0)
		hdNetLog(HD_LOG_ERROR, "%s: cannot open: %s", file,
			 strerror(errno));
	else
		hdNetLog(HD_LOG_ERROR, "%s: %s", file, why);
}

int hdTlsCreate(const char *certificate, const char *key, struct hdTls **result)
{
	struct hdTls *tls = tlsNew();
	int ret;

	if (!tls)
		return -ENOMEM;
	ret = gnutls_certificate_set_x509_key_file(
		tls->credentials, certificate, key, GNUTLS_X509_FMT_PEM);
	if (ret < 0) {
		/* Nor which of the two is wrong. */
		if (access(certificate, R_OK) == 0 && access(key, R_OK) == 0)
			hdNetLog(HD_LOG_ERROR, "%s, %s: %s", certificate, key,
				 gnutls_strerror(ret));
		else
			tlsLogFile(access(certificate, R_OK) < 0 ? certificate
								 : key,
				   gnutls_strerror(ret));
		hdTlsDestroy(tls);
		return -EINVAL;
	}
	*result = tls;
	return 0;
}

/* Read a fingerprint. */
static int tlsFingerprint(const char *text, unsigned char *fingerprint)
{
	static const char digits[] = "0123456789abcdef";
	size_t count = 0;

	for (const char *at = text; *at; at++) {
		const char *digit = strchr(digits, tolower((unsigned char)*at));

		if (*at == ':')
			continue;
		if (!digit || count == 2 * FINGERPRINT_SIZE)
			return -EINVAL;
		fingerprint[count / 2] =
			(unsigned char)(fingerprint[count / 2] << 4 |
					(digit - digits));
		count++;
	}
	return count == 2 * FINGERPRINT_SIZE ? 0 : -EINVAL;
}

/* Read whom to trust; tells whether it is somebody. */
static int tlsTrust(struct hdTls *tls, const char *ca)
{
	int count =
		ca ? gnutls_certificate_set_x509_trust_file(
			     tls->credentials, ca, GNUTLS_X509_FMT_PEM)
		   : gnutls_certificate_set_x509_system_trust(tls->credentials);

	if (count > 0)
		return 0;
	if (ca)
		tlsLogFile(ca, "no certificates in PEM format");
	else
		hdNetLog(HD_LOG_ERROR, "this system trusts no authorities");
	return -EINVAL;
}

int hdTlsCreateClient(const char *ca, const char *fingerprint,
		      struct hdTls **result)
{
	struct hdTls *tls = tlsNew();
	int ret = 0;

	if (!tls)
		return -ENOMEM;
	tls->isByFingerprint = fingerprint != NULL;
	tls->isByName = ca || !fingerprint;
	if (fingerprint)
		ret = tlsFingerprint(fingerprint, tls->fingerprint);
	if (ret < 0)
		hdNetLog(HD_LOG_ERROR,
			 "invalid fingerprint \"%.80s\"; expected the SHA-256 "
			 "of a certificate, 64 hexadecimal digits",
			 fingerprint);
	if (ret == 0 && tls->isByName)
		ret = tlsTrust(tls, ca);
	if (ret < 0)
		hdTlsDestroy(tls);
	else
		*result = tls;
	return ret;
}

void hdTlsDestroy(struct hdTls *tls)
{
	if (!tls || --tls->uses > 0)
		return;
	gnutls_certificate_free_credentials(tls->credentials);
	free(tls);
}

static int tlsOpen(struct hdTls *tls, int fd, unsigned int side,
		   struct hdTlsSession **result)
{
	struct hdTlsSession *session = calloc(1, sizeof(*session));

	if (!session)
		return -ENOMEM;
	if (gnutls_init(&session->session,
			side | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL) < 0) {
		free(session);
		return -ENOMEM;
	}
	if (gnutls_set_default_priority(session->session) < 0 ||
	    gnutls_credentials_set(session->session, GNUTLS_CRD_CERTIFICATE,
				   tls->credentials) < 0) {
		gnutls_deinit(session->session);
		free(session);
		return -ENOMEM;
	}
	gnutls_transport_set_int(session->session, fd);
	session->tls = tls;
	tls->uses++;
	*result = session;
	return 0;
}

int hdTlsOpen(struct hdTls *tls, int fd, struct hdTlsSession **result)
{
	return tlsOpen(tls, fd, GNUTLS_SERVER, result);
}

int hdTlsConnect(struct hdTls *tls, int fd, const char *host,
		 struct hdTlsSession **result)
{
	struct hdTlsSession *session;
	unsigned char address[16];
	int ret = tlsOpen(tls, fd, GNUTLS_CLIENT, &session);

	if (ret < 0)
		return ret;
	snprintf(session->host, sizeof(session->host), "%s", host);
	/* Names only, says RFC 6066. */
	if (inet_pton(AF_INET, host, address) != 1 &&
	    inet_pton(AF_INET6, host, address) != 1)
		gnutls_server_name_set(session->session, GNUTLS_NAME_DNS, host,
				       strlen(host));
	if (tls->isByName)
		gnutls_session_set_verify_cert(session->session, session->host,
					       0);
	*result = session;
	return 0;
}

void hdTlsClose(struct hdTlsSession *session)
{
	if (!session)
		return;
	if (session->isReady)
		gnutls_bye(session->session, GNUTLS_SHUT_WR);
	gnutls_deinit(session->session);
	hdTlsDestroy(session->tls);
	free(session);
}

/* What an error of GnuTLS is for us. */
static int tlsError(int ret)
{
	switch (ret) {
	case GNUTLS_E_AGAIN:
	case GNUTLS_E_INTERRUPTED:
		return -EAGAIN;
	case GNUTLS_E_PREMATURE_TERMINATION:
	case GNUTLS_E_PUSH_ERROR:
	case GNUTLS_E_PULL_ERROR:
		return -ECONNRESET;
	case GNUTLS_E_MEMORY_ERROR:
		return -ENOMEM;
	default:
		return gnutls_error_is_fatal(ret) ? -EPROTO : -EAGAIN;
	}
}

/* Say what is wrong with a certificate. */
static void tlsExplain(struct hdTlsSession *session)
{
	unsigned int status =
		gnutls_session_get_verify_cert_status(session->session);
	gnutls_datum_t text = { NULL, 0 };

	gnutls_certificate_verification_status_print(status, GNUTLS_CRT_X509,
						     &text, 0);
	hdNetLog(HD_LOG_ERROR, "%s: %s", session->host,
		 text.data ? (const char *)text.data
			   : "certificate is not trusted");
	gnutls_free(text.data);
}

/* Tell whether the certificate of the other side has the fingerprint. */
static bool tlsIsIt(struct hdTlsSession *session)
{
	unsigned char found[FINGERPRINT_SIZE];
	char text[2 * FINGERPRINT_SIZE + 1] = "";
	size_t size = sizeof(found);
	unsigned int count = 0;
	const gnutls_datum_t *chain =
		gnutls_certificate_get_peers(session->session, &count);

	if (!chain || count == 0 ||
	    gnutls_fingerprint(GNUTLS_DIG_SHA256, &chain[0], found, &size) <
		    0 ||
	    size != sizeof(found)) {
		hdNetLog(HD_LOG_ERROR, "%s: the server has no certificate",
			 session->host);
		return false;
	}
	if (memcmp(found, session->tls->fingerprint, sizeof(found)) == 0)
		return true;
	*hdHexPut(text, found, sizeof(found)) = '\0';
	hdNetLog(HD_LOG_ERROR,
		 "%s: the certificate has a different fingerprint: %s",
		 session->host, text);
	return false;
}

static int tlsShake(struct hdTlsSession *session)
{
	int ret;

	if (session->isReady)
		return 0;
	ret = gnutls_handshake(session->session);
	if (ret == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR) {
		tlsExplain(session);
		return -EACCES;
	}
	if (ret < 0)
		return tlsError(ret);
	if (session->tls->isByFingerprint && !tlsIsIt(session))
		return -EACCES;
	session->isReady = true;
	return 0;
}

ssize_t hdTlsReceive(struct hdTlsSession *session, void *bytes, size_t size)
{
	int ret = tlsShake(session);
	ssize_t got;

	if (ret < 0)
		return ret;
	got = gnutls_record_recv(session->session, bytes, size);
	return got < 0 ? tlsError((int)got) : got;
}

ssize_t hdTlsSend(struct hdTlsSession *session, const void *bytes, size_t size)
{
	int ret = tlsShake(session);
	ssize_t sent;

	if (ret < 0)
		return ret;
	/* What was not sent is in GnuTLS' memory already. */
	if (session->resend > 0)
		sent = gnutls_record_send(session->session, NULL, 0);
	else
		sent = gnutls_record_send(session->session, bytes, size);
	if (sent == GNUTLS_E_AGAIN || sent == GNUTLS_E_INTERRUPTED)
		session->resend = size;
	else
		session->resend = 0;
	return sent < 0 ? tlsError((int)sent) : sent;
}

bool hdTlsWantsToSend(const struct hdTlsSession *session)
{
	return !session->isReady &&
	       gnutls_record_get_direction(session->session) == 1;
}

int hdTlsBinding(struct hdTlsSession *session, const char *label,
		 unsigned char binding[32])
{
	return gnutls_prf_rfc5705(session->session, strlen(label), label, 0,
				  NULL, 32, (char *)binding) == 0
		       ? 0
		       : -EPROTO;
}
