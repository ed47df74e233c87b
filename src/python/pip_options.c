/* SPDX-License-Identifier: Apache-2.0 */
/* Options in a requirements file: which there are, and their normal text. */
#include <ctype.h>
#include <string.h>

#include <envbuild/buf.h>
#include <envbuild/mem.h>

#include "pip_line.h"

enum value { FLAG, TEXT, URL, NAMES };
enum use { GLOBAL, INCLUDE, CONSTRAINT, EDITABLE, HASH, SETTING };

static const struct option {
	const char *name;
	char letter;
	enum value value;
	enum use use;
	const char *normal; /* where it is another name for that */
} options[] = {
	{ "--index-url", 'i', URL, GLOBAL, NULL },
	{ "--pypi-url", 0, URL, GLOBAL, "--index-url" },
	{ "--extra-index-url", 0, URL, GLOBAL, NULL },
	{ "--no-index", 0, FLAG, GLOBAL, NULL },
	{ "--find-links", 'f', URL, GLOBAL, NULL },
	{ "--requirement", 'r', TEXT, INCLUDE, NULL },
	{ "--constraint", 'c', TEXT, CONSTRAINT, NULL },
	{ "--editable", 'e', TEXT, EDITABLE, NULL },
	{ "--no-binary", 0, NAMES, GLOBAL, NULL },
	{ "--only-binary", 0, NAMES, GLOBAL, NULL },
	{ "--prefer-binary", 0, FLAG, GLOBAL, NULL },
	{ "--require-hashes", 0, FLAG, GLOBAL, NULL },
	{ "--no-require-hashes", 0, FLAG, GLOBAL, NULL },
	{ "--pre", 0, FLAG, GLOBAL, NULL },
	{ "--all-releases", 0, NAMES, GLOBAL, NULL },
	{ "--only-final", 0, NAMES, GLOBAL, NULL },
	{ "--trusted-host", 0, TEXT, GLOBAL, NULL },
	{ "--use-feature", 0, TEXT, GLOBAL, NULL },
	{ "--hash", 0, TEXT, HASH, NULL },
	{ "--config-settings", 'C', TEXT, SETTING, NULL },
	{ "--config-setting", 0, TEXT, SETTING, NULL },
};
#define N_OPTIONS (sizeof options / sizeof *options)

/* ---- words
 * -------------------------------------------------------------------- */

/* One quoted piece; gives the place behind it, NULL when it has no end. */
static const char *add_quoted(struct eb_buf *word, const char *p)
{
	char quote = *p++;

	for (; *p && *p != quote; p++) {
		if (quote == '"' && *p == '\\' && (p[1] == '"' || p[1] == '\\'))
			p++;
		eb_buf_addch(word, *p);
	}
	return *p ? p + 1 : NULL;
}

static const char *add_word(struct eb_buf *word, const char *p)
{
	while (p && *p && *p != ' ' && *p != '\t') {
		if (*p == '"' || *p == '\'') {
			p = add_quoted(word, p);
			continue;
		}
		if (*p == '\\') {
			if (!p[1])
				return NULL;
			p++;
		}
		eb_buf_addch(word, *p++);
	}
	return p;
}

int eb_pip_words(const char *text, struct eb_strv *out, struct eb_error *err)
{
	const char *p = text;

	while (*p) {
		EB_AUTOBUF(word, EB_MAX_CONFIG);

		if (*p == ' ' || *p == '\t') {
			p++;
			continue;
		}
		p = add_word(&word, p);
		if (!p)
			return eb_err_set(err, EB_INPUT,
					  "a closing quote is missing among "
					  "the options");
		eb_strv_take(out, eb_buf_steal(&word, NULL));
	}
	return 0;
}

/* ---- which option
 * --------------------------------------------------------------- */

/* A name may be cut short as long as it is clear. */
static const struct option *find_long(const char *name, size_t n)
{
	const struct option *found = NULL;

	for (size_t i = 0; i < N_OPTIONS; i++) {
		if (strncmp(options[i].name, name, n) != 0)
			continue;
		if (!options[i].name[n])
			return &options[i];
		if (found && found->use != SETTING)
			return NULL;
		found = &options[i];
	}
	return n > 2 ? found : NULL;
}

static const struct option *find_letter(char letter)
{
	for (size_t i = 0; i < N_OPTIONS; i++)
		if (options[i].letter && options[i].letter == letter)
			return &options[i];
	return NULL;
}

static int unknown(const char *word, size_t n, struct eb_error *err)
{
	static const char *const install[] = {
		"-U", "--upgrade",	"--user",
		"-t", "--target",	"--no-deps",
		"-q", "--no-cache-dir", "--force-reinstall",
	};

	eb_err_set(err, EB_INPUT,
		   "\"%.*s\" is no option of a requirements file", (int)n,
		   word);
	for (size_t i = 0; i < sizeof install / sizeof *install; i++)
		if (strlen(install[i]) == n && !strncmp(install[i], word, n))
			return eb_err_hint(err, "it is one of the command "
						"\"pip install\" only: leave "
						"it out");
	return -1;
}

