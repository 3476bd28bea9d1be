/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ends the fuzzer on an input that takes too much CPU time. Its own limit is of
 * wall time, which others use as well on a busy machine. The linker puts this
 * between libFuzzer and a target (-Wl,--wrap=LLVMFuzzerTestOneInput). */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define LIMIT_S 10

int __real_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void limitReached(int number)
{
	static const char text[] =
		"==FUZZ== an input took more than 10 s of CPU time\n";
	ssize_t ret = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)number;
	(void)ret;
	/* libFuzzer keeps the input. */
	abort();
}

static void limitSet(time_t seconds)
{
	const struct itimerspec when = { .it_value.tv_sec = seconds };
	static timer_t timer;
	static int isThere;
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = SIGVTALRM };

	if (!isThere) {
		signal(SIGVTALRM, limitReached);
		isThere = timer_create(CLOCK_PROCESS_CPUTIME_ID, &event,
				       &timer) == 0
				  ? 1
				  : -1;
	}
	if (isThere > 0)
		timer_settime(timer, 0, &when, NULL);
}

int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int ret;

	limitSet(LIMIT_S);
	ret = __real_LLVMFuzzerTestOneInput(data, size);
	limitSet(0);
	return ret;
}
