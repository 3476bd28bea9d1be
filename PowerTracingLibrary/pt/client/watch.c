/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pt watch: the power of nodes as it is. */
#include "config.h"

#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "PowerTracingLibrary/pt/client/screen.h"
#include "PowerTracingLibrary/pt/client/where.h"
#include "PowerTracingLibrary/pt/core/ptcommand.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "cli/command.h"
#include "cli/errors.h"
#include "cli/output.h"
#include "cli/precision.h"
#include "common/clock.h"

#define TOOL "pt watch"

/* A value is stale after so many readings have not come, and a second at least.
 */
#define STALE_READINGS 3
#define STALE_S 1.0
/* How often the screen is drawn at least. */
#define REDRAW_MS 1000
/* Exit status if the service cannot be asked, or the options are wrong. */
#define FAILED 2

struct watch {
	struct where where;
	double frequency, duration;
	gboolean isByLine, isPlain;
	int newsFd, signalFd;
	pthread_mutex_t mutex; /* Protects what follows. */
	gboolean isUnread;     /* Nobody takes what is printed. */
	struct screenRow *rows;
	char **names;  /* Of the rows. */
	size_t *first; /* Row of the first column of each group. */
	int64_t *last; /* End of the last reading of each group; 0: none. */
	size_t groupCount, rowCount;
	const struct ptRecorderGroup *groups;
	GString *said; /* The last message. */
};

/* ---- What comes: in the recorder's thread ------------------------------ */

static int watchCommandOnOpened(void *context,
				const struct ptRecorderGroup *groups,
				size_t count, const struct ptRemoteClock *clock)
{
	struct watch *watch = context;
	size_t row = 0;

	(void)clock;
	for (size_t i = 0; i < count; i++)
		watch->rowCount += groups[i].count;
	watch->groups = groups;
	watch->groupCount = count;
	watch->rows = g_new0(struct screenRow, watch->rowCount);
	watch->names = g_new0(char *, watch->rowCount + 1);
	watch->first = g_new(size_t, count);
	watch->last = g_new0(int64_t, count);
	for (size_t i = 0; i < count; i++) {
		watch->first[i] = row;
		for (size_t k = 0; k < groups[i].count; k++, row++) {
			const struct ptRecorderColumn *column =
				&groups[i].columns[k];

			watch->names[row] = ptRecorderColumnName(&groups[i], k);
			watch->rows[row] = (struct screenRow){
				.node = column->node,
				.name = watch->names[row],
				.unit = column->unit,
				.device = groups[i].device,
				.value = NAN,
				.most = NAN,
				.isUp = TRUE,
				.isSimulated = column->isSimulated,
			};
		}
	}
	return 0;
}

/* "2026-11-22 07:31:06.123 node06 P 71.300 W"; for programs. */
static void printLine(const struct screenRow *row, int64_t endNs, double value)
{
	GString *line = g_string_new(NULL);
	char text[OUT_NUMBER_SIZE];

	g_string_append_printf(line, "%s ", outDate(text, endNs, 3));
	outAppendPrintable(line, row->node, strlen(row->node));
	g_string_append_c(line, ' ');
	outAppendPrintable(line, row->name, strlen(row->name));
	g_string_append_printf(line, " %s",
			       isfinite(value) ? outRounded(text, value) : "-");
	if (*row->unit)
		g_string_append_c(line, ' ');
	outAppendPrintable(line, row->unit, strlen(row->unit));
	puts(line->str);
	g_string_free(line, TRUE);
}

static void watchCommandOnReading(void *context, size_t group,
				  const struct ptRecorderReading *reading)
{
	struct watch *watch = context;

	pthread_mutex_lock(&watch->mutex);
	watch->last[group] = reading->endNs;
	for (size_t i = 0; i < watch->groups[group].count; i++) {
		struct screenRow *row = &watch->rows[watch->first[group] + i];

		row->value = reading->values[i];
		if (!(row->value <= row->most) && isfinite(row->value))
			row->most = row->value;
		if (watch->isPlain)
			printLine(row, reading->endNs, row->value);
	}
	if (watch->isPlain && fflush(stdout) != 0)
		watch->isUnread = TRUE;
	pthread_mutex_unlock(&watch->mutex);
	eventfd_write(watch->newsFd, 1);
}

static void watchCommandOnChanged(void *context, size_t group, bool isUp)
{
	struct watch *watch = context;

	pthread_mutex_lock(&watch->mutex);
	for (size_t i = 0; i < watch->groups[group].count; i++) {
		struct screenRow *row = &watch->rows[watch->first[group] + i];

		row->isUp = isUp;
		row->value = NAN;
	}
	pthread_mutex_unlock(&watch->mutex);
	eventfd_write(watch->newsFd, 1);
}

/* ---- The terminal ------------------------------------------------------ */

static struct watch *sayingTo;

/* Messages would be drawn over. */
static void keepSaid(enum hdLogLevel level, const char *text)
{
	struct watch *watch = sayingTo;

	(void)level;
	pthread_mutex_lock(&watch->mutex);
	g_string_assign(watch->said, text);
	pthread_mutex_unlock(&watch->mutex);
}

