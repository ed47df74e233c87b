/* SPDX-License-Identifier: Apache-2.0 */
/* A Dockerfile: which images it is made of, and whether it takes files of its
 * context. */
#include <string.h>
#include <strings.h>

#include <envbuild/file.h>

#include "dockerfile_read.h"

struct reading {
	struct eb_dockerfile *out;
	const struct eb_docker_line *line;
	struct eb_docker_args args;
	const char *platform;
	struct eb_strv stage; /* names; "" without one */
	struct eb_error *err;
};

static int refuse(struct reading *r, const char *text, const char *why)
{
	eb_err_set(r->err, EB_INPUT, "\"%s\": %s", text, why);
	return eb_err_at(r->err, r->out->file, r->line->number, 1);
}

/* ---- images ---------------------------------------------------------------
 */

/* Of `word`, what stands from `from` on, `len` bytes of it. */
static void add_image(struct reading *r, const struct eb_docker_word *word,
		      size_t from, size_t len, char *reference)
{
	const struct eb_docker_line *l = r->line;
	size_t first = word->at + from, last = first + len - 1;
	struct eb_dockerfile *d = r->out;

	EB_GROW(d->from, d->n, d->alloc);
	d->from[d->n++] = (struct eb_dockerfile_from){
		.word = eb_strndup(l->text.data + first, len),
		.reference = reference,
		.at = l->pos[first],
		.len = l->pos[last] - l->pos[first] + 1,
		.line = l->number,
	};
}

static bool is_stage(const struct reading *r, const char *name)
{
	for (size_t i = 0; i < r->stage.n; i++)
		if (*name && !strcasecmp(r->stage.v[i], name))
			return true;
	return false;
}

static int unset(struct reading *r, const char *word, const char *name)
{
	eb_autofree char *why =
		eb_asprintf("argument \"%s\" has no value", name);

	refuse(r, word, why);
	return eb_err_hint(r->err,
			   "--build-arg %s=VALUE gives it one, or a "
			   "default in its ARG line",
			   name);
}

/* 1, 0: it cannot be told, -1 */
static int fill_in(struct reading *r, const char *word, char **out)
{
	eb_autofree char *name = NULL;
	int rc = eb_docker_expand(&r->args, word, out, &name);

	if (rc < 0)
		return unset(r, word, name);
	if (rc > 0 && !**out)
		return refuse(r, word, "names no image");
	return rc;
}

/* ---- FROM -----------------------------------------------------------------
 */

static int check_platform(struct reading *r, const char *flag)
{
	eb_autofree char *asked = NULL;
	size_t n = strlen(r->platform);
	int rc = fill_in(r, flag, &asked);

	if (rc <= 0)
		return rc;
	if (!strncmp(asked, r->platform, n) && (!asked[n] || asked[n] == '/'))
		return 0;
	if (eb_starts(asked, "windows"))
		return refuse(r, asked, "only Linux images are made");
	refuse(r, asked, "the image is for another platform");
	return eb_err_hint(r->err, "this is built for %s", r->platform);
}

static int take_image(struct reading *r, size_t i)
{
	eb_autofree char *word = eb_docker_word(r->line, i);
	eb_autofree char *reference = NULL;
	int rc = fill_in(r, word, &reference);

	if (rc < 0)
		return -1;
	if (rc == 0 ||
	    (strcmp(reference, "scratch") && !is_stage(r, reference)))
		add_image(r, &r->line->word[i], 0, r->line->word[i].len,
			  eb_steal(reference));
	return 0;
}

/* FROM [--platform=...] IMAGE [AS NAME] */
static int take_from(struct reading *r)
{
	const struct eb_docker_line *l = r->line;
	eb_autofree char *as = NULL;
	size_t i = 1;

	for (; i < l->n; i++) {
		eb_autofree char *word = eb_docker_word(l, i);

		if (!eb_starts(word, "--"))
			break;
		if (eb_starts(word, "--platform=") &&
		    check_platform(r, word + strlen("--platform=")) < 0)
			return -1;
	}
	if (i == l->n)
		return refuse(r, "FROM", "names no image");
	if (take_image(r, i) < 0)
		return -1;
	if (i + 2 < l->n)
		as = eb_docker_word(l, i + 1);
	if (as && !strcasecmp(as, "AS"))
		eb_strv_take(&r->stage, eb_docker_word(l, i + 2));
	else
		eb_strv_add(&r->stage, "");
	return 0;
}

/* ---- what takes files -----------------------------------------------------
 */

/* The value of a --from: a stage by its name or number, or an image. */
static void take_source(struct reading *r, size_t i, size_t from, size_t len)
{
	const struct eb_docker_word *word = &r->line->word[i];
	eb_autofree char *text =
		eb_strndup(r->line->text.data + word->at + from, len);
	eb_autofree char *unknown = NULL;
	uint64_t number;
	char *reference = NULL;

	if (!len)
		return;
	/* arguments of the stage may stand there, too */
	if (strchr(text, '$') ||
	    eb_docker_expand(&r->args, text, &reference, &unknown) <= 0) {
		add_image(r, word, from, len, NULL);
		return;
	}
	if (is_stage(r, reference) || !strcmp(reference, "scratch") ||
	    (eb_parse_u64(reference, UINT32_MAX, &number) == 0 &&
	     number < r->stage.n))
		free(reference);
	else
		add_image(r, word, from, len, reference);
}