/* ---- values
 * ---------------------------------------------------------------------- */

/* "A_b, c" of --no-binary; ":all:" stays. */
static char *normal_names(const char *value)
{
	struct eb_strv part EB_CLEANUP(eb_strv_release) = { 0 };
	EB_AUTOBUF(out, EB_MAX_CONFIG);

	eb_strv_split(&part, value, ",");
	for (size_t i = 0; i < part.n; i++) {
		eb_autofree char *name = eb_project_name(eb_strip(part.v[i]));

		eb_buf_addf(&out, "%s%s", i ? "," : "",
			    *name == ':' ? part.v[i] : name);
	}
	return eb_buf_steal(&out, NULL);
}

static void add_global(const struct option *o, const char *value,
		       struct eb_pip_options *out)
{
	const char *name = o->normal ? o->normal : o->name;
	eb_autofree char *text = NULL;

	eb_strv_add(&out->name, name);
	eb_strv_add(&out->value, value);
	if (o->value == FLAG) {
		eb_strv_add(&out->global, name);
		return;
	}
	text = o->value == NAMES ? normal_names(value)
	       : o->value == URL ? eb_pip_clean(value)
				 : eb_strdup(value);
	eb_strv_addf(&out->global, "%s %s", name, text);
}

static int add_hash(const char *value, struct eb_strv *out,
		    struct eb_error *err)
{
	static const char *const kinds[] = { "sha256:", "sha384:", "sha512:" };
	const char *hex = strchr(value, ':');

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (eb_starts(value, kinds[i]) && hex[1] &&
		    strspn(hex + 1, "0123456789abcdefABCDEF") ==
			    strlen(hex + 1)) {
			eb_strv_add(out, value);
			return 0;
		}
	eb_err_set(err, EB_INPUT, "--hash: \"%s\" is no digest", value);
	return eb_err_hint(err, "write sha256:, sha384: or sha512: and the "
				"digits");
}

static int add(const struct option *o, const char *value,
	       struct eb_pip_options *out, struct eb_error *err)
{
	if (o->value != FLAG && !*value)
		return eb_err_set(err, EB_INPUT, "%s without a value", o->name);
	switch (o->use) {
	case GLOBAL: add_global(o, value, out); break;
	case INCLUDE: eb_strv_add(&out->include, value); break;
	case CONSTRAINT: eb_strv_add(&out->constraint, value); break;
	case EDITABLE: eb_strv_add(&out->editable, value); break;
	case SETTING: eb_strv_add(&out->setting, value); break;
	case HASH: return add_hash(value, &out->hash, err);
	}
	return 0;
}

/* ---- the line
 * --------------------------------------------------------------------- */

/* The option in words[*i], its value there or in the next word. */
static int read_one(const struct eb_strv *words, size_t *i,
		    struct eb_pip_options *out, struct eb_error *err)
{
	const char *word = words->v[*i], *value = NULL;
	bool is_long = eb_starts(word, "--");
	size_t n = is_long ? strcspn(word, "=") : strlen(word) < 2 ? 1 : 2;
	const struct option *o =
		is_long ? find_long(word, n) : find_letter(word[1]);

	if (*word != '-')
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" is left over behind the options",
				  word);
	if (!o)
		return unknown(word, n, err);
	if (word[n])
		value = word + n + is_long;
	if (o->value == FLAG)
		return value ? eb_err_set(err, EB_INPUT, "%s takes no value",
					  o->name)
			     : add(o, "", out, err);
	if (!value && *i + 1 < words->n)
		value = words->v[++*i];
	return add(o, value ? value : "", out, err);
}

int eb_pip_options_parse(const char *text, struct eb_pip_options *out,
			 struct eb_error *err)
{
	struct eb_strv words EB_CLEANUP(eb_wipe_all) = { 0 };

	if (eb_pip_words(text, &words, err) < 0)
		return -1;
	for (size_t i = 0; i < words.n; i++)
		if (read_one(&words, &i, out, err) < 0)
			return -1;
	eb_strv_sort(&out->hash);
	eb_strv_unique(&out->hash);
	return 0;
}

void eb_pip_options_release(struct eb_pip_options *o)
{
	eb_strv_release(&o->global);
	eb_strv_release(&o->name);
	eb_wipe_all(&o->value);
	eb_wipe_all(&o->include);
	eb_wipe_all(&o->constraint);
	eb_wipe_all(&o->editable);
	eb_strv_release(&o->hash);
	eb_wipe_all(&o->setting);
}
