/* SPDX-License-Identifier: Apache-2.0 */
/* Lint of a Dockerfile: what makes its build fail for certain, line by line. */
#include <string.h>

#include <envbuild/file.h>

#include "azure_read.h"
#include "lint_private.h"

struct dockerfile {
	const char *file, *context;
	struct eb_lint_list *out;
	unsigned line;
	bool updated; /* "apt-get update" was seen in this stage */
	bool known;   /* the base is one of which we know what it lacks */
	bool conda;   /* there may be a conda */
};

static const char *const instructions[] = {
	"FROM", "RUN",	 "CMD",		"LABEL",   "MAINTAINER", "EXPOSE",
	"ENV",	"ADD",	 "COPY",	"USER",	   "VOLUME",	 "WORKDIR",
	"ARG",	"SHELL", "HEALTHCHECK", "ONBUILD", "STOPSIGNAL", "ENTRYPOINT",
};

static bool is_instruction(const char *word)
{
	for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++)
		if (!strcasecmp(instructions[i], word))
			return true;
	return false;
}

#define lint(d, rule, fix, ...)                                       \
	eb_lint_add((d)->out, (rule), (d)->file, (d)->line, 1, (fix), \
		    __VA_ARGS__)

/* ---- FROM --------------------------------------------------------------- */

/* Distributions whose packages are not at their usual place any more, or that
 * get no fixes, as the tags of base images name them. */
static const char *const old_systems[] = {
	"ubuntu16.04",	  "ubuntu18.04", "ubuntu:16.04", "ubuntu:18.04",
	"ubuntu:14.04",	  "debian:8",	 "debian:9",	 "debian:jessie",
	"debian:stretch", "centos:6",	 "centos:7",	 "centos:8",
};

/* Images of whose makers it is known that they have neither a conda nor lists
 * of packages. */
static bool is_known(const char *image)
{
	static const char *const names[] = { "ubuntu", "debian", "python",
					     "nvidia/cuda", "alpine" };

	if (eb_starts(image, "docker.io/"))
		image += strlen("docker.io/");
	if (eb_starts(image, "library/"))
		image += strlen("library/");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t n = strlen(names[i]);

		if (!strncmp(image, names[i], n) &&
		    (!image[n] || strchr(":@ \t", image[n])))
			return true;
	}
	return false;
}

static void lint_from(struct dockerfile *d, const char *rest)
{
	rest += strspn(rest, " \t");
	d->updated = false;
	d->known = is_known(rest);
	d->conda = !d->known;
	for (size_t i = 0; i < sizeof old_systems / sizeof *old_systems; i++)
		if (strstr(rest, old_systems[i]))
			lint(d, "dockerfile-old-system", "take a newer base",
			     "\"%s\" gets no fixes any more", old_systems[i]);
}

/* ---- RUN ---------------------------------------------------------------- */

static void lint_install(struct dockerfile *d, const char *command)
{
	struct eb_lint_found *f;

	if (!strstr(command, " -y") && !strstr(command, " -qy") &&
	    !strstr(command, "--yes") && !strstr(command, "--assume-yes") &&
	    !strstr(command, " -qq"))
		lint(d, "dockerfile-apt", "write apt-get install -y",
		     "\"apt-get install\" asks whether to go on, and nobody "
		     "answers");
	if (d->updated)
		return;
	f = lint(d, "dockerfile-apt",
		 "write apt-get update && apt-get install -y ...",
		 "no \"apt-get update\" before it: most bases have no list of "
		 "packages");
	if (!d->known)
		eb_lint_lower(f, EB_LEVEL_WARNING);
}

/* "conda" as a command: at the start, or behind "&&", ";" and the like. */
static bool runs_conda(const char *rest)
{
	const char *at = rest;

	while ((at = strstr(at, "conda "))) {
		const char *before = at;

		while (before > rest && strchr(" \t", before[-1]))
			before--;
		if (before == rest || strchr("&;|(", before[-1]))
			return true;
		at++;
	}
	return false;
}

/* Whoever speaks of conda in another way may be bringing it. */
static void lint_conda(struct dockerfile *d, const char *rest)
{
	eb_autofree char *plain = eb_strdup(rest);
	const char *first;

	eb_lower(plain);
	first = strstr(plain, "conda");
	if (!first)
		return;
	if (!d->conda && runs_conda(plain) && eb_starts(first, "conda "))
		lint(d, "dockerfile-conda",
		     "begin with an image that has it, or install it first",
		     "\"conda\" is run, and neither the base nor a line "
		     "before brings it");
	d->conda = true;
}