static void terminalSize(struct screen *screen)
{
	struct winsize size;

	screen->width = 80;
	screen->height = 24;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 ||
	    size.ws_row == 0)
		return;
	screen->width = size.ws_col;
	screen->height = size.ws_row;
}

static void watchCommandWriteAll(const GString *text)
{
	fwrite(text->str, 1, text->len, stdout);
	fflush(stdout);
}

/* Say of each value how old it is. */
static void watchAges(struct watch *watch)
{
	int64_t now = hdClockNow();

	for (size_t i = 0; i < watch->groupCount; i++) {
		int64_t ns = watch->groups[i].intervalNs;
		double limit = STALE_READINGS * (double)ns / 1e9;
		double age = watch->last[i]
				     ? (double)(now - watch->last[i]) / 1e9
				     : NAN;

		for (size_t k = 0; k < watch->groups[i].count; k++) {
			struct screenRow *row =
				&watch->rows[watch->first[i] + k];

			row->age = age;
			row->isStale = age > fmax(limit, STALE_S);
		}
	}
}

static void watchCommandDraw(struct watch *watch)
{
	GString *out = g_string_new("\033[H"), *title = g_string_new(NULL);
	struct screen screen = { .isUnicode = g_get_charset(NULL) };
	char date[OUT_NUMBER_SIZE];

	terminalSize(&screen);
	pthread_mutex_lock(&watch->mutex);
	g_string_printf(title, "%s  %s  q ends", outDate(date, hdClockNow(), 0),
			watch->where.setup.address.text);
	/* The last line is for messages. */
	screen.height--;
	watchAges(watch);
	screenDraw(out, &screen, title->str, watch->rows, watch->rowCount);
	outAppendPrintable(out, watch->said->str, watch->said->len);
	pthread_mutex_unlock(&watch->mutex);
	g_string_append(out, "\033[K\033[J");
	watchCommandWriteAll(out);
	g_string_free(title, TRUE);
	g_string_free(out, TRUE);
}

/* Let the terminal give keys at once, and have a screen of its own. */
static gboolean beginScreen(struct termios *before)
{
	gboolean isTerminal = tcgetattr(STDIN_FILENO, before) == 0;
	struct termios now = *before;

	if (isTerminal) {
		now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		tcsetattr(STDIN_FILENO, TCSANOW, &now);
	}
	fputs("\033[?1049h\033[?25l", stdout);
	return isTerminal;
}

static void endScreen(const struct termios *before, gboolean isTerminal)
{
	fputs("\033[?25h\033[?1049l", stdout);
	fflush(stdout);
	if (isTerminal)
		tcsetattr(STDIN_FILENO, TCSANOW, before);
}

/* ---- The loop ---------------------------------------------------------- */

static gboolean openSignals(struct watch *watch)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	sigaddset(&set, SIGWINCH);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	/* A pipe that nobody reads is found when it is written to. */
	signal(SIGPIPE, SIG_IGN);
	watch->signalFd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	watch->newsFd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return watch->signalFd >= 0 && watch->newsFd >= 0;
}

static gboolean isEndSignal(const struct watch *watch)
{
	struct signalfd_siginfo info;

	while (read(watch->signalFd, &info, sizeof(info)) ==
	       (ssize_t)sizeof(info))
		if (info.ssi_signo != SIGWINCH)
			return TRUE;
	return FALSE;
}

static gboolean isEndKey(void)
{
	char key = '\0';

	return read(STDIN_FILENO, &key, 1) != 1 || key == 'q' || key == 'Q';
}

/* Milliseconds to wait; a screen is drawn again for the ages on it. */
static int timeLeft(const struct watch *watch, int64_t endNs)
{
	int64_t left = (endNs - hdMonotonicNow() + 999999) / 1000000;

	if (endNs == 0)
		return watch->isPlain ? -1 : REDRAW_MS;
	return (int)CLAMP(left, 0, watch->isPlain ? 1000000 : REDRAW_MS);
}

static gboolean isUnread(struct watch *watch)
{
	gboolean is;

	pthread_mutex_lock(&watch->mutex);
	is = watch->isUnread;
	pthread_mutex_unlock(&watch->mutex);
	return is;
}

static void watchCommandLoop(struct watch *watch, gboolean hasKeys)
{
	struct pollfd fds[] = {
		{ .fd = watch->signalFd, .events = POLLIN },
		{ .fd = watch->newsFd, .events = POLLIN },
		{ .fd = hasKeys ? STDIN_FILENO : -1, .events = POLLIN },
	};
	int64_t endNs = 0;
	eventfd_t count;

	if (watch->duration > 0)
		endNs = hdMonotonicNow() + (int64_t)(watch->duration * 1e9);
	for (;;) {
		if (!watch->isPlain)
			watchCommandDraw(watch);
		poll(fds, G_N_ELEMENTS(fds), timeLeft(watch, endNs));
		eventfd_read(watch->newsFd, &count);
		if (isEndSignal(watch) || (fds[2].revents && isEndKey()) ||
		    (endNs && hdMonotonicNow() >= endNs) || isUnread(watch))
			return;
	}
}

