/* SPDX-License-Identifier: Apache-2.0 */
/* Environments of the team's catalogue as text: written, and read with doubt.
 */
#include <string.h>

#include <envbuild/index.h>
#include <envbuild/json.h>

#include "env_catalog.h"

#define FORMAT 1
#define MAX_PAIRS 4096
#define MAX_FILE 255

/* --- writing ---------------------------------------------------------- */
static json_t *pairs(const struct eb_strv *name, const struct eb_strv *value)
{
	json_t *all = json_array();

	for (size_t i = 0; i < name->n; i++)
		json_array_append_new(
			all, json_pack("[ss]", name->v[i], value->v[i]));
	return all;
}

void eb_environment_format(const struct eb_named *e, struct eb_buf *out)
{
	eb_autojson json_t *j = json_pack(
		"{si ss ss so so}", "format", FORMAT, "text", e->text, "file",
		e->file, "options", pairs(&e->option_name, &e->option_value),
		"variables", pairs(&e->variable_name, &e->variable_value));

	if (e->files)
		json_object_set_new(j, "files", json_string(e->files));
	eb_json_canonical(j, out);
}

/* --- reading ---------------------------------------------------------- */
static int damaged(const char *what, const char *how, struct eb_error *err)
{
	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s\", reading its definition: %s", what, how);
}

static int read_pairs(const json_t *j, const char *key, struct eb_strv *name,
		      struct eb_strv *value)
{
	const json_t *all = eb_json_arr(j, key);
	json_t *pair;
	size_t i;

	if (!all || json_array_size(all) > MAX_PAIRS)
		return -1;
	json_array_foreach (all, i, pair) {
		const char *n = json_string_value(json_array_get(pair, 0));
		const char *v = json_string_value(json_array_get(pair, 1));

		if (!n || !v || json_array_size(pair) != 2)
			return -1;
		eb_strv_add(name, n);
		eb_strv_add(value, v);
	}
	return 0;
}

/* Only what a definition may bring. */
static bool options_good(const struct eb_named *e)
{
	for (size_t i = 0; i < e->option_name.n; i++)
		if (!eb_named_keeps(e->option_name.v[i]))
			return false;
	return true;
}

static bool variables_good(const struct eb_named *e)
{
	for (size_t i = 0; i < e->variable_name.n; i++) {
		const char *name = e->variable_name.v[i];

		if (!*name || name[strcspn(name, "= \t\n")])
			return false;
	}
	return true;
}

static bool is_file_name(const char *file)
{
	for (const char *p = file; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == '/' || *p == 0x7f)
			return false;
	return *file && strlen(file) <= MAX_FILE;
}

static int fill(const json_t *j, const char *what, struct eb_named *e,
		struct eb_error *err)
{
	const char *text = eb_json_str(j, "text");
	const char *file = eb_json_str(j, "file");

	if (!text || !file || !is_file_name(file))
		return damaged(what, "it has no text, or no name of a file",
			       err);
	e->status = EB_ENV_SHARED;
	e->text = eb_strdup(text);
	e->file = eb_strdup(file);
	e->files = eb_strdup(eb_json_str(j, "files"));
	if (read_pairs(j, "options", &e->option_name, &e->option_value) < 0 ||
	    !options_good(e))
		return damaged(what, "its options are none", err);
	if (read_pairs(j, "variables", &e->variable_name, &e->variable_value) <
		    0 ||
	    !variables_good(e))
		return damaged(what, "its variables are none", err);
	return 0;
}

int eb_environment_parse(const char *text, size_t len, const char *what,
			 struct eb_named **out, struct eb_error *err)
{
	struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	eb_autojson json_t *j = eb_json_parse(text, len, what, &why);
	EB_CLEANUP(eb_named_free_ptr) struct eb_named *e = NULL;
	json_int_t format = eb_json_int(j, "format", 0);

	if (!j || format < 1)
		return damaged(what, "it is no JSON object of ours", err);
	if (format > FORMAT) {
		eb_err_set(err, EB_MACHINE,
			   "\"%s\" is of format %lld, the newest known is %d",
			   what, (long long)format, FORMAT);
		return eb_err_hint(err,
				   "use a newer envbuild than " EB_VERSION);
	}
	e = eb_calloc(1, sizeof *e);
	if (fill(j, what, e, err) < 0)
		return -1;
	if (eb_environment_reach(e, err) < 0)
		return eb_err_prefix(err, "\"%s\"", what);
	*out = eb_steal(e);
	return 0;
}

/* --- what everybody may read ------------------------------------------ */
#define URL_END " \t\r\n\"'`,;<>[]|\\"
#define HOST_END " \t\r\n\"\\/?#" /* a password may have the others */
#define NAME                         \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZ" \
	"abcdefghijklmnopqrstuvwxyz_0123456789"

