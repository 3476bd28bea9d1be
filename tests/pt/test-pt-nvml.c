/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The nvml driver, with a library of our own; and the real one, if there is
 * one, may not crash it. */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "tests/pt/fakenvml.h"
#include "tests/pt/softdriver.h"

enum { NOT_SUPPORTED = 3, NO_PERMISSION = 4, GPU_IS_LOST = 15, UNKNOWN = 999 };

extern const struct ptDriver ptNvmlDriver;

static char *library;
static struct fakeNvml *fake;
static const char *options[] = { "library", NULL, NULL };
static void *handle;

/* Use a library, with a machine that has three GPUs of different age. */
static void useLibrary(const char *name)
{
	fakeNvmlGetter *get;
	void *symbol;

	if (handle)
		dlclose(handle);
	g_free(library);
	library = g_test_build_filename(G_TEST_BUILT, name, NULL);
	options[1] = library;
	handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		g_error("%s", dlerror());
	symbol = dlsym(handle, "fakeNvmlGet");
	memcpy(&get, &symbol, sizeof(symbol));
	fake = get();
	*fake = (struct fakeNvml){
		.count = 3,
		.gpus = {
			{ .name = "NVIDIA H200",
			  .uuid = "GPU-5f2d8a3c-0000-1111-2222-333344445555",
			  .architecture = 9,
			  .millijoules = 123456789,
			  .milliwatts = 99000,
			  .instantMilliwatts = 76543,
			  .instantType = 1 },
			{ .name = "NVIDIA RTX A4000",
			  .uuid = "GPU-aaaaaaaa-0000-1111-2222-333344445555",
			  .architecture = 7,
			  .millijoules = 1000,
			  .milliwatts = 20000,
			  .fieldsResult = NOT_SUPPORTED },
			{ .name = "GeForce GTX 1080",
			  .uuid = "GPU-bbbbbbbb-0000-1111-2222-333344445555",
			  .architecture = 4,
			  .milliwatts = 10000,
			  .energyResult = NOT_SUPPORTED,
			  .instantResult = NOT_SUPPORTED },
		},
	};
}

static void useNew(void)
{
	useLibrary("fakenvml.so");
}

/* The library was used as it must be, and @p inits times. */
static void checkUse(int inits)
{
	g_assert_false(fake->isMisused);
	g_assert_cmpint(fake->inits, ==, inits);
	g_assert_cmpint(fake->shutdowns, ==, inits);
}

static void testList(void)
{
	char *list;

	useNew();
	list = softList(&ptNvmlDriver, "", options);
	g_assert_cmpstr(
		list, ==,
		"+gpu-0: NVML total energy of NVIDIA H200 (1 mJ, every 100 "
		"ms); NVML instant power of NVIDIA H200 (1 mW)\n"
		"+gpu-1: NVML total energy of NVIDIA RTX A4000 (1 mJ, every "
		"100 ms); NVML power of NVIDIA RTX A4000 (1 mW, mean of 1 s)\n"
		"+gpu-2: NVML power of GeForce GTX 1080 (1 mW)\n");
	g_free(list);
	checkUse(1);
	/* One that is lost, one that is another user's, one that tells nothing.
	 */
	fake->gpus[0].handleResult = GPU_IS_LOST;
	fake->gpus[1].energyResult = NO_PERMISSION;
	fake->gpus[2].powerResult = NOT_SUPPORTED;
	list = softList(&ptNvmlDriver, "", options);
	g_assert_cmpstr(
		list, ==,
		"-gpu-0: the GPU is lost\n-gpu-1: NVML total energy of NVIDIA "
		"RTX A4000 (1 mJ, every 100 ms); NVML power of NVIDIA RTX "
		"A4000 (1 mW, mean of 1 s): the driver denies access\n-gpu-2: "
		"this GPU does not report its power\n");
	g_free(list);
	checkUse(3);
}

/* A library as it was before energy and fields were invented. */
static void testOld(void)
{
	struct softDevice soft;
	char *list;

	useLibrary("fakenvml-old.so");
	list = softList(&ptNvmlDriver, "", options);
	g_assert_nonnull(strstr(list, "+gpu-0: NVML power of NVIDIA H200 (1 "
				      "mW)\n"));
	g_free(list);
	g_assert_cmpint(softOpen(&soft, &ptNvmlDriver, "", 100 * MS, options,
				 "gpu-0 P, gpu-0 E"),
			==, 0);
	softStart(&soft);
	fake->gpus[0].milliwatts = 101000;
	softExpect(&soft, SECOND, "101 100");
	softClose(&soft);
	checkUse(2);
}

