/* SPDX-License-Identifier: Apache-2.0 */
/* Pip lines as they are hashed: local sources and included files by what is in
 * them. */
#include <string.h>

#include <envbuild/file.h>

#include "definition_pip.h"
#include "spec_pip_files.h"
#include "spec_reader.h"

struct collect {
	const struct eb_spec *spec;
	struct eb_definition_pip *out;
};

/* "sha256:..." of a local source, in place of its path */
static char *content(struct collect *c, const char *path, struct eb_error *err)
{
	char text[EB_DIGEST_TEXT];
	struct eb_digest digest;

	if (eb_local_source(path, c->spec->file, &digest, err) < 0)
		return NULL;
	return eb_strdup(eb_digest_text(&digest, text));
}

static int add_source(struct collect *c, const struct eb_requirement *q,
		      const char *path, struct eb_strv *to,
		      struct eb_error *err)
{
	eb_autofree char *digest = content(c, path, err);

	if (!digest)
		return -1;
	eb_strv_addf(to, "%s%s%s", q->before, digest, q->behind);
	return 0;
}

/* One line of the text of an option; a folder of wheels by its content. */
static int add_option(struct collect *c, const char *option, const char *dir,
		      struct eb_error *err)
{
	static const char links[] = "--find-links ";
	const char *value = option + strlen(links);
	eb_autofree char *path = NULL;
	eb_autofree char *digest = NULL;

	if (eb_starts(option, links) && !eb_pip_is_remote(value))
		path = eb_pip_path(dir, value);
	if (!path || !eb_path_exists(path)) {
		eb_strv_add(&c->out->option, option);
		return 0;
	}
	digest = content(c, path, err);
	if (!digest)
		return -1;
	eb_strv_addf(&c->out->option, "%s%s", links, digest);
	return 0;
}

static int add_options(struct collect *c, const struct eb_requirement *q,
		       const char *dir, struct eb_error *err)
{
	struct eb_strv one EB_CLEANUP(eb_strv_release) = { 0 };

	eb_strv_split(&one, q->text, "\n");
	for (size_t i = 0; i < one.n; i++)
		if (add_option(c, one.v[i], dir, err) < 0)
			return -1;
	return 0;
}

static int add_line(void *data, const struct eb_requirement *q,
		    const struct eb_pip_place *at, struct eb_error *err)
{
	struct collect *c = data;
	struct eb_strv *to =
		at->constraint ? &c->out->constraint : &c->out->line;
	eb_autofree char *path = NULL;

	if (q->kind == EB_REQ_OPTION)
		return add_options(c, q, at->dir, err);
	if (q->before)
		path = eb_pip_path(at->dir, q->argument);
	if (path && eb_path_exists(path))
		return add_source(c, q, path, to, err);
	eb_strv_add(to, q->text);
	return 0;
}

int eb_definition_pip(const struct eb_spec *spec, struct eb_definition_pip *out,
		      struct eb_error *err)
{
	struct collect c = { spec, out };

	if (eb_pip_visit(spec, add_line, &c, err) < 0 ||
	    (spec->pylock &&
	     eb_pylock_normal(spec->pylock, eb_spec_pylock_content,
			      (void *)spec, &out->locked, err) < 0))
		return -1;
	eb_strv_sort(&out->locked);
	eb_strv_sort(&out->line);
	eb_strv_unique(&out->line);
	eb_strv_sort(&out->constraint);
	eb_strv_unique(&out->constraint);
	return 0;
}

void eb_definition_pip_release(struct eb_definition_pip *p)
{
	eb_strv_release(&p->line);
	eb_strv_release(&p->constraint);
	eb_strv_release(&p->option);
	eb_strv_release(&p->locked);
}