static bool is_remote(const char *source)
{
	return strstr(source, "://") || eb_starts(source, "git@") ||
	       eb_starts(source, "<<");
}

/* COPY and ADD: flags, then sources, then a place. */
static void take_copy(struct reading *r)
{
	const struct eb_docker_line *l = r->line;
	bool elsewhere = false;

	for (size_t i = 1; i < l->n; i++) {
		eb_autofree char *word = eb_docker_word(l, i);

		if (eb_starts(word, "--from=")) {
			take_source(r, i, strlen("--from="),
				    strlen(word) - strlen("--from="));
			elsewhere = true;
		} else if (!eb_starts(word, "--") && !elsewhere &&
			   i + 1 < l->n && !is_remote(word)) {
			r->out->copies = true;
		} else if (*word == '[' && !elsewhere) {
			r->out->copies = true;
		}
	}
}

/* --mount=type=bind,from=IMAGE,source=...: without a type it is bind, and
 * without "from" the context is what is bound. */
static void take_mount(struct reading *r, size_t i, const char *word)
{
	bool binds = true, elsewhere = false;
	size_t at = strlen("--mount=");

	while (word[at]) {
		size_t len = strcspn(word + at, ",");

		if (eb_starts(word + at, "type="))
			binds = len == strlen("type=bind") &&
				eb_starts(word + at, "type=bind");
		if (eb_starts(word + at, "from=")) {
			take_source(r, i, at + strlen("from="),
				    len - strlen("from="));
			elsewhere = true;
		}
		at += len + (word[at + len] == ',');
	}
	r->out->copies |= binds && !elsewhere;
}

static void take_run(struct reading *r)
{
	for (size_t i = 1; i < r->line->n; i++) {
		eb_autofree char *word = eb_docker_word(r->line, i);

		if (!eb_starts(word, "--"))
			return;
		if (eb_starts(word, "--mount="))
			take_mount(r, i, word);
	}
}

/* ---- instructions ---------------------------------------------------------
 */

static void declare(struct reading *r)
{
	for (size_t i = 1; i < r->line->n; i++) {
		eb_autofree char *word = eb_docker_word(r->line, i);

		eb_docker_args_declare(&r->args, word);
	}
}

static int take(struct reading *r)
{
	eb_autofree char *name = eb_docker_word(r->line, 0);

	if (!strcasecmp(name, "FROM"))
		return take_from(r);
	if (!r->stage.n && strcasecmp(name, "ARG"))
		return refuse(r, name, "stands before the first FROM");
	if (!r->stage.n)
		declare(r);
	else if (!strcasecmp(name, "COPY") || !strcasecmp(name, "ADD"))
		take_copy(r);
	else if (!strcasecmp(name, "RUN"))
		take_run(r);
	return 0;
}

static void release(struct reading *r)
{
	eb_docker_args_release(&r->args);
	eb_strv_release(&r->stage);
}

static int read_lines(struct reading *r)
{
	EB_CLEANUP(eb_docker_line_release) struct eb_docker_line line = { 0 };
	struct eb_docker_reader reader;

	r->line = &line;
	eb_docker_begin(&reader, r->out->text, r->out->len);
	r->args.escape = reader.escape;
	while (eb_docker_next(&reader, &line) > 0)
		if (take(r) < 0)
			return -1;
	if (r->stage.n)
		return 0;
	return eb_err_set(r->err, EB_INPUT,
			  "\"%s\" is no Dockerfile: it has "
			  "no FROM",
			  r->out->file);
}

int eb_dockerfile_parse(const char *text, size_t len, const char *file,
			const struct eb_strv *args, const char *platform,
			struct eb_dockerfile *out, struct eb_error *err)
{
	struct reading r EB_CLEANUP(
		release) = { .out = out, .platform = platform, .err = err };

	*out = (struct eb_dockerfile){ 0 };
	if (len > EB_MAX_DOCKERFILE || memchr(text, '\0', len))
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" is no Dockerfile: it has a NUL or "
				  "more than 1 MiB",
				  file);
	out->file = eb_strdup(file);
	out->text = eb_strndup(text, len);
	out->len = len;
	eb_docker_args_begin(&r.args, args, platform, '\\');
	if (read_lines(&r) == 0)
		return 0;
	eb_dockerfile_release(out);
	return -1;
}

int eb_dockerfile_read(const char *path, const struct eb_strv *args,
		       const char *platform, struct eb_dockerfile *out,
		       struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_DOCKERFILE);

	*out = (struct eb_dockerfile){ 0 };
	if (eb_read_file(path, EB_MAX_DOCKERFILE, &text, err) < 0)
		return -1;
	return eb_dockerfile_parse(text.data, text.len, path, args, platform,
				   out, err);
}

void eb_dockerfile_release(struct eb_dockerfile *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->from[i].word);
		free(d->from[i].reference);
	}
	free(d->from);
	free(d->file);
	free(d->text);
	*d = (struct eb_dockerfile){ 0 };
}