static void showScreen(struct watch *watch, struct ptRecorder *recorder)
{
	struct termios before;
	gboolean isTerminal = beginScreen(&before);

	watchCommandLoop(watch, isTerminal);
	ptRecorderEnd(recorder, 0);
	endScreen(&before, isTerminal);
}

static int watchCommandShow(struct watch *watch, struct ptRecorder *recorder)
{
	int ret;

	if (!watch->isPlain) {
		sayingTo = watch;
		ptLogger.print = keepSaid;
	}
	ret = ptRecorderBegin(recorder);
	if (ret == 0 && watch->isPlain) {
		watchCommandLoop(watch, FALSE);
		ptRecorderEnd(recorder, 0);
	} else if (ret == 0) {
		showScreen(watch, recorder);
	}
	ptLogger.print = NULL;
	if (ret < 0 && watch->said->len > 0)
		outSay(stderr, "%s", watch->said->str);
	if (watch->isUnread)
		fprintf(stderr, TOOL ": " CLI_STDOUT ": cannot write\n");
	return ret < 0 || watch->isUnread ? FAILED : 0;
}

static int watchCommandRun(struct watch *watch)
{
	static const struct ptRecorderCalls calls = {
		.opened = watchCommandOnOpened,
		.add = watchCommandOnReading,
		.changed = watchCommandOnChanged,
	};
	struct ptRecorderSetup setup = { 0 };
	struct ptRecorder *recorder;
	int result;

	if (!whereParse(TOOL, &watch->where) ||
	    !whereWish(TOOL, &watch->where) || whereCheck(&watch->where) < 0)
		return FAILED;
	setup.remote = &watch->where.setup;
	setup.selections = (const struct ptSelection *)(const void *)
				   watch->where.selections->data;
	setup.selectionCount = watch->where.selections->len;
	setup.frequency = watch->frequency;
	setup.isByLine = watch->isByLine;
	if (!openSignals(watch) ||
	    ptRecorderOpen(&setup, &calls, watch, &recorder) < 0)
		return FAILED;
	result = watchCommandShow(watch, recorder);
	ptRecorderFree(recorder);
	return result;
}

static void watchCommandClear(struct watch *watch)
{
	whereClear(&watch->where);
	pthread_mutex_destroy(&watch->mutex);
	g_string_free(watch->said, TRUE);
	g_strfreev(watch->names);
	g_free(watch->rows);
	g_free(watch->first);
	g_free(watch->last);
	if (watch->newsFd >= 0)
		close(watch->newsFd);
	if (watch->signalFd >= 0)
		close(watch->signalFd);
}

static const struct cliNumber numbers[] = {
	{ "frequency", CLI_ABOVE_ZERO, 1000, NULL },
	{ "duration", CLI_ABOVE_ZERO, 1e9, "s" },
	{ NULL, 0, 0, NULL },
};

static const struct cliCommand command = {
	.name = TOOL,
	.description =
		"Show the current power of nodes, from a power service.\n"
		"On a terminal it is shown with bars, otherwise as a line for "
		"each value.",
	.notes = "Examples:\n"
		 "  pt watch -n '*'\n"
		 "  pt watch -n node06 --duration=10 --plain "
		 ">power.txt\n\n" WHERE_NOTES
		 "Exit status: 0, or 2 after an error.",
	.usageStatus = FAILED,
	.oldLetters = whereOldLetters,
	.numbers = numbers,
};

int commandWatch(int argc, char **argv)
{
	struct watch watch = { .frequency = 2, .newsFd = -1, .signalFd = -1 };
	const GOptionEntry entries[] = {
		{ "frequency", 'F', 0, G_OPTION_ARG_DOUBLE, &watch.frequency,
		  "Updates per second, 1000 at most (default: 2)", "HZ" },
		{ "lines", 0, 0, G_OPTION_ARG_NONE, &watch.isByLine,
		  "Show each line separately, without node totals", NULL },
		{ "duration", 'd', 0, G_OPTION_ARG_DOUBLE, &watch.duration,
		  "Duration in seconds (default: until q or a signal)", "S" },
		{ "plain", 0, 0, G_OPTION_ARG_NONE, &watch.isPlain,
		  "Print lines on a terminal, too", NULL },
		WHERE_WISH_ENTRIES(&watch.where),
		WHERE_SERVER_ENTRIES(&watch.where),
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const GOptionEntry *lists[] = { entries, cliPrecision, NULL };
	int result;

	pthread_mutex_init(&watch.mutex, NULL);
	watch.said = g_string_new(NULL);
	result = cliParse(&command, lists, &argc, &argv);
	if (result >= 0) {
		watchCommandClear(&watch);
		return result;
	}
	watch.isPlain = watch.isPlain || !isatty(STDOUT_FILENO);
	if (argc > 1)
		result = cliErrorUnexpected(&command, argv[1]);
	else
		result = watchCommandRun(&watch);
	watchCommandClear(&watch);
	return result;
}
