/* SPDX-License-Identifier: Apache-2.0 */
/* Where pip's settings stand: its files in their order, and PIP_*. */
#include "index_int.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/buf.h>
#include <envbuild/file.h>
#include <envbuild/mem.h>

#include "index_ini.h"
#include "pip_line.h"

extern char **environ;

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && value[strspn(value, " \t")] ? value : NULL;
}

/* "~/x" by HOME. */
static char *at_home(const char *path)
{
	const char *home = variable("HOME");

	if (*path == '~' && (path[1] == '/' || !path[1]) && home)
		return eb_asprintf("%s%s", home, path + 1);
	return eb_strdup(path);
}

/* ---- a setting ------------------------------------------------------------
 */

/* Lower case, "-" for "_", without "--" in front. */
static char *normal_key(const char *key)
{
	char *out = eb_strdup(key);

	eb_lower(out);
	for (char *p = out; *p; p++)
		if (*p == '_')
			*p = '-';
	if (eb_starts(out, "--"))
		memmove(out, out + 2, strlen(out + 2) + 1);
	return out;
}

static struct eb_index_setting *setting(struct eb_index_settings *s,
					const char *section, const char *key)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->v[i].section, section) &&
		    !strcmp(s->v[i].key, key))
			return &s->v[i];
	EB_GROW(s->v, s->n, s->alloc);
	s->v[s->n] = (struct eb_index_setting){ .section = eb_strdup(section),
						.key = eb_strdup(key) };
	return &s->v[s->n++];
}

/* Later ones go over earlier ones, but keep their place. */
static void set(struct eb_index_settings *s, const char *section,
		const char *name, const char *value, const char *source,
		unsigned line)
{
	eb_autofree char *key = normal_key(name);
	struct eb_index_setting *to = setting(s, section, key);

	eb_wipe(to->value);
	free(to->source);
	to->value = eb_strdup(value);
	to->source = eb_strdup(source);
	to->line = line;
}

/* ---- files ----------------------------------------------------------------
 */

static int take_text(struct eb_index_settings *s, const char *path,
		     const struct eb_buf *text, struct eb_error *err)
{
	static const char *const section[] = { "global", "install" };
	struct eb_ini ini EB_CLEANUP(eb_ini_release) = { 0 };
	const struct eb_ini_item *item;

	if (eb_ini_parse(text->data, text->len, path, &ini, err) < 0)
		return -1;
	for (unsigned k = 0; k < 2; k++) {
		if (!eb_strv_has(&ini.section, section[k]))
			continue;
		for (size_t i = 0;
		     (item = eb_ini_item(&ini, section[k], i)) != NULL; i++)
			set(s, section[k], item->key, item->value, path,
			    item->line);
	}
	return 0;
}

/* What may not be opened counts as not there, as with pip. */
static int take_file(struct eb_index_settings *s, const char *path,
		     struct eb_events *events, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_CONFIG + 1);
	struct stat st;
	int rc;

	if (stat(path, &st) < 0)
		return 0;
	if (S_ISDIR(st.st_mode) || access(path, R_OK) < 0) {
		eb_warn(events, "\"%s\", reading pip's configuration: %s", path,
			strerror(S_ISDIR(st.st_mode) ? EISDIR : errno));
		return 0;
	}
	rc = eb_read_file(path, EB_MAX_CONFIG, &text, err);
	if (rc == 0)
		rc = take_text(s, path, &text, err);
	explicit_bzero(text.data, text.len);
	return rc;
}

static void add_global(struct eb_strv *files, const char *etc)
{
	eb_autofree char *standard = eb_asprintf("%s/xdg", etc);
	const char *dirs = variable("XDG_CONFIG_DIRS");
	struct eb_strv dir EB_CLEANUP(eb_strv_release) = { 0 };

	eb_strv_split(&dir, dirs ? dirs : standard, ":");
	for (size_t i = 0; i < dir.n; i++) {
		eb_autofree char *at = at_home(dir.v[i]);

		if (*at)
			eb_strv_addf(files, "%s/pip/pip.conf", at);
	}
	eb_strv_addf(files, "%s/pip.conf", etc);
}

static void add_user(struct eb_strv *files)
{
	const char *config = variable("XDG_CONFIG_HOME");
	eb_autofree char *at = at_home(config ? config : "~/.config");
	eb_autofree char *old = at_home("~/.pip/pip.conf");

	eb_strv_take(files, eb_steal(old));
	eb_strv_addf(files, "%s/pip/pip.conf", at);
}

static void list_files(struct eb_strv *files, const char *etc)
{
	const char *own = getenv("PIP_CONFIG_FILE");
	const char *active = variable("VIRTUAL_ENV");

	if (own && !strcmp(own, "/dev/null"))
		return;
	add_global(files, etc);
	if (!own || !*own || !eb_path_exists(own))
		add_user(files);
	if (!active)
		active = variable("CONDA_PREFIX");
	if (active)
		eb_strv_addf(files, "%s/pip.conf", active);
	if (own && *own)
		eb_strv_add(files, own);
}

/* ---- variables ------------------------------------------------------------
 */

static void take_variables(struct eb_index_settings *s)
{
	for (char **e = environ; *e; e++) {
		size_t n = strcspn(*e, "=");
		eb_autofree char *name = NULL;

		if (!eb_starts(*e, "PIP_") || !(*e)[n] || n == 4)
			continue;
		name = eb_strndup(*e, n);
		if (strcasecmp(name, "PIP_VERSION") &&
		    strcasecmp(name, "PIP_HELP"))
			set(s, ":env:", name + 4, *e + n + 1, name, 0);
	}
}

int eb_index_settings_read(const char *etc, struct eb_index_settings *out,
			   struct eb_events *events, struct eb_error *err)
{
	struct eb_strv files EB_CLEANUP(eb_strv_release) = { 0 };

	*out = (struct eb_index_settings){ 0 };
	list_files(&files, etc);
	for (size_t i = 0; i < files.n; i++) {
		if (take_file(out, files.v[i], events, err) < 0) {
			eb_index_settings_release(out);
			return -1;
		}
	}
	take_variables(out);
	return 0;
}

void eb_index_settings_release(struct eb_index_settings *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->v[i].section);
		free(s->v[i].key);
		eb_wipe(s->v[i].value);
		free(s->v[i].source);
	}
	free(s->v);
	*s = (struct eb_index_settings){ 0 };
}
