/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* See jpeg.h; tables, figures and sections are those of T.81. */
#include <math.h>
#include <string.h>

#include "jpeg.h"

#define PI 3.14159265358979323846L

/* Where coefficients of the zigzag order are (figure A.6). */
static const unsigned char zigzag[BLOCK] = {
	0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,
	12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
	58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
};

/* Tables K.1 and K.2. They are used halved, which K.1 calls nearly
 * indistinguishable from the original. */
static const unsigned char
	quantization[2][BLOCK] = {
		{ 16,  11,  10,  16,  24, 40, 51,  61,  12,  12,  14,  19,  26,
		  58,  60,  55,  14,  13, 16, 24,  40,  57,  69,  56,  14,  17,
		  22,  29,  51,  87,  80, 62, 18,  22,  37,  56,  68,  109, 103,
		  77,  24,  35,  55,  64, 81, 104, 113, 92,  49,  64,  78,  87,
		  103, 121, 120, 101, 72, 92, 95,  98,  112, 100, 103, 99 },
		{ 17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99,
		  99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66,
		  99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
		  99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
		  99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99 },
	};

/* A table of Huffman codes as DHT has it: how many there are of each length,
 * and what they stand for. */
struct huffman {
	unsigned char lengths[16];
	unsigned char values[162];
};

/* Tables K.3 and K.4: sizes of differences of DC. */
static const struct huffman dcTables[2] = {
	{ { 0, 1, 5, 1, 1, 1, 1, 1, 1 },
	  { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 } },
	{ { 0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1 },
	  { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 } },
};

/* Tables K.5 and K.6: how many zeros come before an AC, and its size. */
static const struct huffman acTables[2] = {
	{ { 0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125 },
	  { 0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41,
	    0x06, 0x13, 0x51, 0x61, 0x07, 0x22, 0x71, 0x14, 0x32, 0x81, 0x91,
	    0xa1, 0x08, 0x23, 0x42, 0xb1, 0xc1, 0x15, 0x52, 0xd1, 0xf0, 0x24,
	    0x33, 0x62, 0x72, 0x82, 0x09, 0x0a, 0x16, 0x17, 0x18, 0x19, 0x1a,
	    0x25, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x34, 0x35, 0x36, 0x37, 0x38,
	    0x39, 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53,
	    0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5a, 0x63, 0x64, 0x65, 0x66,
	    0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79,
	    0x7a, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x92, 0x93,
	    0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0xa2, 0xa3, 0xa4, 0xa5,
	    0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7,
	    0xb8, 0xb9, 0xba, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9,
	    0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xe1,
	    0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xf1, 0xf2,
	    0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa } },
	{ { 0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119 },
	  { 0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12,
	    0x41, 0x51, 0x07, 0x61, 0x71, 0x13, 0x22, 0x32, 0x81, 0x08, 0x14,
	    0x42, 0x91, 0xa1, 0xb1, 0xc1, 0x09, 0x23, 0x33, 0x52, 0xf0, 0x15,
	    0x62, 0x72, 0xd1, 0x0a, 0x16, 0x24, 0x34, 0xe1, 0x25, 0xf1, 0x17,
	    0x18, 0x19, 0x1a, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x35, 0x36, 0x37,
	    0x38, 0x39, 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a,
	    0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5a, 0x63, 0x64, 0x65,
	    0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78,
	    0x79, 0x7a, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a,
	    0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0xa2, 0xa3,
	    0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5,
	    0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7,
	    0xc8, 0xc9, 0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9,
	    0xda, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xf2,
	    0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa } },
};

static int quantum(int isChroma, int i)
{
	return (quantization[isChroma][zigzag[i]] + 1) / 2;
}

/* ---- Transform ------------------------------------------------------------
 */

static long double cosine(int angle)
{
	return cosl(angle % 32 * PI / 16);
}

/* Section A.3.3 as it stands there, but that cosines of x and 7 - x are the
 * same but for their sign. Slow, which is what makes it a kernel, and with more
 * digits than needed, so that all machines round to the same numbers. */
