/* SPDX-License-Identifier: Apache-2.0 */
/* A conda environment file (CEP 24), a requirements file, or a pylock.toml,
 * from its text. */
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>

#include "azure_name.h"
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

static int read_text(struct eb_spec_reader *r, const char *text, size_t len)
{
	EB_CLEANUP(eb_yaml_free_ptr) struct eb_yaml *doc = NULL;
	const char *file = r->spec->file;

	if (eb_spec_is_pylock(file))
		return eb_spec_pylock(r, text, len);
	if (eb_spec_foreign_text(text, len, file, r->err) < 0)
		return -1;
	if (eb_spec_is_requirements(file, text, len))
		return eb_spec_requirements(r, text, len);
	return eb_yaml_parse(text, len, file, &doc, r->err) < 0
		       ? -1
		       : read_document(r, doc);
}

int eb_spec_parse(const char *text, size_t len, const char *file,
		  const char *platform, struct eb_events *events,
		  struct eb_spec **out, struct eb_error *err)
{
	EB_CLEANUP(eb_spec_free_ptr)
	struct eb_spec *spec = eb_spec_new(file);
	struct eb_spec_reader r = {
		.platform = platform, .events = events, .spec = spec, .err = err
	};

	if (read_text(&r, text, len) < 0)
		return -1;
	*out = eb_steal(spec);
	return 0;
}

int eb_spec_read(const char *path, const char *platform,
		 struct eb_events *events, struct eb_spec **out,
		 struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_YAML);
	bool standard = strcmp(path, "-") == 0;

	if ((standard ? eb_read_fd(STDIN_FILENO, "standard input", EB_MAX_YAML,
				   &text, err)
		      : eb_read_file(path, EB_MAX_YAML, &text, err)) < 0)
		return -1;
	return eb_spec_parse(text.data, text.len, path, platform, events, out,
			     err);
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

void eb_exact_free(struct eb_exact *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->n; i++)
		eb_record_release(&x->record[i]);
	free(x->record);
	free(x->requested);
	eb_strv_release(&x->pip_requested);
	free(x);
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
