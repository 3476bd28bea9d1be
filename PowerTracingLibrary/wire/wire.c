/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bytes of the power service's protocol; see wire.h. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "PowerTracingLibrary/wire/wirefields.h"

struct ptWireText ptWireTextOf(const char *string)
{
	return (struct ptWireText){ string, string ? strlen(string) : 0 };
}

bool ptWireTextIs(struct ptWireText text, const char *string)
{
	return strlen(string) == text.length &&
	       (text.length == 0 || memcmp(text.at, string, text.length) == 0);
}

bool ptWireTextCopy(struct ptWireText text, char *string, size_t size)
{
	size_t length = text.length < size ? text.length : size - 1;

	if (length > 0)
		memcpy(string, text.at, length);
	string[length] = '\0';
	return length == text.length;
}

void ptWireEncodeHello(const struct ptWireHello *hello,
		       unsigned char bytes[PT_WIRE_HELLO_SIZE])
{
	memcpy(bytes, PT_WIRE_MAGIC, PT_WIRE_MAGIC_SIZE);
	ptWirePutFields(ptWireHelloFields, hello, bytes + PT_WIRE_MAGIC_SIZE,
			PT_WIRE_HELLO_SIZE - PT_WIRE_MAGIC_SIZE);
}

int ptWireDecodeHello(const unsigned char bytes[PT_WIRE_HELLO_SIZE],
		      struct ptWireHello *hello)
{
	struct ptWireRest rest = { bytes + PT_WIRE_MAGIC_SIZE,
				   PT_WIRE_HELLO_SIZE - PT_WIRE_MAGIC_SIZE };

	if (memcmp(bytes, PT_WIRE_MAGIC, PT_WIRE_MAGIC_SIZE) != 0)
		return -EBADMSG;
	return ptWireGetFields(ptWireHelloFields, &rest, hello);
}

void ptWireEncodeGreeting(const struct ptWireGreeting *greeting,
			  unsigned char bytes[PT_WIRE_GREETING_SIZE])
{
	memcpy(bytes, PT_WIRE_MAGIC, PT_WIRE_MAGIC_SIZE);
	ptWirePutFields(ptWireGreetingFields, greeting,
			bytes + PT_WIRE_MAGIC_SIZE,
			PT_WIRE_GREETING_SIZE - PT_WIRE_MAGIC_SIZE);
}

int ptWireDecodeGreeting(const unsigned char bytes[PT_WIRE_GREETING_SIZE],
			 struct ptWireGreeting *greeting)
{
	struct ptWireRest rest = { bytes + PT_WIRE_MAGIC_SIZE,
				   PT_WIRE_GREETING_SIZE - PT_WIRE_MAGIC_SIZE };

	if (memcmp(bytes, PT_WIRE_MAGIC, PT_WIRE_MAGIC_SIZE) != 0)
		return -EBADMSG;
	return ptWireGetFields(ptWireGreetingFields, &rest, greeting);
}

void ptWireEncodeHeader(const struct ptWireHeader *header,
			unsigned char bytes[PT_WIRE_HEADER_SIZE])
{
	ptWirePutFields(ptWireHeaderFields, header, bytes, PT_WIRE_HEADER_SIZE);
}

void ptWireDecodeHeader(const unsigned char bytes[PT_WIRE_HEADER_SIZE],
			struct ptWireHeader *header)
{
	struct ptWireRest rest = { bytes, PT_WIRE_HEADER_SIZE };

	ptWireGetFields(ptWireHeaderFields, &rest, header);
}

size_t ptWireEncode(enum ptWireType type, uint16_t tag, const void *message,
		    unsigned char *bytes, size_t size)
{
	const struct ptWireField *fields = ptWireFieldsOf(type);
	struct ptWireHeader header = { .type = (uint16_t)type, .tag = tag };
	int ret;

	if (!fields || size < PT_WIRE_HEADER_SIZE)
		return 0;
	ret = ptWirePutFields(fields, message, bytes + PT_WIRE_HEADER_SIZE,
			      size - PT_WIRE_HEADER_SIZE);
	if (ret < 0)
		return 0;
	header.length = (uint32_t)ret;
	ptWireEncodeHeader(&header, bytes);
	return PT_WIRE_HEADER_SIZE + (size_t)ret;
}

int ptWireDecode(unsigned int type, const unsigned char *payload, size_t length,
		 void *message)
{
	const struct ptWireField *fields = ptWireFieldsOf(type);
	struct ptWireRest rest = { payload, length };

	return fields ? ptWireGetFields(fields, &rest, message) : -ENOENT;
}