static long double coefficient(const unsigned char *samples, int u, int v)
{
	int across = u % 2 == 0 ? 1 : -1, down = v % 2 == 0 ? 1 : -1;
	/* Samples are less by 128, which is nothing where signs differ. */
	int level = 128 * (1 + across) * (1 + down);
	long double sum = 0;

	for (int y = 0; y < 4; y++) {
		const unsigned char *upper = &samples[8 * y];
		const unsigned char *lower = &samples[8 * (7 - y)];

		for (int x = 0; x < 4; x++) {
			int four = upper[x] + across * upper[7 - x] +
				   down * (lower[x] + across * lower[7 - x]);

			sum += (four - level) * cosine((2 * x + 1) * u) *
			       cosine((2 * y + 1) * v);
		}
	}
	return sum / 4 * (u == 0 ? sqrtl(0.5L) : 1) *
	       (v == 0 ? sqrtl(0.5L) : 1);
}

void jpegTransform(const unsigned char samples[BLOCK], int isChroma,
		   int16_t coefficients[BLOCK])
{
	for (int i = 0; i < BLOCK; i++)
		coefficients[i] = (int16_t)lroundl(
			coefficient(samples, zigzag[i] % 8, zigzag[i] / 8) /
			quantum(isChroma, i));
}

/* ---- Entropy coding -------------------------------------------------------
 */

/* Codes by what they stand for (annex C). */
struct codes {
	unsigned int code[256];
	unsigned char length[256];
};

static void makeCodes(const struct huffman *from, struct codes *codes)
{
	unsigned int code = 0;
	int k = 0;

	for (int length = 1; length <= 16; length++) {
		for (int i = 0; i < from->lengths[length - 1]; i++, k++) {
			codes->code[from->values[k]] = code++;
			codes->length[from->values[k]] = (unsigned char)length;
		}
		code <<= 1;
	}
}

/* Bits that do not make a byte yet. */
struct bits {
	FILE *file;
	unsigned int held;
	int count;
};

/* The highest first; a byte of ones is followed by a zero (F.1.2.3). */
static void putBits(struct bits *bits, unsigned int value, int count)
{
	while (count-- > 0) {
		bits->held = bits->held << 1 | (value >> count & 1);
		if (++bits->count < 8)
			continue;
		putc((int)(bits->held & 0xff), bits->file);
		if ((bits->held & 0xff) == 0xff)
			putc(0, bits->file);
		bits->count = 0;
	}
}

/* How many bits an amount has (tables F.1 and F.2). */
static int sizeOf(int amount)
{
	int size = 0;

	for (amount = amount < 0 ? -amount : amount; amount > 0; amount >>= 1)
		size++;
	return size;
}

/* A code, and the amount: one less, if it is negative, of its lowest bits. */
static void putAmount(struct bits *bits, const struct codes *codes, int zeros,
		      int amount)
{
	int size = sizeOf(amount);
	int symbol = zeros << 4 | size;

	putBits(bits, codes->code[symbol], codes->length[symbol]);
	putBits(bits, (unsigned int)(amount < 0 ? amount - 1 : amount), size);
}

/* The codes of luma and of chroma. */
struct encoder {
	struct bits bits;
	struct codes dc[2], ac[2];
	int before[3]; /* DC of the block before, of each component. */
};

/* Sections F.1.2.1 and F.1.2.2. */
static void putBlock(struct encoder *encoder, int component,
		     const int16_t *block)
{
	int isChroma = component > 0, zeros = 0, last = BLOCK - 1;
	const struct codes *ac = &encoder->ac[isChroma];

	putAmount(&encoder->bits, &encoder->dc[isChroma], 0,
		  block[0] - encoder->before[component]);
	encoder->before[component] = block[0];
	while (last > 0 && block[last] == 0)
		last--;
	for (int i = 1; i <= last; i++) {
		if (block[i] == 0) {
			zeros++;
			continue;
		}
		for (; zeros > 15; zeros -= 16)
			putBits(&encoder->bits, ac->code[0xf0],
				ac->length[0xf0]);
		putAmount(&encoder->bits, ac, zeros, block[i]);
		zeros = 0;
	}
	if (last < BLOCK - 1)
		putBits(&encoder->bits, ac->code[0], ac->length[0]);
}

