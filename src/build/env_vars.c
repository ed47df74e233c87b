/* SPDX-License-Identifier: Apache-2.0 */
/* Variables that packages bring (etc/conda/env_vars.d). */
#include <string.h>

#include <envbuild/image.h>
#include <envbuild/json.h>
#include <envbuild/stream.h>

#include "build_private.h"

struct reading {
	const struct eb_lock *lock;
	json_t *config;
	char *folder; /* "opt/env/etc/conda/env_vars.d/" */
};

static void release(struct reading *r)
{
	free(r->folder);
}

static int take_variables(struct reading *r, const char *text, size_t len,
			  const char *path, struct eb_error *err)
{
	eb_autojson json_t *obj = eb_json_parse(text, len, path, err);
	const char *name;
	json_t *value;

	if (!obj)
		return -1;
	json_object_foreach (obj, name, value) {
		const char *text_value = json_string_value(value);

		if (text_value && *name && !strchr(name, '=') &&
		    strcmp(text_value, "***unset***") && strcmp(name, "PATH") &&
		    !json_object_get(r->lock->variables, name))
			eb_config_set_env(r->config, name, text_value);
	}
	return 0;
}

static int take_file(void *data, const struct eb_entry *entry,
		     struct eb_stream *content, struct eb_error *err)
{
	struct reading *r = data;
	eb_autofree char *text = NULL;

	if (!content || !eb_starts(entry->path, r->folder) ||
	    strchr(entry->path + strlen(r->folder), '/') ||
	    !eb_ends(entry->path, ".json"))
		return 0;
	if (entry->size > EB_MAX_CONFIG)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", reading its variables: it is longer "
				  "than %zu bytes",
				  entry->path, EB_MAX_CONFIG);
	text = eb_malloc(entry->size + 1);
	if (eb_stream_read_all(content, text, entry->size, entry->path, err) <
	    0)
		return -1;
	return take_variables(r, text, entry->size, entry->path, err);
}

int eb_add_env_vars(struct eb_build *b, json_t *config, struct eb_error *err)
{
	struct reading r EB_CLEANUP(release) = {
		.lock = b->lock,
		.config = config,
		.folder = eb_asprintf("%s/etc/conda/env_vars.d/",
				      b->lock->prefix + 1),
	};

	for (size_t i = 0; i < b->n && strcmp(b->lock->activation, "none");
	     i++) {
		const struct eb_work *w = &b->work[i];

		if (w->facts.n_env_vars &&
		    (eb_build_bring(b, &w->payload, 1, err) < 0 ||
		     eb_part_walk(b->store, &w->payload, take_file, &r, err) <
			     0))
			return -1;
	}
	return 0;
}