size_t ptWirePutSelection(const struct ptWireSelection *selection,
			  unsigned char *bytes, size_t size)
{
	int ret =
		ptWirePutFields(ptWireSelectionFields, selection, bytes, size);

	return ret < 0 ? 0 : (size_t)ret;
}

int ptWireGetSelection(struct ptWireRest *rest,
		       struct ptWireSelection *selection)
{
	return ptWireGetFields(ptWireSelectionFields, rest, selection);
}

void ptWirePutColumnTotal(const struct ptWireColumnTotal *total,
			  unsigned char bytes[PT_WIRE_COLUMN_TOTAL_SIZE])
{
	ptWirePutFields(ptWireColumnTotalFields, total, bytes,
			PT_WIRE_COLUMN_TOTAL_SIZE);
}

int ptWireGetColumnTotal(struct ptWireRest *rest,
			 struct ptWireColumnTotal *total)
{
	return ptWireGetFields(ptWireColumnTotalFields, rest, total);
}

/* ---- Data -------------------------------------------------------------- */

/* Bytes of a reading without its values, and of the fields before the arrays.
 */
#define READING_SIZE (3 * 8 + 2 * 4)
#define DATA_SIZE 16

size_t ptWireDataSize(size_t count, size_t columns)
{
	return DATA_SIZE + count * (READING_SIZE + 8 * columns);
}

int ptWireViewData(const struct ptWireData *data, struct ptWireView *view)
{
	size_t n = data->count;
	const unsigned char *at = data->arrays.at;

	if (n == 0 ||
	    data->arrays.length / n < READING_SIZE + 8 * (size_t)data->columns)
		return -EBADMSG;
	view->wall = at;
	view->mono = at + 8 * n;
	view->length = at + 16 * n;
	view->lost = at + 24 * n;
	view->marks = at + 28 * n;
	view->values = at + 32 * n;
	return 0;
}

uint64_t ptWireGet64(const unsigned char *array, size_t index)
{
	uint64_t number = 0;

	for (size_t i = 8; i-- > 0;)
		number = number << 8 | array[8 * index + i];
	return number;
}

uint32_t ptWireGet32(const unsigned char *array, size_t index)
{
	uint32_t number = 0;

	for (size_t i = 4; i-- > 0;)
		number = number << 8 | array[4 * index + i];
	return number;
}

double ptWireGetDouble(const unsigned char *array, size_t index)
{
	uint64_t bits = ptWireGet64(array, index);
	double number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

#ifdef WORDS_BIGENDIAN
static void putTurned(unsigned char *array, const unsigned char *bytes,
		      size_t size, size_t count)
{
	for (size_t i = 0; i < count * size; i++)
		array[i] = bytes[i - i % size + size - 1 - i % size];
}
#else
static void putTurned(unsigned char *array, const unsigned char *bytes,
		      size_t size, size_t count)
{
	memcpy(array, bytes, size * count);
}
#endif

void ptWirePut64(unsigned char *array, const void *numbers, size_t count)
{
	putTurned(array, numbers, 8, count);
}

void ptWirePut32(unsigned char *array, const void *numbers, size_t count)
{
	putTurned(array, numbers, 4, count);
}

/* ---- Proofs ------------------------------------------------------------ */

void ptWireProve(const struct ptWireProof *proof, enum ptWireSide side,
		 unsigned char result[PT_WIRE_PROOF_SIZE])
{
	static const char sides[2][16] = {
		[PT_WIRE_CLIENT_SIDE] = "HDPS 1 client",
		[PT_WIRE_SERVER_SIDE] = "HDPS 1 server",
	};
	struct ptHmac hmac;

	ptHmacBegin(&hmac, proof->token, proof->tokenLength);
	ptHmacAdd(&hmac, sides[side], sizeof(sides[side]));
	ptHmacAdd(&hmac, proof->serverNonce, sizeof(proof->serverNonce));
	ptHmacAdd(&hmac, proof->clientNonce, sizeof(proof->clientNonce));
	ptHmacAdd(&hmac, proof->binding, sizeof(proof->binding));
	ptHmacAdd(&hmac, proof->user.at, proof->user.length);
	ptHmacEnd(&hmac, result);
}

bool ptWireIsEqual(const void *a, const void *b, size_t size)
{
	const volatile unsigned char *left = a, *right = b;
	unsigned char difference = 0;

	for (size_t i = 0; i < size; i++)
		difference |= left[i] ^ right[i];
	return difference == 0;
}
