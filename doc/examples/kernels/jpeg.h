/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Baseline JPEG: ITU-T T.81 (ISO/IEC 10918-1), with the file header of
 * JFIF 1.02. Pictures are YCbCr with chroma of half the size in both directions
 * (4:2:0); width and height are multiples of 16.
 */
#ifndef KERNELS_JPEG_H
#define KERNELS_JPEG_H

#include <stdint.h>
#include <stdio.h>

#define BLOCK 64 /* Samples of a block, 8 x 8. */

/* Transform the samples of a block by the definition of the DCT, quantize the
 * coefficients, and put them in zigzag order. */
void jpegTransform(const unsigned char samples[BLOCK], int isChroma,
		   int16_t coefficients[BLOCK]);

/* A picture: coefficients of its blocks, of each component from left to right
 * and down. */
struct jpegPicture {
	unsigned int width, height;
	const int16_t (*y)[BLOCK], (*u)[BLOCK], (*v)[BLOCK];
};

/* Write a picture; errors are the file's. */
void jpegWrite(const struct jpegPicture *picture, FILE *file);

#endif
