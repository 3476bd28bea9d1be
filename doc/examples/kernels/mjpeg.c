/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mjpeg: motion JPEG with kernels, as in section 6.3 of the work that
 * dispatcher.h names: a film of CIF pictures, 352 x 288, becomes a file of JPEG
 * pictures one behind the other. The film is drawn here, always the same, or
 * read from a file of planar YUV 4:2:0.
 *
 *     mjpeg                      51 pictures into mjpeg.mjpg
 *     mjpeg -i film.yuv -f 10 -o film.mjpg
 *
 * Build it with:
 *     cc -O2 -o mjpeg mjpeg.c jpeg.c dispatcher.c \
 *             $(pkg-config --static --cflags --libs libhdProbe) -lm
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dispatcher.h"
#include "jpeg.h"

#define WIDTH 352
#define HEIGHT 288
#define LUMA (WIDTH * HEIGHT / BLOCK)
#define CHROMA (LUMA / 4)
/* Samples of a picture: all of luma, then half of it of the two chromas. */
#define SAMPLES (WIDTH * HEIGHT * 3 / 2)

static int frames = 51;
static const char *inputPath, *outputPath = "mjpeg.mjpg", *copyPath;
static FILE *input, *output, *copy;

static struct field film = { "film", 1, 1, NULL };
static struct field yInput = { "y_input", BLOCK, LUMA, NULL };
static struct field uInput = { "u_input", BLOCK, CHROMA, NULL };
static struct field vInput = { "v_input", BLOCK, CHROMA, NULL };
static struct field yResult = { "y_result", BLOCK * sizeof(int16_t), LUMA,
				NULL };
static struct field uResult = { "u_result", BLOCK * sizeof(int16_t), CHROMA,
				NULL };
static struct field vResult = { "v_result", BLOCK * sizeof(int16_t), CHROMA,
				NULL };
static struct field written = { "written", 1, 1, NULL };

static FILE *openFile(const char *path, const char *mode)
{
	FILE *file = fopen(path, mode);

	if (!file)
		fail(path);
	return file;
}

static void init(struct instance *instance)
{
	(void)instance;
	output = openFile(outputPath, "wb");
	if (inputPath)
		input = openFile(inputPath, "rb");
	if (copyPath)
		copy = openFile(copyPath, "wb");
}

static unsigned char sample(double value)
{
	return (unsigned char)fmin(fmax(lround(value), 0), 255);
}

/* Waves that move, and a disc that goes around. */
static void draw(unsigned char *picture, int frame)
{
	unsigned char *u = picture + WIDTH * HEIGHT;
	unsigned char *v = u + WIDTH * HEIGHT / 4;
	double centreX = 176 + 100 * cos(frame * 0.12);
	double centreY = 144 + 80 * sin(frame * 0.12);

	for (int y = 0; y < HEIGHT; y++) {
		double row = 40 * sin((y - 2 * frame) * 0.05);

		for (int x = 0; x < WIDTH; x++) {
			double dx = x - centreX, dy = y - centreY;
			int isDisc = dx * dx + dy * dy < 40 * 40;

			picture[y * WIDTH + x] = sample(
				isDisc ? 150
				       : 110 + row + 0.15 * x +
						 3 * ((x * 7 + y * 13) % 5));
		}
	}
	for (int y = 0; y < HEIGHT / 2; y++) {
		double row = 15 * cos((y + frame) * 0.06);

		for (int x = 0; x < WIDTH / 2; x++) {
			double dx = 2 * x - centreX, dy = 2 * y - centreY;
			int isDisc = dx * dx + dy * dy < 40 * 40;

			u[y * WIDTH / 2 + x] = sample(isDisc ? 90 : 128 + row);
			v[y * WIDTH / 2 + x] =
				sample(isDisc ? 200 : 110 + 0.2 * x);
		}
	}
}

/* A plane into blocks, from left to right and down. */
static void split(const unsigned char *plane, int width, int height,
		  unsigned char *blocks)
{
	for (int y = 0; y < height; y += 8) {
		for (int x = 0; x < width; x += 8) {
			for (int row = 0; row < 8; row++, blocks += 8)
				memcpy(blocks, plane + (y + row) * width + x,
				       8);
		}
	}
}

static void readSplit(struct instance *instance)
{
	unsigned char *picture = malloc(SAMPLES);

	if (!picture)
		fail("memory");
	if (!input) {
		draw(picture, instance->age);
	} else if (fread(picture, 1, SAMPLES, input) != SAMPLES) {
		fprintf(stderr, "%s: %s\n", inputPath,
			ferror(input) ? strerror(errno)
				      : "it has fewer pictures (-f)");
		exit(1);
	}
	if (copy && fwrite(picture, 1, SAMPLES, copy) != SAMPLES)
		fail(copyPath);
	split(picture, WIDTH, HEIGHT, instance->stored[0]);
	split(picture + WIDTH * HEIGHT, WIDTH / 2, HEIGHT / 2,
	      instance->stored[1]);
	split(picture + WIDTH * HEIGHT * 5 / 4, WIDTH / 2, HEIGHT / 2,
	      instance->stored[2]);
	free(picture);
}