static void lint_run(struct dockerfile *d, const char *rest)
{
	const char *update = strstr(rest, "apt-get update");
	const char *install = strstr(rest, "apt-get install");

	if (!update)
		update = strstr(rest, "apt update");
	if (update && (!install || update < install))
		d->updated = true;
	if (install)
		lint_install(d, install);
}

/* ---- COPY and ADD ------------------------------------------------------- */

static bool is_plain(const char *source)
{
	return !strpbrk(source, "*?[$\"{") && !strstr(source, "://") &&
	       !eb_starts(source, "--") && !eb_starts(source, "<<") &&
	       !eb_starts(source, "git@");
}

static void lint_copy(struct dockerfile *d, const char *rest)
{
	struct eb_strv word EB_CLEANUP(eb_strv_release) = { 0 };

	if (!d->context || strstr(rest, "--from=") || strchr(rest, '['))
		return;
	eb_strv_split(&word, rest, " \t");
	for (size_t i = 0; i + 1 < word.n; i++) {
		eb_autofree char *path = NULL;

		if (!*word.v[i] || !is_plain(word.v[i]))
			continue;
		path = eb_path_join(d->context, word.v[i]);
		if (!eb_path_exists(path))
			lint(d, "dockerfile-copy", "put it there",
			     "\"%s\" is to be copied, and the context has none",
			     word.v[i]);
	}
}

/* ---- lines -------------------------------------------------------------- */

static void lint_instruction(struct dockerfile *d, char *text)
{
	size_t len = strcspn(text, " \t");
	eb_autofree char *word = eb_strndup(text, len);
	const char *rest = text + len;

	if (!*word)
		return;
	if (strcasecmp(word, "FROM") != 0)
		lint_conda(d, rest);
	if (!is_instruction(word))
		lint(d, "dockerfile-instruction",
		     "a line that goes on needs \\ at the end of the one "
		     "before",
		     "there is no instruction \"%s\"", word);
	else if (!strcasecmp(word, "FROM"))
		lint_from(d, rest);
	else if (!strcasecmp(word, "RUN"))
		lint_run(d, rest);
	else if (!strcasecmp(word, "COPY") || !strcasecmp(word, "ADD"))
		lint_copy(d, rest);
}

/* The word that ends a here-document which begins in this line, or NULL. */
static char *heredoc(const char *text)
{
	const char *at = strstr(text, "<<");
	size_t len;

	if (!at || at[2] == '<')
		return NULL;
	at += 2 + (at[2] == '-');
	at += *at == '"' || *at == '\'';
	len = strcspn(at, " \t\"';|&>");
	return len ? eb_strndup(at, len) : NULL;
}

/* Joins lines that go on; comments between them do not end that. */
static size_t take(struct eb_strv *line, size_t i, struct eb_buf *out)
{
	bool more = true;

	for (; more && i < line->n; i++) {
		char *text = eb_strip(line->v[i]);
		size_t len = strlen(text);

		if (*text == '#')
			continue;
		more = len && text[len - 1] == '\\';
		eb_buf_add(out, text, more ? len - 1 : len);
		eb_buf_addch(out, ' ');
		more |= !len && out->len > 1;
	}
	return i;
}

static size_t skip_heredoc(struct eb_strv *line, size_t i, const char *end)
{
	while (i < line->n && strcmp(eb_strip(line->v[i]), end))
		i++;
	return i < line->n ? i + 1 : i;
}

static void lint_lines(struct dockerfile *d, struct eb_strv *line)
{
	for (size_t i = 0; i < line->n;) {
		EB_AUTOBUF(text, EB_AZURE_MAX_DOCKERFILE * 4);
		eb_autofree char *end = NULL;

		if (!*eb_strip(line->v[i]) || *eb_strip(line->v[i]) == '#') {
			i++;
			continue;
		}
		d->line = (unsigned)i + 1;
		i = take(line, i, &text);
		end = heredoc(text.data);
		lint_instruction(d, eb_strip(text.data));
		if (end)
			i = skip_heredoc(line, i, end);
	}
}

void eb_lint_dockerfile(const char *text, size_t len, const char *file,
			const char *context, struct eb_lint_list *out)
{
	struct dockerfile d = { .file = file, .context = context, .out = out };
	struct eb_strv line EB_CLEANUP(eb_strv_release) = { 0 };

	if (len > EB_AZURE_MAX_DOCKERFILE)
		eb_lint_add(out, "dockerfile-too-long", file, 0, 0,
			    "move parts of it into files that it copies",
			    "a Dockerfile of %zu characters is refused, "
			    "%d are allowed",
			    len, EB_AZURE_MAX_DOCKERFILE);
	eb_strv_split(&line, text, "\n");
	lint_lines(&d, &line);
}
