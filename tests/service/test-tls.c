/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/*
 * The power service inside TLS: both protocols, proofs that are bound to the
 * connection, hosts that must use it, and certificates that change.
 */
#include "config.h"

#include <glib/gstdio.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <PT.h>
#include "PowerTracingLibrary/service/site/parse.h"
#include "tests/service/native-peer.h"
#include "tests/service/scene.h"

#define TOKEN "0123456789abcdef0123456789abcdef"

static char *directory, *certificate, *key, *tokens;

static void good(int ret)
{
	if (ret < 0)
		g_error("GnuTLS: %s", gnutls_strerror(ret));
}

static void writeFile(const char *path, const void *data, size_t size)
{
	g_unlink(path);
	g_assert_true(g_file_set_contents_full(path, data, (gssize)size,
					       G_FILE_SET_CONTENTS_NONE, 0600,
					       NULL));
}

/* Write a certificate that signs itself, and its key. */
static void writeCertificate(unsigned char serial)
{
	gnutls_x509_privkey_t private;
	gnutls_x509_crt_t crt;
	gnutls_datum_t text;

	good(gnutls_x509_privkey_init(&private));
	good(gnutls_x509_privkey_generate(
		private, GNUTLS_PK_ECDSA,
		GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0));
	good(gnutls_x509_crt_init(&crt));
	good(gnutls_x509_crt_set_version(crt, 3));
	good(gnutls_x509_crt_set_serial(crt, &serial, 1));
	good(gnutls_x509_crt_set_activation_time(crt, time(NULL) - 3600));
	good(gnutls_x509_crt_set_expiration_time(crt, time(NULL) + 86400));
	good(gnutls_x509_crt_set_key(crt, private));
	good(gnutls_x509_crt_sign2(crt, crt, private, GNUTLS_DIG_SHA256, 0));
	good(gnutls_x509_crt_export2(crt, GNUTLS_X509_FMT_PEM, &text));
	writeFile(certificate, text.data, text.size);
	gnutls_free(text.data);
	good(gnutls_x509_privkey_export2(private, GNUTLS_X509_FMT_PEM, &text));
	writeFile(key, text.data, text.size);
	gnutls_free(text.data);
	gnutls_x509_crt_deinit(crt);
	gnutls_x509_privkey_deinit(private);
}

static char *configuration(void)
{
	return g_strdup_printf(
		SCENE_SERVER "tokens=%s\ncertificate=%s\nkey=%s\n" SCENE_DEVICE,
		tokens, certificate, key);
}

/* ---- A client ---------------------------------------------------------- */

struct secure {
	int fd;
	gnutls_certificate_credentials_t credentials;
	gnutls_session_t session;
};

static void secureOpen(struct secure *s, int fd)
{
	int ret;

	s->fd = fd;
	good(gnutls_certificate_allocate_credentials(&s->credentials));
	good(gnutls_init(&s->session, GNUTLS_CLIENT));
	good(gnutls_set_default_priority(s->session));
	good(gnutls_credentials_set(s->session, GNUTLS_CRD_CERTIFICATE,
				    s->credentials));
	gnutls_transport_set_int(s->session, fd);
	do
		ret = gnutls_handshake(s->session);
	while (ret < 0 && !gnutls_error_is_fatal(ret));
	good(ret);
}

static void secureSay(struct secure *s, const void *bytes, size_t size)
{
	g_assert_cmpint(gnutls_record_send(s->session, bytes, size), ==,
			(gssize)size);
}

static void secureHear(struct secure *s, void *bytes, size_t size)
{
	for (size_t used = 0; used < size;) {
		ssize_t got = gnutls_record_recv(
			s->session, (char *)bytes + used, size - used);

		if (got == GNUTLS_E_AGAIN || got == GNUTLS_E_INTERRUPTED)
			continue;
		g_assert_cmpint(got, >, 0);
		used += (size_t)got;
	}
}

static void secureClose(struct secure *s)
{
	gnutls_bye(s->session, GNUTLS_SHUT_WR);
	gnutls_deinit(s->session);
	gnutls_certificate_free_credentials(s->credentials);
	close(s->fd);
}

