/* SPDX-License-Identifier: Apache-2.0 */
/* environment.yml of version 2 written. */
#include <string.h>

#include "azure_save.h"

#include <envbuild/yaml.h>

static void put_pair(const char *indent, const char *key, const char *text,
		     struct eb_buf *out)
{
	if (!text)
		return;
	eb_buf_adds(out, indent);
	eb_yaml_write_text(key, out);
	eb_buf_adds(out, ": ");
	eb_yaml_write_text(text, out);
	eb_buf_addch(out, '\n');
}

/* Numbers stay numbers, a text that looks like one is quoted: what was read
 * kept no types, so only ports are written bare. */
static void put_value(const char *indent, const char *key, const json_t *value,
		      struct eb_buf *out)
{
	const char *text = json_string_value(value);

	if (text && !strcmp(key, "port"))
		eb_buf_addf(out, "%s%s: %s\n", indent, key, text);
	else
		put_pair(indent, key, text, out);
}

static void put_map(const char *key, const json_t *map, const char *indent,
		    struct eb_buf *out)
{
	eb_autofree char *deeper = eb_asprintf("%s  ", indent);
	const char *name;
	json_t *value;

	if (!json_object_size(map))
		return;
	eb_buf_addf(out, "%s%s:\n", indent, key);
	json_object_foreach ((json_t *)map, name, value) {
		if (json_is_object(value))
			put_map(name, value, deeper, out);
		else
			put_value(deeper, name, value, out);
	}
}

void eb_azure_v2_text(const struct eb_azure *a, struct eb_buf *out)
{
	eb_buf_adds(out, "$schema: https://azuremlschemas.azureedge.net/latest/"
			 "environment.schema.json\n");
	put_pair("", "name", a->name, out);
	put_pair("", "version", a->version, out);
	put_pair("", "description", a->description, out);
	put_map("tags", a->tags, "", out);
	put_pair("", "image", a->image, out);
	if (a->build.context || a->build.dockerfile_text) {
		eb_buf_adds(out, "build:\n");
		put_pair("  ", "path",
			 a->build.context ? a->build.context : ".", out);
		put_pair("  ", "dockerfile_path",
			 a->build.dockerfile_text ? "BaseDockerfile"
						  : a->build.dockerfile,
			 out);
	}
	if (a->conda)
		put_pair("", "conda_file", EB_AZURE_CONDA_FILE, out);
	put_pair("", "os_type", "linux", out);
	put_map("inference_config", a->inference, "", out);
}
