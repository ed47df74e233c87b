/* SPDX-License-Identifier: Apache-2.0 */
/* An environment as version 2 of Azure's SDK and CLI has it: image, conda_file,
 * build, os_type, tags, ... */
#include <string.h>

#include "azure_read.h"

static const char *const known[] = {
	"$schema",
	"name",
	"version",
	"description",
	"tags",
	"properties",
	"image",
	"conda_file",
	"build",
	"os_type",
	"inference_config",
	"datastore",
	"stage",
	"is_anonymous",
	"auto_rebuild",
	"type",
	"intellectual_property",
};

static void warn_unknown(struct eb_azure_reader *r,
			 const struct eb_yaml_node *map)
{
	for (size_t i = 0; i < map->n; i++) {
		size_t k = 0;

		while (k < sizeof known / sizeof *known &&
		       strcmp(known[k], map->key[i]->text))
			k++;
		if (k == sizeof known / sizeof *known)
			eb_azure_warn(r, map->key[i],
				      "unknown key \"%s\": ignored",
				      map->key[i]->text);
	}
}

/* A conda file was meant, and this is what it was given as. */
static int refuse_conda(struct eb_azure_reader *r,
			const struct eb_yaml_node *map)
{
	const struct eb_yaml_node *n = eb_yaml_get(map, "dependencies");

	if (!n)
		n = eb_yaml_get(map, "channels");
	if (!n)
		return 0;
	eb_yaml_err(r->doc, n, r->err,
		    "channels and dependencies stand in an Azure ML "
		    "environment itself");
	return eb_err_hint(r->err, "put them into a file of their own and "
				   "name it: conda_file: FILE");
}

static int read_build(struct eb_azure_reader *r, const struct eb_yaml_node *map)
{
	const struct eb_yaml_node *build;

	if (eb_azure_map(r, map, "build", &build) < 0)
		return -1;
	if (!build)
		return 0;
	if (eb_azure_text(r, build, "path", &r->out->build.context) < 0 ||
	    eb_azure_text(r, build, "dockerfile_path",
			  &r->out->build.dockerfile) < 0)
		return -1;
	return r->out->build.context ? 0
				     : eb_yaml_err(r->doc, build, r->err,
						   "\"build\" has no \"path\"");
}

static int check_bases(struct eb_azure_reader *r,
		       const struct eb_yaml_node *map)
{
	const struct eb_azure *a = r->out;
	const struct eb_yaml_node *conda = eb_yaml_get(map, "conda_file");

	if (a->image && a->build.context)
		return eb_yaml_err(r->doc, eb_yaml_get(map, "build"), r->err,
				   "\"image\" and \"build\" exclude each "
				   "other");
	if (!a->image && eb_azure_is_set(conda)) {
		eb_yaml_err(r->doc, conda, r->err,
			    "\"conda_file\" needs an \"image\" to stand on");
		return eb_err_hint(r->err, "write image: REFERENCE");
	}
	if (a->image || a->build.context)
		return 0;
	eb_yaml_err(r->doc, map, r->err,
		    "neither \"image\" nor \"build\" is given");
	return eb_err_hint(r->err, "write image: REFERENCE");
}

static int check_os(struct eb_azure_reader *r, const struct eb_yaml_node *map)
{
	const struct eb_yaml_node *os = eb_yaml_get(map, "os_type");

	if (!eb_azure_is_set(os) || os->type != EB_YAML_SCALAR ||
	    !strcasecmp(os->text, "linux"))
		return 0;
	return eb_yaml_err(r->doc, os, r->err,
			   "os_type is \"%s\": only Linux images are made",
			   os->text);
}

static int read_conda(struct eb_azure_reader *r, const struct eb_yaml_node *map)
{
	const struct eb_yaml_node *n = eb_yaml_get(map, "conda_file");

	if (!eb_azure_is_set(n))
		return 0;
	return n->type == EB_YAML_SCALAR ? eb_azure_conda_file(r, n, n->text)
					 : eb_azure_conda_node(r, n);
}

static int keep_mappings(struct eb_azure_reader *r,
			 const struct eb_yaml_node *map)
{
	const struct eb_yaml_node *tags, *inference;

	if (eb_azure_map(r, map, "tags", &tags) < 0 ||
	    eb_azure_map(r, map, "inference_config", &inference) < 0)
		return -1;
	r->out->tags = tags ? eb_azure_json(tags) : NULL;
	r->out->inference = inference ? eb_azure_json(inference) : NULL;
	return 0;
}

static int read_texts(struct eb_azure_reader *r, const struct eb_yaml_node *map)
{
	struct eb_azure *a = r->out;

	return eb_azure_text(r, map, "name", &a->name) < 0 ||
			       eb_azure_text(r, map, "version", &a->version) <
				       0 ||
			       eb_azure_text(r, map, "description",
					     &a->description) < 0 ||
			       eb_azure_text(r, map, "image", &a->image) < 0
		       ? -1
		       : 0;
}

int eb_azure_read_v2(struct eb_azure_reader *r, const struct eb_yaml_node *n)
{
	if (refuse_conda(r, n) < 0 || read_texts(r, n) < 0 ||
	    read_build(r, n) < 0 || check_bases(r, n) < 0 ||
	    check_os(r, n) < 0 || keep_mappings(r, n) < 0)
		return -1;
	warn_unknown(r, n);
	return read_conda(r, n);
}
