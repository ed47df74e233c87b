/* SPDX-License-Identifier: Apache-2.0 */
/* The log of one run: $XDG_STATE_HOME/envbuild/log, the newest 200 kept. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "log.h"

#define KEPT 200

struct eb_log {
	FILE *file;
	char *path;
	uint64_t start;
};

/* Names begin with the time, so their order is their age. */
static void drop_oldest(const char *dir)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv names = { 0 };
	struct dirent *entry;
	DIR *d = opendir(dir);

	while (d && (entry = readdir(d)))
		if (eb_ends(entry->d_name, ".log"))
			eb_strv_add(&names, entry->d_name);
	if (d)
		closedir(d);
	eb_strv_sort(&names);
	for (size_t i = 0; i + KEPT < names.n; i++) {
		eb_autofree char *path = eb_path_join(dir, names.v[i]);

		unlink(path);
	}
}

static char *new_path(const char *dir)
{
	char stamp[32];
	struct tm tm;
	time_t now = time(NULL);

	gmtime_r(&now, &tm);
	strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", &tm);
	return eb_asprintf("%s/%s-%ld.log", dir, stamp, (long)getpid());
}

struct eb_log *eb_log_open(const char *title)
{
	struct eb_error ignored = EB_ERROR_INIT;
	eb_autofree char *state = eb_xdg_dir("STATE");
	eb_autofree char *dir = state ? eb_path_join(state, "log") : NULL;
	struct eb_log *log;

	if (!dir || eb_mkdirs(dir, 0700, &ignored) < 0) {
		eb_err_release(&ignored);
		return NULL;
	}
	log = eb_calloc(1, sizeof *log);
	log->path = new_path(dir);
	log->file = fopen(log->path, "we");
	log->start = eb_now_ns();
	if (!log->file) {
		eb_log_close(log);
		return NULL;
	}
	drop_oldest(dir);
	eb_log_line(log, "begin", title);
	return log;
}

const char *eb_log_path(const struct eb_log *log)
{
	return log->path;
}

void eb_log_line(struct eb_log *log, const char *what, const char *text)
{
	double seconds = (double)(eb_now_ns() - log->start) / 1e9;
	eb_autofree char *clean = eb_printable(text ? text : "");

	fprintf(log->file, "%9.3f %-8s %s\n", seconds, what, clean);
	fflush(log->file);
}

void eb_log_close(struct eb_log *log)
{
	if (!log)
		return;
	if (log->file)
		fclose(log->file);
	free(log->path);
	free(log);
}
