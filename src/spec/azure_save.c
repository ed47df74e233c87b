/* SPDX-License-Identifier: Apache-2.0 */
/* A definition as Azure's files: what is in them, and what has no place. */
#include <envbuild/json.h>

#include "azure_save.h"

static void tell_v1(const struct eb_azure *a, struct eb_events *events)
{
	if (a->description || a->tags || a->inference)
		eb_warn(events, "version 1 holds no description, tags and "
				"inference_config: they are left out");
	if (a->build.context)
		eb_warn(events,
			"version 1 holds no build context of this "
			"machine: \"%s\" is left out",
			a->build.context);
}

static void tell_v2(const struct eb_azure *a, struct eb_events *events)
{
	if (a->variable_name.n)
		eb_warn(events,
			"version 2 holds no environment variables: %s%s left "
			"out",
			a->variable_name.v[0],
			a->variable_name.n > 1 ? " and others are" : " is");
	if (a->user_managed)
		eb_warn(events, "version 2 holds no user-managed Python: the "
				"image alone says so");
}

static void make_text(const struct eb_azure *a, enum eb_azure_form form,
		      struct eb_events *events, struct eb_buf *text)
{
	if (form == EB_AZURE_V1) {
		tell_v1(a, events);
		eb_azure_v1_text(a, text);
	} else if (a->form == EB_AZURE_V2 && a->source) {
		eb_buf_adds(text, a->source);
	} else {
		tell_v2(a, events);
		eb_azure_v2_text(a, text);
	}
}

static void add(json_t *files, const char *name, const char *text)
{
	if (text)
		json_object_set_new(files, name, json_string(text));
}

/* A conda part that stood inside a definition of version 2 stays there. */
static void add_conda(json_t *files, const struct eb_azure *a,
		      enum eb_azure_form form)
{
	bool again = form == EB_AZURE_V2 && a->form == EB_AZURE_V2 && a->source;

	if (!again)
		add(files, EB_AZURE_CONDA_FILE, a->conda);
	else if (a->conda_name)
		add(files, a->conda_name, a->conda);
}

json_t *eb_azure_files(const struct eb_azure *a, enum eb_azure_form form,
		       struct eb_events *events)
{
	json_t *files = json_object();
	EB_AUTOBUF(text, EB_MAX_TEXT);

	make_text(a, form, events, &text);
	add(files, form == EB_AZURE_V1 ? EB_AZURE_V1_FILE : EB_AZURE_V2_FILE,
	    text.data);
	add_conda(files, a, form);
	add(files, EB_AZURE_DOCKERFILE, a->build.dockerfile_text);
	return files;
}

int eb_azure_save(const struct eb_azure *a, enum eb_azure_form form,
		  const char *dir, bool overwrite, struct eb_events *events,
		  struct eb_error *err)
{
	eb_autojson json_t *files = eb_azure_files(a, form, events);

	return eb_azure_write(files, dir, overwrite, err);
}
