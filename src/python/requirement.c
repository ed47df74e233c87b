/* SPDX-License-Identifier: Apache-2.0 */
/* One pip line in its normal form. */
#include <string.h>

#include <envbuild/buf.h>
#include <envbuild/mem.h>

#include "pip_line.h"

#define MAX_SHOWN 160

struct line {
	struct eb_pip_split split;
	struct eb_requirement *out;
	struct eb_error *err;
};

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
	const struct eb_pip_options *o = &l->split.options;
	size_t files = o->include.n + o->constraint.n;
	size_t sources = o->editable.n + !!*l->split.text;

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
	const struct eb_pip_options *o = &l->split.options;
	bool include = o->include.n;
	const char *value = include ? o->include.v[0] : o->constraint.v[0];
	eb_autofree char *shown =
		eb_secrets_hide(&l->split.secrets, eb_pip_clean(value), true);

	l->out->kind = include ? EB_REQ_INCLUDE : EB_REQ_CONSTRAINT;
	l->out->text = eb_asprintf("%s %s", include ? "-r" : "-c", shown);
	l->out->argument = eb_strdup(value);
	return 0;
}

static int global_options(struct line *l)
{
	l->out->kind = EB_REQ_OPTION;
	for (size_t i = 0; i < l->split.options.global.n; i++) {
		char **one = &l->split.options.global.v[i];

		*one = eb_secrets_hide(&l->split.secrets, *one,
				       !eb_starts(*one, "--trusted-host "));
	}
	l->out->text = join(&l->split.options.global, "\n");
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
	const struct eb_pip_options *o = &l->split.options;

	for (size_t i = 0; i < o->hash.n; i++) {
		append(&l->out->text, " --hash=", o->hash.v[i]);
		append(&l->out->behind, " --hash=", o->hash.v[i]);
	}
	for (size_t i = 0; i < o->setting.n; i++) {
		eb_autofree char *shown =
			eb_secrets_hide(&l->split.secrets,
					eb_pip_clean(o->setting.v[i]), false);

		append(&l->out->text, " --config-settings=", shown);
		append(&l->out->behind, " --config-settings=", shown);
	}
}

static int source(struct line *l)
{
	bool editable = l->split.options.editable.n;
	const char *args =
		editable ? l->split.options.editable.v[0] : l->split.text;

	if (eb_pip_source_parse(args, editable, &l->split.secrets, l->out, NULL,
				l->err) < 0)
		return -1;
	add_options(l);
	return 0;
}

static int read_line(struct line *l, const char *raw)
{
	if (eb_pip_split(raw, &l->split, l->err) < 0 || only_one(l) < 0)
		return -1;
	if (l->split.options.include.n || l->split.options.constraint.n)
		return file_option(l);
	if (*l->split.text || l->split.options.editable.n)
		return source(l);
	return global_options(l);
}

/* ---- outside
 * --------------------------------------------------------------------------------
 */

static void line_release(struct line *l)
{
	eb_pip_split_release(&l->split);
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
	err->message = eb_secrets_hide(&l->split.secrets, message, false);
	err->hint = eb_secrets_hide(&l->split.secrets, advice, false);
	eb_err_prefix(err, "\"%s\", reading a pip requirement", shown);
}

int eb_requirement_parse(const char *line, struct eb_requirement *out,
			 struct eb_error *err)
{
	struct line l EB_CLEANUP(line_release) = { .out = out, .err = err };

	memset(out, 0, sizeof *out);
	out->raw = eb_strdup(line);
	if (read_line(&l, line) == 0)
		return 0;
	tell(&l, line);
	eb_requirement_release(out);
	return -1;
}

int eb_requirement_as_constraint(const struct eb_requirement *r,
				 struct eb_error *err)
{
	const char *why = NULL;

	if (r->kind == EB_REQ_OPTION || r->kind == EB_REQ_CONSTRAINT ||
	    r->kind == EB_REQ_INCLUDE)
		return 0;
	if (r->kind == EB_REQ_EDITABLE)
		why = "nothing editable";
	else if (!r->name)
		why = "nothing without a name";
	else if (r->kind == EB_REQ_REQUIREMENT &&
		 memchr(r->text, '[', strcspn(r->text, ";@")))
		why = "no extras";
	if (!why)
		return 0;
	return eb_err_set(err, EB_INPUT, "\"%s\": pip takes %s as a constraint",
			  r->text, why);
}

void eb_requirement_release(struct eb_requirement *r)
{
	free(r->text);
	free(r->name);
	eb_wipe(r->argument);
	free(r->before);
	free(r->behind);
	eb_wipe(r->raw);
	memset(r, 0, sizeof *r);
}
