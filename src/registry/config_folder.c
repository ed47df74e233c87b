/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of other programs' settings: certs.d, registries.conf.d. */
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#include "credential_int.h"

bool eb_is_out_of_reach(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 &&
	       (errno == ENOENT || errno == ENOTDIR || errno == EACCES);
}

static void close_dir(DIR **d)
{
	if (*d)
		closedir(*d);
}

static bool counts(const char *name, const char *const *endings)
{
	while (*endings && !eb_ends(name, *endings))
		endings++;
	return *endings != NULL;
}

int eb_config_folder(const char *dir, const char *const *endings, unsigned max,
		     struct eb_strv *names, struct eb_error *err)
{
	EB_CLEANUP(close_dir) DIR *d = opendir(dir);
	int why = errno;
	struct dirent *e;

	if (!d && eb_is_out_of_reach(dir))
		return 0;
	if (!d)
		return eb_err_errno(err, EB_OK, why, "\"%s\", reading", dir);
	while ((e = readdir(d))) {
		if (!counts(e->d_name, endings))
			continue;
		if (names->n == max)
			return eb_err_set(err, EB_INPUT,
					  "\"%s\", reading: more than %u files",
					  dir, max);
		eb_strv_add(names, e->d_name);
	}
	eb_strv_sort(names);
	return names->n > 0;
}
