/* SPDX-License-Identifier: Apache-2.0 */
/* What an executed step said: kept beside the logs of runs, its last lines for
 * an error. */
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <envbuild/file.h>

#include "step.h"

#define KEPT_MAX ((uint64_t)16 << 20)
#define TAIL_MAX ((size_t)64 << 10)
#define LINES 20

/* Names begin with the time, as those of runs do. */
static char *new_path(const char *name)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	eb_autofree char *state = eb_xdg_dir("STATE");
	eb_autofree char *dir = state ? eb_path_join(state, "log") : NULL;
	char stamp[32];
	struct tm tm;
	time_t now = time(NULL);

	if (!dir || eb_mkdirs(dir, 0700, &ignored) < 0)
		return NULL;
	gmtime_r(&now, &tm);
	strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", &tm);
	return eb_asprintf("%s/%s-%ld-%s.log", dir, stamp, (long)getpid(),
			   name);
}

char *eb_step_log_keep(int log, const char *name)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	off_t end = log < 0 ? 0 : lseek(log, 0, SEEK_END);
	uint64_t size = end > 0 ? (uint64_t)end : 0;
	uint64_t from = size > KEPT_MAX ? size - KEPT_MAX : 0;
	eb_autofree char *path = new_path(name);
	eb_autofd int fd = -1;

	if (!path)
		return NULL;
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
		  0600);
	if (fd < 0 ||
	    eb_copy_fd(fd, log, from, size - from, path, &ignored) < 0)
		return NULL;
	return eb_steal(path);
}

/* --- its last lines
 * -----------------------------------------------------------
 */
char *eb_step_log_tail(int log)
{
	off_t end = log < 0 ? 0 : lseek(log, 0, SEEK_END);
	size_t n = end > (off_t)TAIL_MAX ? TAIL_MAX : end > 0 ? (size_t)end : 0;
	eb_autofree char *text = eb_calloc(n + 1, 1);
	ssize_t got = n ? pread(log, text, n, end - (off_t)n) : 0;

	for (ssize_t i = 0; i < got; i++) /* it may say anything */
		if (!text[i])
			text[i] = ' ';
	return eb_printable(text);
}

/* Where the last LINES lines begin. */
static const char *last_lines(char *text)
{
	size_t n = strlen(text);
	unsigned lines = 0;

	while (n && strchr(" \t\r\n", text[n - 1]))
		text[--n] = '\0';
	while (n && (text[n - 1] != '\n' || ++lines < LINES))
		n--;
	return text + n;
}

void eb_step_log_tell(const char *path, char *text, struct eb_buf *out)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv lines = { 0 };
	const char *last = last_lines(text);

	eb_buf_addf(out, "its log%s%s%s %s", path ? " \"" : "",
		    path ? path : "", path ? "\"" : "",
		    *last ? "ends:" : "is empty");
	if (*last)
		eb_strv_split(&lines, last, "\n");
	for (size_t i = 0; i < lines.n; i++)
		eb_buf_addf(out, "\n  | %s", lines.v[i]);
}
