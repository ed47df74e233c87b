/* SPDX-License-Identifier: Apache-2.0 */
/* A definition from its text, whatever kind of file it is. */
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>

#include "azure_name.h"
#include "locked_file.h"
#include "spec_list.h"
#include "spec_pip_files.h"
#include "spec_reader.h"

struct field {
	const char *name;
	int (*read)(struct eb_spec_reader *r, const struct eb_yaml_node *n);
};

/* In the order in which they are read, whatever the file's. */
static const struct field fields[] = {
	{ "name", eb_spec_name },
	{ "prefix", eb_spec_prefix },
	{ "channels", eb_spec_channels },
	{ "variables", eb_spec_variables },
	{ "dependencies", eb_spec_dependencies },
};

static bool is_field(const char *key)
{
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (strcmp(fields[i].name, key) == 0)
			return true;
	return false;
}

static bool is_extension(const char *key)
{
	static const char *const list[] = {
		"platforms", "platform",	 "category",
		"extras",    "pip-repositories", "allow-pypi-requests",
	};

	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (strcmp(list[i], key) == 0)
			return true;
	return false;
}

static void warn_unknown(struct eb_spec_reader *r)
{
	const struct eb_yaml_node *root = r->doc->root;

	for (size_t i = 0; i < root->n; i++) {
		const struct eb_yaml_node *key = root->key[i];
		eb_autofree char *shown = NULL;

		if (is_field(key->text))
			continue;
		shown = eb_requirement_shown(key->text);
		eb_spec_warn(r, key,
			     is_extension(key->text)
				     ? "key \"%s\" is another tool's: ignored"
				     : "unknown key \"%s\": ignored",
			     shown);
	}
}

static int read_fields(struct eb_spec_reader *r)
{
	if (eb_spec_foreign_map(r) < 0)
		return -1;
	warn_unknown(r);
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		const struct eb_yaml_node *n =
			eb_yaml_get(r->doc->root, fields[i].name);

		if (n && fields[i].read(r, n) < 0)
			return -1;
	}
	return eb_pip_files_check(r->spec, r->events, r->err);
}

static int read_document(struct eb_spec_reader *r, struct eb_yaml *doc)
{
	r->doc = doc;
	if (eb_is_conda_lock(doc->root))
		return eb_spec_conda_lock(r);
	if (eb_is_pixi_lock(doc->root))
		return eb_spec_pixi_lock(r);
	return read_fields(r) < 0
		       ? -1
		       : eb_azure_name_of(doc, r->spec->azure_name, r->err);
}

int eb_spec_from_yaml(struct eb_yaml *doc, const char *platform,
		      struct eb_events *events, struct eb_spec **out,
		      struct eb_error *err)
{
	EB_CLEANUP(eb_spec_free_ptr)
	struct eb_spec *spec = eb_spec_new(doc->name);
	struct eb_spec_reader r = {
		.platform = platform, .events = events, .spec = spec, .err = err
	};

	if (read_document(&r, doc) < 0)
		return -1;
	*out = eb_steal(spec);
	return 0;
}

/* A shell of Windows writes them as UTF-16. */
static enum eb_list_kind kind_of(const char *file, const char *text, size_t len,
				 struct eb_buf *plain)
{
	struct eb_error no EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	return eb_pip_decode(text, len, file, plain, &no) < 0
		       ? EB_LIST_NONE
		       : eb_list_kind(file, plain->data);
}

bool eb_spec_is_list(const char *file, const char *text, size_t len)
{
	EB_WIPEDBUF(plain, EB_MAX_METADATA);

	return kind_of(file, text, len, &plain) != EB_LIST_NONE;
}

/* A list of a line a package: 1 it is one, and is read; 0 it is none; -1. */
static int read_list(struct eb_spec_reader *r, const char *text, size_t len)
{
	EB_WIPEDBUF(plain, EB_MAX_METADATA);

	switch (kind_of(r->spec->file, text, len, &plain)) {
	case EB_LIST_EXPLICIT:
		return eb_spec_explicit(r, plain.data) < 0 ? -1 : 1;
	case EB_LIST_SPECS: return eb_spec_list(r, plain.data) < 0 ? -1 : 1;
	default: return 0;
	}
}