/* No driver, another library, a driver that does not work, no GPU. */
static void testNothing(void)
{
	static const char *const other[] = { "library", "libm.so.6", NULL };
	static const char *const none[] = { "library", "/nonexistent.so",
					    NULL };
	struct softDevice soft = { 0 };
	struct ptColumn column = { .quantity = ptNvmlDriver.quantities,
				   .label = "gpu-0" };
	char *list;

	useNew();
	list = softList(&ptNvmlDriver, "", none);
	g_assert_true(g_str_has_prefix(list, "--: no NVIDIA driver (/non"));
	g_free(list);
	list = softList(&ptNvmlDriver, "", other);
	g_assert_cmpstr(
		list, ==,
		"--: no NVIDIA driver (libm.so.6 has no nvmlInit_v2)\n");
	g_free(list);
	fake->initResult = 9;
	g_assert_cmpint(
		softResolve(&ptNvmlDriver, "", options, "gpu-0", 0, &list), ==,
		-ENOENT);
	g_assert_cmpstr(list, ==, "NVML: Driver Not Loaded");
	g_free(list);
	fake->initResult = 18;
	list = softList(&ptNvmlDriver, "", options);
	g_assert_cmpstr(
		list, ==,
		"--: NVML: Driver/library version mismatch; the driver was "
		"updated; load the new driver or restart the system\n");
	g_free(list);
	soft.dev.driver = &ptNvmlDriver;
	soft.dev.setup.root = "";
	soft.dev.setup.options = options;
	g_assert_cmpint(ptNvmlDriver.open(&soft.dev, &column, 1), ==, -ENODEV);
	g_assert_true(softSaid("1 nvml: gpu-0: NVML: Driver/library version"));
	fake->initResult = 0;
	fake->countResult = UNKNOWN;
	list = softList(&ptNvmlDriver, "", options);
	g_assert_cmpstr(list, ==, "--: NVML: Unknown Error\n");
	g_free(list);
	fake->countResult = 0;
	fake->count = 0;
	list = softList(&ptNvmlDriver, "", options);
	g_assert_cmpstr(
		list, ==,
		"--: the NVIDIA driver is loaded, but there is no GPU\n");
	g_free(list);
	checkUse(2);
}

/* By number, or by the identity that never changes. */
static void testResolve(void)
{
	struct softDevice soft;
	char *text;

	useNew();
	g_assert_cmpint(
		softResolve(&ptNvmlDriver, "", options, "gpu-1", 0, &text), ==,
		0);
	g_assert_cmpstr(text, ==, "gpu-1");
	g_free(text);
	g_assert_cmpint(softResolve(&ptNvmlDriver, "", options,
				    "GPU-bbbbbbbb-0000-1111-2222-333344445555",
				    0, &text),
			==, 0);
	g_assert_cmpstr(text, ==, "GPU-bbbbbbbb-0000-1111-2222-333344445555");
	g_free(text);
	g_assert_cmpint(softResolve(&ptNvmlDriver, "", options, "*", 2, &text),
			==, 0);
	g_assert_cmpstr(text, ==, "gpu-2");
	g_free(text);
	g_assert_cmpint(softResolve(&ptNvmlDriver, "", options, "*", 3, &text),
			==, -ENOENT);
	g_free(text);
	g_assert_cmpint(softResolve(&ptNvmlDriver, "", options, "1", 0, &text),
			==, -ENOENT);
	g_assert_cmpstr(text, ==, "inputs are gpu-0, gpu-1, gpu-2");
	g_free(text);
	/* Of all those without a meter are said and left out. */
	fake->gpus[1].energyResult = fake->gpus[1].powerResult = NOT_SUPPORTED;
	g_assert_cmpint(softResolve(&ptNvmlDriver, "", options, "*", 1, &text),
			==, 0);
	g_assert_cmpstr(text, ==, "gpu-2");
	g_free(text);
	g_assert_true(
		softSaid("2 gpu-1: not recorded: this GPU does not report "
			 "its power\n"));
	fake->gpus[1].energyResult = fake->gpus[1].powerResult = 0;
	/* All this initialized the library once. */
	g_assert_cmpint(fake->inits, ==, 1);
	fake->gpus[0].uuidResult = NOT_SUPPORTED;
	g_assert_cmpint(softResolve(&ptNvmlDriver, "", options,
				    "GPU-5f2d8a3c-0000-1111-2222-333344445555",
				    0, NULL),
			==, -ENOENT);
	g_assert_cmpint(softOpen(&soft, &ptNvmlDriver, "", 100 * MS, options,
				 "gpu-0 P"),
			==, 0);
	softClose(&soft);
	checkUse(1);
}

static void testValues(void)
{
	struct softDevice soft;

	useNew();
	g_assert_cmpint(softOpen(&soft, &ptNvmlDriver, "", 100 * MS, options,
				 "gpu-0 E, gpu-0 P, gpu-1 E, gpu-1 P, gpu-2 E, "
				 "GPU-bbbbbbbb-0000-1111-2222-333344445555 P"),
			==, 0);
	g_assert_cmpstr(soft.columns[4].source, ==,
			"NVML power of GeForce GTX 1080, integrated");
	softStart(&soft);
	fake->gpus[0].millijoules += 7654;
	fake->gpus[0].instantMilliwatts = 700001;
	fake->gpus[2].milliwatts = 30000;
	softExpect(&soft, 100 * MS, "7.654 700.001 0 20 2 30");
	/* The driver was loaded anew: it counts from zero. */
	fake->gpus[0].millijoules = 1;
	softExpect(&soft, 100 * MS, "NaN 700.001 0 20 3 30");
	fake->gpus[0].millijoules = 1001;
	softExpect(&soft, 100 * MS, "1 700.001 0 20 3 30");
	softClose(&soft);
	checkUse(1);
}

