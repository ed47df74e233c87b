/* SPDX-License-Identifier: Apache-2.0 */
/* The name that Azure's service gives to a conda environment: a hash of its
 * YAML as that service writes it again, keys sorted, items in their order and
 * the name empty. 35 published names tell so; how it quotes was never seen, so
 * a scalar is quoted where YAML 1.1 asks for it. */
#include <stdio.h>
#include <string.h>

#include <envbuild/azure.h>
#include <envbuild/digest.h>
#include <envbuild/yaml.h>

#include "azure_name.h"

/* The document with an empty name, whether it had one or not. */
static void put_unnamed(const struct eb_yaml_node *root, struct eb_buf *out)
{
	struct eb_yaml_node name = { .type = EB_YAML_SCALAR, .text = "name" };
	struct eb_yaml_node empty = { .type = EB_YAML_SCALAR, .text = "" };
	struct eb_yaml_node map = { .type = EB_YAML_MAP };
	eb_autofree struct eb_yaml_node **key =
		eb_calloc(root->n + 1, sizeof *key);
	eb_autofree struct eb_yaml_node **item =
		eb_calloc(root->n + 1, sizeof *item);

	for (size_t i = 0; i < root->n; i++) {
		if (!strcmp(root->key[i]->text, "name"))
			continue;
		key[map.n] = root->key[i];
		item[map.n++] = root->item[i];
	}
	key[map.n] = &name;
	item[map.n++] = &empty;
	map.key = key;
	map.item = item;
	eb_yaml_write(&map, true, out);
}

static int text_of(const struct eb_yaml *doc, struct eb_buf *out,
		   struct eb_error *err)
{
	if (doc->root->type != EB_YAML_MAP)
		return eb_yaml_err(doc, doc->root, err,
				   "a conda environment is a mapping");
	put_unnamed(doc->root, out);
	if (out->overflow)
		return eb_yaml_err(doc, doc->root, err,
				   "more than %zu bytes when it is written "
				   "again",
				   out->max);
	return 0;
}

int eb_azure_name_of(const struct eb_yaml *doc, char name[EB_AZURE_NAME],
		     struct eb_error *err)
{
	EB_AUTOBUF(text, 2 * EB_MAX_YAML);
	char hex[EB_HEX_SIZE];
	struct eb_digest d;

	if (text_of(doc, &text, err) < 0)
		return -1;
	eb_sha256(text.data, text.len, &d);
	eb_digest_hex(&d, hex);
	snprintf(name, EB_AZURE_NAME, "azureml_%.32s", hex);
	return 0;
}

int eb_azure_conda_text(const char *conda, size_t len, const char *file,
			struct eb_buf *out, struct eb_error *err)
{
	EB_CLEANUP(eb_yaml_free_ptr) struct eb_yaml *doc = NULL;

	return eb_yaml_parse(conda, len, file, &doc, err) < 0
		       ? -1
		       : text_of(doc, out, err);
}

int eb_azure_conda_name(const char *conda, size_t len, const char *file,
			char name[EB_AZURE_NAME], struct eb_error *err)
{
	EB_CLEANUP(eb_yaml_free_ptr) struct eb_yaml *doc = NULL;

	return eb_yaml_parse(conda, len, file, &doc, err) < 0
		       ? -1
		       : eb_azure_name_of(doc, name, err);
}
