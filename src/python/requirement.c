/* SPDX-License-Identifier: Apache-2.0 */
/* One pip line: cut the comment, expand, split from its options, read. */
#include <string.h>

#include <envbuild/buf.h>
#include <envbuild/mem.h>

#include "pip_line.h"

#define MAX_LINE ((size_t)256 << 10)
#define MAX_SHOWN 160

struct line {
	char *text; /* expanded; becomes what is before the options */
	char *rest; /* the options */
	struct eb_pip_options options;
	struct eb_secrets secrets;
	struct eb_requirement *out;
	struct eb_error *err;
};

/* ---- from the raw line to its two halves
 * ---------------------------------------------- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* A "#" at the beginning or behind white space. */
static void cut_comment(char *s)
{
	for (char *p = s; *p; p++)
		if (*p == '#' && (p == s || is_blank(p[-1]))) {
			*p = '\0';
			return;
		}
}

static int check_bytes(const char *s, struct eb_error *err)
{
	size_t n = strlen(s);

	if (n > MAX_LINE)
		return eb_err_set(err, EB_INPUT, "longer than %zu bytes",
				  MAX_LINE);
	if (!eb_utf8_valid(s, n))
		return eb_err_set(err, EB_INPUT, "no UTF-8");
	for (; *s; s++)
		if (((unsigned char)*s < 0x20 && *s != '\t') || *s == 0x7f)
			return eb_err_set(err, EB_INPUT,
					  "a control character (0x%02x)",
					  (unsigned char)*s);
	return 0;
}

/* The options begin with the first word that begins with "-". */
static void split(struct line *l)
{
	char *p = l->text;

	while (*p && *p != '-') {
		p += strcspn(p, " ");
		p += *p == ' ';
	}
	l->rest = eb_strdup(p);
	*p = '\0';
	eb_strip(l->text);
}

static int prepare(struct line *l, const char *raw)
{
	eb_autofree char *text = eb_strdup(raw);
	size_t n;

	cut_comment(text);
	eb_strip(text);
	for (n = strlen(text); n && text[n - 1] == '\\'; n--)
		text[n - 1] = '\0';
	eb_strip(text);
	if (check_bytes(text, l->err) < 0)
		return -1;
	l->text = eb_pip_expand(text, &l->secrets, l->err);
	if (!l->text || check_bytes(l->text, l->err) < 0)
		return -1;
	eb_strip(l->text);
	split(l);
	return eb_pip_options_parse(l->rest, &l->options, l->err);
}

/* ---- the kinds
 * ---------------------------------------------------------------------------
 */

static char *join(const struct eb_strv *v, const char *between)
{
	EB_AUTOBUF(out, EB_MAX_TEXT);

	for (size_t i = 0; i < v->n; i++)
		eb_buf_addf(&out, "%s%s", i ? between : "", v->v[i]);
	return eb_buf_steal(&out, NULL);
}

static int only_one(struct line *l)
{
	const struct eb_pip_options *o = &l->options;
	size_t files = o->include.n + o->constraint.n;
	size_t sources = o->editable.n + !!*l->text;

	if (files + sources > 1 || (files && o->global.n)) {
		eb_err_set(l->err, EB_INPUT,
			   "more than one thing on a line: pip reads the "
			   "first and drops the others");
		return eb_err_hint(l->err, "give each a line of its own");
	}
	if (sources && o->global.n) {
		eb_err_set(l->err, EB_INPUT,
			   "an option behind a requirement, where pip drops "
			   "it");
		return eb_err_hint(l->err, "write \"%s\" on a line of its own",
				   o->global.v[0]);
	}
	if (!sources && (o->hash.n || o->setting.n))
		return eb_err_set(l->err, EB_INPUT,
				  "--hash and --config-settings belong to a "
				  "requirement on the same line");
	return 0;
}