/* The URL around a "://", its end; what a quote or a bracket ends is one. */
static char *url_at(const char *text, const char *sep)
{
	const char *from = sep;
	size_t n = 3 + strcspn(sep + 3, HOST_END);
	const char *at = memrchr(sep, '@', n);

	if (!at || !memchr(sep + 3, ':', (size_t)(at - sep) - 3))
		n = 0;
	n += strcspn(sep + n, URL_END);
	while (from > text && (strchr("+-.", from[-1]) ||
			       (from[-1] >= '0' && from[-1] <= '9') ||
			       (from[-1] >= 'a' && from[-1] <= 'z') ||
			       (from[-1] >= 'A' && from[-1] <= 'Z')))
		from--;
	return eb_strndup(from, (size_t)(sep - from) + n);
}

/* Of "${NAME}", which a text begins with; 0: it does not. */
static size_t variable_length(const char *p)
{
	size_t n = eb_starts(p, "${") ? strspn(p + 2, NAME) : 0;

	return n && p[2 + n] == '}' ? n + 3 : 0;
}

/* A login that is none: ssh's user without a password, ${NAME} for all that is
 * secret. */
static bool is_harmless(const char *url, const char *login, size_t n)
{
	const char *colon = memchr(login, ':', n);
	const char *secret = colon ? colon + 1 : login;
	size_t len = n - (size_t)(secret - login);

	return (len && variable_length(secret) == len) ||
	       (!colon && memmem(url, (size_t)(login - url), "ssh", 3));
}

/* The URL without what stands where a secret would, and is none: a login, a
 * part of the path, a pair of the query. */
static char *without_names(const char *url)
{
	char *out = eb_strdup(url), *to = strstr(out, "://") + 3;
	const char *p = url + (to - out);
	const char *at = memrchr(p, '@', strcspn(p, "/?#"));

	if (at && is_harmless(url, p, (size_t)(at - p)))
		p = at + 1;
	while (*p) {
		size_t n = strchr("/=", p[-1]) ? variable_length(p) : 0;

		if (!n || !strchr("/?&#", p[n])) {
			*to++ = *p++;
			continue;
		}
		while (!strchr("/?&", to[-1]))
			to--;
		p += n;
	}
	*to = '\0';
	return out;
}

/* Where a URL has a login, a token in its path, or a signature; NULL. */
static const char *secret_in(const char *text)
{
	for (const char *p = text; p && (p = strstr(p, "://")); p += 3) {
		eb_autofree char *found = url_at(text, p);
		eb_autofree char *url = without_names(found);
		eb_autofree char *told = eb_url_redact(url);
		eb_autofree char *shown = eb_index_shown(url);

		if (strcmp(url, told) != 0 ||
		    (strcmp(url, shown) != 0 && !eb_starts(url, "file:")))
			return p;
	}
	return NULL;
}

static int is_secret(const char *what, const char *text, const char *at,
		     struct eb_error *err)
{
	unsigned line = 1;

	for (const char *p = text; p < at; p++)
		line += *p == '\n';
	eb_err_set(err, EB_INPUT,
		   "a URL in the definition has a login or a token, which "
		   "everybody who reads the team's catalogue would see");
	eb_err_hint(err, "leave it out of the URL: .condarc, pip's "
			 "configuration and netrc can have it");
	return eb_err_at(err, what, line, 1);
}

static int values_check(const char *what, const struct eb_strv *values,
			struct eb_error *err)
{
	for (size_t i = 0; i < values->n; i++) {
		const char *at = secret_in(values->v[i]);

		if (at)
			return is_secret(what, values->v[i], at, err);
		if (!eb_utf8_valid(values->v[i], strlen(values->v[i])))
			return eb_err_set(err, EB_INPUT,
					  "one of the %s is not UTF-8", what);
	}
	return 0;
}

int eb_environment_check(const struct eb_named *e, struct eb_error *err)
{
	const char *at = secret_in(e->text);
	const char *of_files = secret_in(e->files);
	EB_AUTOBUF(text, EB_MAX_ENVIRONMENT);

	if (eb_environment_reach(e, err) < 0)
		return -1;
	if (at)
		return is_secret(e->file, e->text, at, err);
	if (of_files)
		return is_secret("Azure's files", e->files, of_files, err);
	if (values_check("options", &e->option_value, err) < 0 ||
	    values_check("variables", &e->variable_value, err) < 0)
		return -1;
	if (!eb_utf8_valid(e->text, strlen(e->text)))
		return eb_err_set(err, EB_INPUT, "\"%s\" is not UTF-8",
				  e->file);
	if (!variables_good(e))
		return eb_err_set(
			err, EB_INPUT,
			"a variable's name is none in the definition");
	eb_environment_format(e, &text);
	return text.overflow ? eb_err_set(err, EB_INPUT,
					  "the definition is longer than %zu "
					  "bytes",
					  EB_MAX_ENVIRONMENT)
			     : 0;
}
