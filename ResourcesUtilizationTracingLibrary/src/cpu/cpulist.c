/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which CPUs there are; see cpulist.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "ResourcesUtilizationTracingLibrary/src/core/cpulist.h"
#include "ResourcesUtilizationTracingLibrary/src/core/kernelfile.h"

/* Twice what Linux can have; keeps nonsense from eating memory and time.
 */
#define CPU_NUMBER_MAX (1u << 14)

static int cpuListAdd(struct rutCpuList *list, uint64_t number)
{
	/* Doubled at each power of two. */
	if ((list->count & (list->count - 1)) == 0) {
		size_t size = list->count ? 2 * list->count : 1;
		unsigned int *numbers =
			realloc(list->numbers, size * sizeof(*numbers));

		if (!numbers)
			return -ENOMEM;
		list->numbers = numbers;
	}
	list->numbers[list->count++] = (unsigned int)number;
	return 0;
}

static bool cpuIsNext(const struct rutCpuList *list, uint64_t number)
{
	return number < CPU_NUMBER_MAX &&
	       (list->count == 0 || list->numbers[list->count - 1] < number);
}

int rutCpuListParse(struct hdScan *scan, struct rutCpuList *result)
{
	struct rutCpuList list = { 0 };
	uint64_t first, last;
	int ret = -EINVAL;

	do {
		if (!hdScanNumber(scan, &first) || !cpuIsNext(&list, first))
			goto fail;
		last = first;
		if (hdScanLiteral(scan, "-") &&
		    (!hdScanNumber(scan, &last) || last < first ||
		     last >= CPU_NUMBER_MAX))
			goto fail;
		for (uint64_t number = first; number <= last; number++) {
			ret = cpuListAdd(&list, number);
			if (ret < 0)
				goto fail;
		}
		ret = -EINVAL;
	} while (hdScanLiteral(scan, ","));
	if (hdScanBlanks(scan))
		goto fail;
	*result = list;
	return 0;

fail:
	rutCpuListClear(&list);
	return ret;
}

static int cpuListFromStat(struct rutCpuList *list, const char *root)
{
	struct rutFile file;
	struct hdScan scan;
	uint64_t number;
	int ret = rutFileGet(&file, &scan, root, "/proc/stat");

	if (ret < 0)
		return -ENOENT;
	*list = (struct rutCpuList){ 0 };
	do {
		if (hdScanLiteral(&scan, "cpu") && scan.at < scan.end &&
		    *scan.at != ' ' && hdScanNumber(&scan, &number) &&
		    cpuIsNext(list, number))
			ret = cpuListAdd(list, number);
	} while (ret == 0 && hdScanNextLine(&scan));
	rutFileClose(&file);
	if (ret == 0 && list->count == 0)
		ret = -ENOENT;
	if (ret < 0)
		rutCpuListClear(list);
	return ret;
}

int rutCpuListGet(struct rutCpuList *list, const char *root, const char *kind)
{
	struct rutFile file;
	struct hdScan scan;
	int ret = rutFileGet(&file, &scan, root, "/sys/devices/system/cpu/%s",
			     kind);

	if (ret == 0) {
		ret = rutCpuListParse(&scan, list);
		rutFileClose(&file);
	}
	return ret == 0 || ret == -ENOMEM ? ret : cpuListFromStat(list, root);
}

void rutCpuListClear(struct rutCpuList *list)
{
	free(list->numbers);
	*list = (struct rutCpuList){ 0 };
}

size_t rutCpuListFind(const struct rutCpuList *list, uint64_t number,
		      size_t *hint)
{
	size_t low = 0, high = list->count;

	if (*hint < list->count && list->numbers[*hint] == number)
		return (*hint)++;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->numbers[middle] < number)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == list->count || list->numbers[low] != number)
		return list->count;
	*hint = low + 1;
	return low;
}