/* ---- Files ----------------------------------------------------------------
 */

/* A marker, and the length of what follows, itself included (B.1.1.4). */
static void putMarker(FILE *file, int marker, unsigned int length)
{
	putc(0xff, file);
	putc(marker, file);
	if (length > 0) {
		putc((int)(length >> 8), file);
		putc((int)(length & 0xff), file);
	}
}

static void putHuffman(FILE *file, int which, const struct huffman *table)
{
	unsigned int count = 0;

	for (int i = 0; i < 16; i++)
		count += table->lengths[i];
	putMarker(file, 0xc4, 2 + 1 + 16 + count);
	putc(which, file);
	fwrite(table->lengths, 1, 16, file);
	fwrite(table->values, 1, count, file);
}

static void putHeader(const struct jpegPicture *picture, FILE *file)
{
	/* JFIF 1.02, square pixels, no thumbnail. */
	static const unsigned char jfif[14] = { 'J', 'F', 'I', 'F', 0, 1, 2,
						0,   0,   1,   0,   1, 0, 0 };
	/* Components, sampling, tables: of the frame, and of the scan. */
	static const unsigned char frame[9] = { 1, 0x22, 0,    2, 0x11,
						1, 3,    0x11, 1 };
	static const unsigned char scan[9] = { 1,    0x00, 2,  0x11, 3,
					       0x11, 0,    63, 0 };

	putMarker(file, 0xd8, 0);
	putMarker(file, 0xe0, 2 + sizeof(jfif));
	fwrite(jfif, 1, sizeof(jfif), file);
	for (int table = 0; table < 2; table++) {
		putMarker(file, 0xdb, 2 + 1 + BLOCK);
		putc(table, file);
		for (int i = 0; i < BLOCK; i++)
			putc(quantum(table, i), file);
	}
	putMarker(file, 0xc0, 2 + 6 + sizeof(frame));
	putc(8, file);
	putc((int)(picture->height >> 8), file);
	putc((int)(picture->height & 0xff), file);
	putc((int)(picture->width >> 8), file);
	putc((int)(picture->width & 0xff), file);
	putc(3, file);
	fwrite(frame, 1, sizeof(frame), file);
	for (int table = 0; table < 2; table++) {
		putHuffman(file, table, &dcTables[table]);
		putHuffman(file, 0x10 | table, &acTables[table]);
	}
	putMarker(file, 0xda, 2 + 1 + sizeof(scan));
	putc(3, file);
	fwrite(scan, 1, sizeof(scan), file);
}

void jpegWrite(const struct jpegPicture *picture, FILE *file)
{
	struct encoder encoder = { .bits = { file, 0, 0 } };
	unsigned int across = picture->width / 16, down = picture->height / 16;

	for (int table = 0; table < 2; table++) {
		makeCodes(&dcTables[table], &encoder.dc[table]);
		makeCodes(&acTables[table], &encoder.ac[table]);
	}
	putHeader(picture, file);
	/* Four blocks of luma, one of each chroma (A.2.3). */
	for (unsigned int i = 0; i < across * down; i++) {
		unsigned int row = i / across, column = i % across;

		for (unsigned int k = 0; k < 4; k++)
			putBlock(&encoder, 0,
				 picture->y[(2 * row + k / 2) * 2 * across +
					    2 * column + k % 2]);
		putBlock(&encoder, 1, picture->u[i]);
		putBlock(&encoder, 2, picture->v[i]);
	}
	/* Ones fill the last byte. */
	if (encoder.bits.count > 0)
		putBits(&encoder.bits, 0xff, 8 - encoder.bits.count);
	putMarker(file, 0xd9, 0);
}