static int file_option(struct line *l)
{
	const struct eb_pip_options *o = &l->options;
	bool include = o->include.n;
	const char *value = include ? o->include.v[0] : o->constraint.v[0];
	eb_autofree char *shown =
		eb_secrets_hide(&l->secrets, eb_pip_clean(value), true);

	l->out->kind = include ? EB_REQ_INCLUDE : EB_REQ_CONSTRAINT;
	l->out->text = eb_asprintf("%s %s", include ? "-r" : "-c", shown);
	l->out->argument = eb_strdup(value);
	return 0;
}

static int global_options(struct line *l)
{
	l->out->kind = EB_REQ_OPTION;
	for (size_t i = 0; i < l->options.global.n; i++) {
		char **one = &l->options.global.v[i];

		*one = eb_secrets_hide(&l->secrets, *one, true);
	}
	l->out->text = join(&l->options.global, "\n");
	return 0;
}

static void append(char **text, const char *what, const char *value)
{
	char *longer;

	if (!*text)
		return;
	longer = eb_asprintf("%s%s%s", *text, what, value);
	free(*text);
	*text = longer;
}

/* --hash and --config-settings of a requirement, behind it. */
static void add_options(struct line *l)
{
	const struct eb_pip_options *o = &l->options;

	for (size_t i = 0; i < o->hash.n; i++) {
		append(&l->out->text, " --hash=", o->hash.v[i]);
		append(&l->out->behind, " --hash=", o->hash.v[i]);
	}
	for (size_t i = 0; i < o->setting.n; i++) {
		append(&l->out->text, " --config-settings=", o->setting.v[i]);
		append(&l->out->behind, " --config-settings=", o->setting.v[i]);
	}
}

static int source(struct line *l)
{
	bool editable = l->options.editable.n;
	const char *args = editable ? l->options.editable.v[0] : l->text;

	if (eb_pip_source_parse(args, editable, &l->secrets, l->out, l->err) <
	    0)
		return -1;
	add_options(l);
	return 0;
}

static int read_line(struct line *l, const char *raw)
{
	if (prepare(l, raw) < 0 || only_one(l) < 0)
		return -1;
	if (l->options.include.n || l->options.constraint.n)
		return file_option(l);
	if (*l->text || l->options.editable.n)
		return source(l);
	return global_options(l);
}

/* ---- outside
 * --------------------------------------------------------------------------------
 */

static void line_release(struct line *l)
{
	free(l->text);
	free(l->rest);
	eb_pip_options_release(&l->options);
	eb_secrets_release(&l->secrets);
}

char *eb_requirement_shown(const char *line)
{
	eb_autofree char *clean = eb_pip_clean(line);
	size_t n = strlen(eb_strip(clean));

	if (n > MAX_SHOWN) {
		for (n = MAX_SHOWN; n && (clean[n] & 0xc0) == 0x80; n--)
			;
		memcpy(clean + n, "...", 4);
	}
	return eb_printable(clean);
}

static void tell(const struct line *l, const char *raw)
{
	eb_autofree char *shown = eb_requirement_shown(raw);
	struct eb_error *err = l->err;
	char *message = eb_pip_clean(err->message);
	char *advice = err->hint ? eb_pip_clean(err->hint) : NULL;

	free(err->message);
	free(err->hint);
	err->message = eb_secrets_hide(&l->secrets, message, false);
	err->hint = eb_secrets_hide(&l->secrets, advice, false);
	eb_err_prefix(err, "\"%s\", reading a pip requirement", shown);
}

int eb_requirement_parse(const char *line, struct eb_requirement *out,
			 struct eb_error *err)
{
	struct line l EB_CLEANUP(line_release) = { .out = out, .err = err };

	memset(out, 0, sizeof *out);
	if (read_line(&l, line) == 0)
		return 0;
	tell(&l, line);
	eb_requirement_release(out);
	return -1;
}

void eb_requirement_release(struct eb_requirement *r)
{
	free(r->text);
	free(r->name);
	free(r->argument);
	free(r->before);
	free(r->behind);
	memset(r, 0, sizeof *r);
}