static void transformLuma(struct instance *instance)
{
	jpegTransform(instance->fetched[0], 0, instance->stored[0]);
}

static void transformChroma(struct instance *instance)
{
	jpegTransform(instance->fetched[0], 1, instance->stored[0]);
}

static void writePicture(struct instance *instance)
{
	struct jpegPicture picture = { WIDTH, HEIGHT, instance->fetched[0],
				       instance->fetched[1],
				       instance->fetched[2] };

	jpegWrite(&picture, output);
	if (ferror(output))
		fail(outputPath);
}

enum { INIT, READ, Y_DCT, U_DCT, V_DCT, WRITE, KERNELS };

static struct kernel kernels[KERNELS] = {
	[INIT] = { .name = "init",
		   .indices = 1,
		   .ages = 1,
		   .code = init,
		   .stores = { { &film, 0, AGE_FIXED },
			       { &written, 0, AGE_FIXED } } },
	[READ] = { .name = "read/splitYUV",
		   .indices = 1,
		   .code = readSplit,
		   .fetches = { { &film, 0, 0 } },
		   .stores = { { &yInput, 0, WHOLE },
			       { &uInput, 0, WHOLE },
			       { &vInput, 0, WHOLE },
			       { &film, 1, 0 } } },
	[Y_DCT] = { .name = "yDCT",
		    .indices = LUMA,
		    .code = transformLuma,
		    .fetches = { { &yInput, 0, 0 } },
		    .stores = { { &yResult, 0, 0 } } },
	[U_DCT] = { .name = "uDCT",
		    .indices = CHROMA,
		    .code = transformChroma,
		    .fetches = { { &uInput, 0, 0 } },
		    .stores = { { &uResult, 0, 0 } } },
	[V_DCT] = { .name = "vDCT",
		    .indices = CHROMA,
		    .code = transformChroma,
		    .fetches = { { &vInput, 0, 0 } },
		    .stores = { { &vResult, 0, 0 } } },
	[WRITE] = { .name = "VLC/write",
		    .indices = 1,
		    .code = writePicture,
		    .fetches = { { &yResult, 0, WHOLE },
				 { &uResult, 0, WHOLE },
				 { &vResult, 0, WHOLE },
				 { &written, 0, 0 } },
		    .stores = { { &written, 1, 0 } } },
};

static void usage(FILE *to)
{
	fputs("Usage: mjpeg [OPTION...]\n"
	      "  -a           dispatch in batches, as probes advise\n"
	      "  -b KERNEL=N  dispatch N instances of a kernel at once\n"
	      "  -c FILE      write what is encoded, as planar YUV 4:2:0\n"
	      "  -f N         pictures (51)\n"
	      "  -i FILE      encode this film, planar YUV 4:2:0, 352 x 288\n"
	      "  -o FILE      where to (mjpeg.mjpg)\n"
	      "  -t N         threads (as many as processors)\n",
	      to);
}

static void closeFile(FILE *file, const char *path)
{
	if (file && fclose(file) != 0)
		fail(path);
}

int main(int argc, char **argv)
{
	struct settings settings = { 0, 0 };
	double began;
	int option;

	while ((option = getopt(argc, argv, "ab:c:f:hi:o:t:")) != -1) {
		switch (option) {
		case 'a':
			settings.takesAdvice = 1;
			break;
		case 'b':
			if (setBatch(kernels, KERNELS, optarg) == 0)
				break;
			fprintf(stderr, "mjpeg: no such kernel: %s\n", optarg);
			return 2;
		case 'c':
			copyPath = optarg;
			break;
		case 'f':
			frames = (int)numberBetween(optarg, 1, 1000000);
			break;
		case 'i':
			inputPath = optarg;
			break;
		case 'o':
			outputPath = optarg;
			break;
		case 't':
			settings.threads =
				(unsigned int)numberBetween(optarg, 1, 1024);
			break;
		default:
			usage(option == 'h' ? stdout : stderr);
			return option == 'h' ? 0 : 2;
		}
	}
	if (optind < argc) {
		usage(stderr);
		return 2;
	}
	for (int i = READ; i < KERNELS; i++)
		kernels[i].ages = frames;
	began = seconds();
	dispatch(kernels, KERNELS, &settings);
	began = seconds() - began;
	closeFile(output, outputPath);
	closeFile(copy, copyPath);
	if (input)
		fclose(input);
	printf("%d pictures took %.2f s; mean times in us:\n\n", frames, began);
	printKernels(kernels, KERNELS);
	return 0;
}