static int read_text(struct eb_spec_reader *r, const char *text, size_t len)
{
	EB_CLEANUP(eb_yaml_free_ptr) struct eb_yaml *doc = NULL;
	const char *file = r->spec->file;
	int rc;

	if (eb_spec_is_pylock(file))
		return eb_spec_pylock(r, text, len);
	rc = read_list(r, text, len);
	if (rc)
		return rc < 0 ? -1 : 0;
	if (eb_spec_foreign_text(text, len, file, r->err) < 0)
		return -1;
	if (eb_spec_is_requirements(file, text, len))
		return eb_spec_requirements(r, text, len);
	return eb_yaml_parse(text, len, file, &doc, r->err) < 0
		       ? -1
		       : read_document(r, doc);
}

/* Options that say which part is meant are for files that have parts. */
static int check_part(const struct eb_spec_reader *r)
{
	const struct eb_spec_part *p = r->part;
	bool environment = p && p->environment && !r->took_environment;
	bool category = p && p->category && p->category->n && !r->took_category;

	if (!environment && !category)
		return 0;
	return eb_err_set(r->err, EB_USAGE, "option \"%s\": \"%s\" is no %s",
			  environment ? "environment" : "category",
			  r->spec->file,
			  environment ? "pixi.lock" : "conda-lock.yml");
}

int eb_spec_parse_part(const char *text, size_t len, const char *file,
		       const char *platform, const struct eb_spec_part *part,
		       struct eb_events *events, struct eb_spec **out,
		       struct eb_error *err)
{
	EB_CLEANUP(eb_spec_free_ptr)
	struct eb_spec *spec = eb_spec_new(file);
	struct eb_spec_reader r = { .platform = platform,
				    .part = part,
				    .events = events,
				    .spec = spec,
				    .err = err };

	if (read_text(&r, text, len) < 0 || check_part(&r) < 0)
		return -1;
	*out = eb_steal(spec);
	return 0;
}

int eb_spec_parse(const char *text, size_t len, const char *file,
		  const char *platform, struct eb_events *events,
		  struct eb_spec **out, struct eb_error *err)
{
	return eb_spec_parse_part(text, len, file, platform, NULL, events, out,
				  err);
}

int eb_spec_read(const char *path, const char *platform,
		 struct eb_events *events, struct eb_spec **out,
		 struct eb_error *err)
{
	return eb_spec_read_part(path, platform, NULL, events, out, err);
}

int eb_spec_read_part(const char *path, const char *platform,
		      const struct eb_spec_part *part, struct eb_events *events,
		      struct eb_spec **out, struct eb_error *err)
{
	EB_WIPEDBUF(text, EB_MAX_YAML);
	bool standard = strcmp(path, "-") == 0;

	if ((standard ? eb_read_fd(STDIN_FILENO, "standard input", EB_MAX_YAML,
				   &text, err)
		      : eb_read_file(path, EB_MAX_YAML, &text, err)) < 0)
		return -1;
	return eb_spec_parse_part(text.data, text.len, path, platform, part,
				  events, out, err);
}

struct eb_spec *eb_spec_new(const char *file)
{
	struct eb_spec *spec = eb_calloc(1, sizeof *spec);

	spec->file = eb_strdup(file);
	return spec;
}

const char *eb_spec_place(const struct eb_spec *spec,
			  const struct eb_spec_line *at)
{
	return at->option ? at->option : spec->file;
}

void eb_spec_free(struct eb_spec *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_conda; i++) {
		eb_matchspec_free(s->conda[i]);
		free(s->conda_at[i].text);
	}
	for (size_t i = 0; i < s->n_pip; i++)
		eb_requirement_release(&s->pip[i]);
	eb_exact_free(s->exact);
	eb_pylock_free(s->pylock);
	eb_strv_release(&s->channels);
	eb_strv_release(&s->variable_name);
	eb_strv_release(&s->variable_value);
	free(s->conda);
	free(s->conda_at);
	free(s->pip);
	free(s->pip_at);
	free(s->file);
	free(s->name);
	free(s->env_prefix);
	free(s);
}