/* The types in which drivers give the power that is drawn now. */
static void testTypes(void)
{
	static const struct {
		int type;
		bool isKnown;
	} cases[] = { { 0, false }, { 1, true },  { 2, true },
		      { 3, true },  { 4, false }, { 99, false } };
	struct softDevice soft;

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		useNew();
		fake->gpus[0].instantType = cases[i].type;
		g_assert_cmpint(softOpen(&soft, &ptNvmlDriver, "", 100 * MS,
					 options, "gpu-0 P"),
				==, 0);
		softStart(&soft);
		softExpect(&soft, 100 * MS, cases[i].isKnown ? "76.543" : "99");
		softClose(&soft);
		checkUse(1);
	}
}

/* One of two GPUs falls off the bus, then the other as well. */
static void testLost(void)
{
	struct softDevice soft;

	useNew();
	g_assert_cmpint(softOpen(&soft, &ptNvmlDriver, "", 100 * MS, options,
				 "gpu-0 E, gpu-0 P, gpu-1 E, gpu-1 P"),
			==, 0);
	softStart(&soft);
	fake->gpus[0].energyResult = GPU_IS_LOST;
	fake->gpus[0].instantResult = GPU_IS_LOST;
	fake->gpus[0].handleResult = GPU_IS_LOST;
	softExpect(&soft, 100 * MS, "NaN NaN 0 20");
	g_assert_true(softSaid("2 nvml: gpu-0: the GPU is lost; no values "
			       "meanwhile\n"));
	softExpect(&soft, SECOND, "NaN NaN 0 20");
	g_assert_true(softIsSilent());
	fake->gpus[1].energyResult = GPU_IS_LOST;
	g_assert_cmpint(softRead(&soft, 100 * MS), ==, -ENODEV);
	softClose(&soft);
	checkUse(1);
	/* The core opens the device again: the library starts anew. */
	g_assert_cmpint(softOpen(&soft, &ptNvmlDriver, "", 100 * MS, options,
				 "gpu-1 P"),
			==, 0);
	softClose(&soft);
	checkUse(2);
}

/* What fails for a while, and what is not allowed at all. */
static void testFailures(void)
{
	struct softDevice soft;

	useNew();
	g_assert_cmpint(softOpen(&soft, &ptNvmlDriver, "", 100 * MS, options,
				 "gpu-1 E, gpu-1 P"),
			==, 0);
	softStart(&soft);
	fake->gpus[1].powerResult = UNKNOWN;
	fake->gpus[1].millijoules += 1000;
	softExpect(&soft, 100 * MS, "1 NaN");
	fake->gpus[1].powerResult = 0;
	fake->gpus[1].energyResult = UNKNOWN;
	fake->gpus[1].millijoules += 1000;
	softExpect(&soft, 100 * MS, "NaN 20");
	fake->gpus[1].energyResult = 0;
	fake->gpus[1].millijoules += 1000;
	/* That of its own interval. */
	softExpect(&soft, 100 * MS, "1 20");
	softClose(&soft);
	fake->gpus[1].powerResult = NO_PERMISSION;
	g_assert_cmpint(softOpen(&soft, &ptNvmlDriver, "", 100 * MS, options,
				 "gpu-1 P"),
			==, -EACCES);
	g_assert_true(softSaid("1 nvml: gpu-1: the driver denies access\n"));
	fake->gpus[2].powerResult = NOT_SUPPORTED;
	g_assert_cmpint(softOpen(&soft, &ptNvmlDriver, "", 100 * MS, options,
				 "gpu-2 P"),
			==, -ENOTSUP);
	g_assert_true(softSaid(
		"1 nvml: gpu-2: this GPU does not report its power\n"));
	checkUse(3);
}

/* Whatever this machine has. */
static void testReal(void)
{
	char *list;

	/* The fake one must not be initialized any more. */
	useNew();
	list = softList(&ptNvmlDriver, "", NULL);
	g_assert_cmpstr(list, !=, "");
	g_test_message("%s", list);
	g_free(list);
}

int main(int argc, char **argv)
{
	int ret;

	g_test_init(&argc, &argv, NULL);
	softInit();
	g_test_add_func("/nvml/list", testList);
	g_test_add_func("/nvml/old", testOld);
	g_test_add_func("/nvml/nothing", testNothing);
	g_test_add_func("/nvml/resolve", testResolve);
	g_test_add_func("/nvml/values", testValues);
	g_test_add_func("/nvml/types", testTypes);
	g_test_add_func("/nvml/lost", testLost);
	g_test_add_func("/nvml/failures", testFailures);
	g_test_add_func("/nvml/real", testReal);
	ret = g_test_run();
	dlclose(handle);
	g_free(library);
	return ret;
}