/* The serial number of the certificate that the server showed. */
static unsigned char secureSerial(struct secure *s)
{
	unsigned int count;
	const gnutls_datum_t *list =
		gnutls_certificate_get_peers(s->session, &count);
	gnutls_x509_crt_t crt;
	unsigned char serial[20];
	size_t size = sizeof(serial);

	g_assert_cmpuint(count, ==, 1);
	good(gnutls_x509_crt_init(&crt));
	good(gnutls_x509_crt_import(crt, list, GNUTLS_X509_FMT_DER));
	good(gnutls_x509_crt_get_serial(crt, serial, &size));
	gnutls_x509_crt_deinit(crt);
	return serial[size - 1];
}

/* Say hello and authenticate; returns the type of the answer. */
static unsigned int authenticate(struct secure *s, bool isBound)
{
	const struct hdFrameHello hello = { 1, 1, 0, 65536 };
	struct hdProof proof = { .protocol = ptWireAuthentication.protocol,
				 .token = TOKEN,
				 .tokenLength = strlen(TOKEN),
				 .user = { "alice", 5 } };
	struct hdFrameAuthenticate request = { .user = { "alice", 5 } };
	struct hdFrameGreeting greeting;
	struct hdFrameHeader header;
	unsigned char bytes[400];
	size_t size;

	hdFrameEncodeHello(PT_WIRE_MAGIC, &hello, bytes);
	secureSay(s, bytes, HD_FRAME_HELLO_SIZE);
	secureHear(s, bytes, HD_FRAME_GREETING_SIZE);
	g_assert_cmpint(
		hdFrameDecodeGreeting(PT_WIRE_MAGIC, bytes, &greeting, NULL),
		==, 0);
	g_assert_cmpuint(greeting.flags, ==, HD_FRAME_ENCRYPTED);
	memcpy(proof.serverNonce, greeting.nonce, 32);
	if (isBound)
		good(gnutls_prf_rfc5705(s->session,
					strlen(ptWireAuthentication.exporter),
					ptWireAuthentication.exporter, 0, NULL,
					32, (char *)proof.binding));
	hdProve(&proof, HD_PROOF_CLIENT, request.proof);
	size = ptWireEncode(PT_WIRE_AUTHENTICATE, 1, &request, bytes,
			    sizeof(bytes), NULL);
	secureSay(s, bytes, size);
	secureHear(s, bytes, HD_FRAME_HEADER_SIZE);
	hdFrameDecodeHeader(bytes, &header);
	secureHear(s, bytes, header.length);
	return header.type;
}

/* ---- Tests ------------------------------------------------------------- */

static void testBoth(void)
{
	g_autofree char *config = configuration();
	struct scene *scene = sceneBegin(config);
	struct secure s;
	unsigned char bytes[100];
	int fd;

	/* pmlib; a client of this host may do without TLS. */
	secureOpen(&s, peerOpen(scene));
	secureSay(&s, "\7\0\0\0", 4);
	secureHear(&s, bytes, 12);
	g_assert_cmpmem(bytes, 12, "\1\0\0\0\4\0\0\0Dev1", 12);
	secureClose(&s);
	fd = peerOpen(scene);
	peerSay(fd, "07000000");
	peerHear(fd, "01000000 04000000 44657631");
	peerEnd(fd);
	/* A proof holds for the connection that it was made for. */
	secureOpen(&s, peerOpenFrom(scene, "127.0.0.2"));
	g_assert_cmpuint(authenticate(&s, true), ==, PT_WIRE_AUTHENTICATED);
	secureClose(&s);
	secureOpen(&s, peerOpenFrom(scene, "127.0.0.2"));
	g_assert_cmpuint(authenticate(&s, false), ==, PT_WIRE_ERROR);
	secureClose(&s);
	sceneClients(scene, 0);
	sceneEnd(scene);
}

/* Other hosts must use it. */
static void testMust(void)
{
	g_autofree char *config = configuration();
	struct scene *scene = sceneBegin(config);
	struct native *native = nativeOpen(peerOpenFrom(scene, "127.0.0.2"));

	nativeError(native, 0, HD_FRAME_EFORBIDDEN);
	peerEnd(native->fd);
	nativeFree(native);
	sceneSaid("other hosts must use TLS");
	sceneEnd(scene);
}

