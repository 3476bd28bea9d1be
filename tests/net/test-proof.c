/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Digests and proofs that a secret is known. */
#include "config.h"

#include <string.h>

#include <glib.h>

#include "net/proof.h"
#include "tests/service/hexbytes.h"

static void counted(unsigned char *bytes, unsigned char first)
{
	for (unsigned int i = 0; i < 32; i++)
		bytes[i] = (unsigned char)(first + i);
}

/* FIPS 180-4's examples, and all lengths around a block beside GLib's. */
static void testSha256(void)
{
	static const struct {
		const char *text;
		const char *digest;
	} known[] = {
		{ "abc", "ba7816bf8f01cfea414140de5dae2223"
			 "b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "248d6a61d20638b8e5c026930c3e6039"
		  "a33ce45964ff2167f6ecedd419db06c1" },
		{ "", "e3b0c44298fc1c149afbf4c8996fb924"
		      "27ae41e4649b934ca495991b7852b855" },
	};
	unsigned char digest[HD_SHA256_SIZE], expected[100], text[300];
	struct hdSha256 sha;

	for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
		hexBytes(known[i].digest, expected);
		hdSha256Begin(&sha);
		hdSha256Add(&sha, known[i].text, strlen(known[i].text));
		hdSha256End(&sha, digest);
		g_assert_cmpmem(digest, 32, expected, 32);
	}
	for (size_t length = 0; length < sizeof(text); length++) {
		g_autofree char *other = NULL;
		size_t some = length / 3;

		text[length] = (unsigned char)(length * 7);
		other = g_compute_checksum_for_data(G_CHECKSUM_SHA256, text,
						    length);
		hexBytes(other, expected);
		hdSha256Begin(&sha);
		hdSha256Add(&sha, text, some);
		hdSha256Add(&sha, text + some, length - some);
		hdSha256End(&sha, digest);
		g_assert_cmpmem(digest, 32, expected, 32);
	}
}

/* RFC 4231, test cases 1, 2 and 6; and any length of key beside GLib's. */
static void testHmac(void)
{
	unsigned char digest[HD_SHA256_SIZE], expected[100], key[150];
	struct hdHmac hmac;

	memset(key, 0x0b, 20);
	hdHmacBegin(&hmac, key, 20);
	hdHmacAdd(&hmac, "Hi There", 8);
	hdHmacEnd(&hmac, digest);
	hexBytes("b0344c61d8db38535ca8afceaf0bf12b"
		 "881dc200c9833da726e9376c2e32cff7",
		 expected);
	g_assert_cmpmem(digest, 32, expected, 32);
	hdHmacBegin(&hmac, "Jefe", 4);
	hdHmacAdd(&hmac, "what do ya want ", 16);
	hdHmacAdd(&hmac, "for nothing?", 12);
	hdHmacEnd(&hmac, digest);
	hexBytes("5bdcc146bf60754e6a042426089575c7"
		 "5a003f089d2739839dec58b964ec3843",
		 expected);
	g_assert_cmpmem(digest, 32, expected, 32);
	memset(key, 0xaa, 131);
	hdHmacBegin(&hmac, key, 131);
	hdHmacAdd(&hmac,
		  "Test Using Larger Than Block-Size Key - Hash Key First", 54);
	hdHmacEnd(&hmac, digest);
	hexBytes("60e431591ee0b67f0d8a26aacbf5b77f"
		 "8e0bc6213728c5140546040f0ee37f54",
		 expected);
	g_assert_cmpmem(digest, 32, expected, 32);
	for (size_t length = 1; length < sizeof(key); length++) {
		g_autofree char *other = g_compute_hmac_for_data(
			G_CHECKSUM_SHA256, key, length, key, 17);

		hexBytes(other, expected);
		hdHmacBegin(&hmac, key, length);
		hdHmacAdd(&hmac, key, 17);
		hdHmacEnd(&hmac, digest);
		g_assert_cmpmem(digest, 32, expected, 32);
	}
}

/* A proof, by the formula of the page and with GLib's HMAC. */
static void testProof(void)
{
	const char token[] = "0123456789abcdef0123456789abcdef";
	struct hdProof proof = { token,          32,      { 0 }, { 0 }, { 0 },
				 { "alice", 5 }, "HDPS 1" };
	unsigned char message[16 + 96 + 5] = "HDPS 1 client", expected[100];
	unsigned char client[32], server[32];
	g_autofree char *other = NULL;

	counted(proof.serverNonce, 1);
	counted(proof.clientNonce, 100);
	counted(proof.binding, 200);
	counted(message + 16, 1);
	counted(message + 48, 100);
	counted(message + 80, 200);
	memcpy(message + 112, "alice", 5);
	other = g_compute_hmac_for_data(G_CHECKSUM_SHA256,
					(const guchar *)token, 32, message,
					sizeof(message));
	hexBytes(other, expected);
	hdProve(&proof, HD_PROOF_CLIENT, client);
	g_assert_cmpmem(client, 32, expected, 32);
	hdProve(&proof, HD_PROOF_SERVER, server);
	g_assert_false(hdProofIsEqual(client, server, 32));
	g_assert_true(hdProofIsEqual(client, expected, 32));
	for (size_t i = 0; i < 32; i++) {
		expected[i] ^= 0x80;
		g_assert_false(hdProofIsEqual(client, expected, 32));
		expected[i] ^= 0x80;
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/proof/sha-256", testSha256);
	g_test_add_func("/proof/hmac", testHmac);
	g_test_add_func("/proof/proof", testProof);
	return g_test_run();
}