/* What is not TLS, what goes in the middle of a handshake, and silence. */
static void testBroken(void)
{
	g_autofree char *config = configuration();
	g_autofree char *quick = g_strconcat(
		"[Server]\ntimeout=1\n", config + strlen("[Server]\n"), NULL);
	struct scene *scene = sceneBegin(quick);
	int fd = peerOpen(scene);

	peerSay(fd, "160301 0005 0200000100");
	sceneSaid("TLS handshake failed");
	close(fd);
	fd = peerOpen(scene);
	peerSay(fd, "160301 0200 01");
	close(fd);
	fd = peerOpen(scene);
	peerSay(fd, "160301 0200 01");
	/* Whatever it says last is TLS'. */
	SCENE_WAIT(recv(fd, &(char){ 0 }, 1, 0) <= 0);
	close(fd);
	sceneClients(scene, 0);
	sceneEnd(scene);
}

/* Much data, in both directions. */
static void testMuch(void)
{
	enum { COUNT = 20000 };
	g_autofree char *config = configuration();
	g_autofree double *values = g_new(double, COUNT);
	struct scene *scene = sceneBegin(config);
	static const char request[] =
		"\0\0\0\0\4\0\0\0Dev1\0\0\0\0\0\0\0\0"
		"\20\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
	int32_t head[5];
	struct secure s;

	secureOpen(&s, peerOpen(scene));
	secureSay(&s, request, sizeof(request) - 1);
	secureHear(&s, head, 4);
	g_assert_cmpint(head[0], ==, 0);
	secureSay(&s, "\1\0\0\0", 4);
	secureHear(&s, head, 4);
	sceneGiveMany(scene, "Dev1", 1007, COUNT);
	secureSay(&s, "\3\0\0\0", 4);
	secureHear(&s, head, 4);
	secureSay(&s, "\4\0\0\0", 4);
	secureHear(&s, head, sizeof(head));
	g_assert_cmpint(head[0], ==, COUNT);
	secureHear(&s, values, COUNT * sizeof(*values));
	for (int i = 0; i < COUNT; i++)
		g_assert_cmpfloat(values[i], ==, 1007);
	secureClose(&s);
	sceneIsEmpty(scene);
	sceneEnd(scene);
}

/* SIGHUP takes another certificate; connections that there are go on. */
static void testReload(void)
{
	g_autofree char *config = configuration();
	struct scene *scene = sceneBegin(config);
	struct secure old, new;
	unsigned char bytes[12];

	secureOpen(&old, peerOpen(scene));
	g_assert_cmpuint(secureSerial(&old), ==, 1);
	writeCertificate(2);
	g_assert_cmpint(sceneReload(scene, config), ==, 0);
	secureOpen(&new, peerOpen(scene));
	g_assert_cmpuint(secureSerial(&new), ==, 2);
	secureClose(&new);
	secureSay(&old, "\7\0\0\0", 4);
	secureHear(&old, bytes, 12);
	secureClose(&old);
	/* One that cannot be used changes nothing. */
	writeFile(certificate, "x", 1);
	g_assert_cmpint(sceneReload(scene, config), ==, PT_ECONFINVALID);
	sceneSaid("certificate.pem");
	secureOpen(&new, peerOpen(scene));
	g_assert_cmpuint(secureSerial(&new), ==, 2);
	secureClose(&new);
	writeCertificate(1);
	sceneEnd(scene);
}

int main(int argc, char **argv)
{
	int result;

	sceneInit(&argc, &argv);
	directory = g_dir_make_tmp("hdtrace-XXXXXX", NULL);
	certificate = g_build_filename(directory, "certificate.pem", NULL);
	key = g_build_filename(directory, "key.pem", NULL);
	tokens = g_build_filename(directory, "tokens", NULL);
	writeCertificate(1);
	writeFile(tokens, "alice " TOKEN "\n", strlen("alice " TOKEN "\n"));
	hdNetworkLoopbacks[0] =
		(struct hdNetwork){ AF_INET, { 127, 0, 0, 1 }, 32 };
	g_test_add_func("/tls/both", testBoth);
	g_test_add_func("/tls/must", testMust);
	g_test_add_func("/tls/broken", testBroken);
	g_test_add_func("/tls/much", testMuch);
	g_test_add_func("/tls/reload", testReload);
	result = g_test_run();
	g_unlink(certificate);
	g_unlink(key);
	g_unlink(tokens);
	g_rmdir(directory);
	g_free(certificate);
	g_free(key);
	g_free(tokens);
	g_free(directory);
	return result;
}
