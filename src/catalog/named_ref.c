/* SPDX-License-Identifier: Apache-2.0 */
/* NAME, NAME:VERSION, NAME@LABEL, azureml:..., azureml://registries/... */
#include <string.h>

#include <envbuild/catalog.h>

#include "named_rules.h"

#define REGISTRIES "azureml://registries/"
#define FORMS                                                              \
	"NAME, NAME:VERSION, NAME@LABEL, "                                 \
	"azureml://registries/azureml/environments/NAME/versions/VERSION " \
	"or .../labels/LABEL"

static int no_reference(const char *text, const char *why, struct eb_error *err)
{
	eb_autofree char *shown = eb_printable(text);

	eb_err_set(err, EB_INPUT, "\"%s\" names no environment", shown);
	return eb_err_hint(err, "%s", why);
}

static int check(const char *text, const struct eb_env_ref *ref,
		 struct eb_error *err)
{
	const char *rule = eb_name_rule(ref->name);

	if (!rule && ref->version)
		rule = eb_version_rule(ref->version);
	if (!rule && ref->label)
		rule = eb_label_rule(ref->label);
	return rule ? no_reference(text, rule, err) : 0;
}

/* A name has neither ":" nor "@"; a version may have both. */
static void take_short(const char *rest, struct eb_env_ref *out)
{
	size_t n = strcspn(rest, ":@");

	out->name = eb_strndup(rest, n);
	if (rest[n] == ':')
		out->version = eb_strdup(rest + n + 1);
	else if (rest[n] == '@')
		out->label = eb_strdup(rest + n + 1);
}

/* The text up to the next slash, which is passed; NULL: there is none. */
static char *until_slash(const char **p)
{
	const char *slash = strchr(*p, '/');
	char *part;

	if (!slash)
		return NULL;
	part = eb_strndup(*p, (size_t)(slash - *p));
	*p = slash + 1;
	return part;
}

static int other_registry(const char *text, const char *registry,
			  struct eb_error *err)
{
	eb_err_set(err, EB_INPUT,
		   "\"%s\" is in registry \"%s\", and \"azureml\" is the one "
		   "whose environments are known here",
		   text, registry);
	return eb_err_hint(err, "get its definition from there, and register "
				"that under a name");
}

static int take_registry(const char *text, struct eb_env_ref *out,
			 struct eb_error *err)
{
	const char *rest = text + strlen(REGISTRIES);
	eb_autofree char *registry = until_slash(&rest);

	if (!registry || !eb_starts(rest, "environments/"))
		return no_reference(text, FORMS, err);
	if (strcmp(registry, "azureml"))
		return other_registry(text, registry, err);
	rest += strlen("environments/");
	out->curated = true;
	out->name = until_slash(&rest);
	if (out->name && eb_starts(rest, "versions/"))
		out->version = eb_strdup(rest + strlen("versions/"));
	else if (out->name && eb_starts(rest, "labels/"))
		out->label = eb_strdup(rest + strlen("labels/"));
	else
		return no_reference(text, FORMS, err);
	return 0;
}

static int parse(const char *text, struct eb_env_ref *out, struct eb_error *err)
{
	if (eb_starts(text, REGISTRIES))
		return take_registry(text, out, err);
	if (eb_starts(text, "azureml://"))
		return no_reference(text, FORMS, err);
	take_short(eb_starts(text, "azureml:") ? text + strlen("azureml:")
					       : text,
		   out);
	return 0;
}

int eb_env_ref_parse(const char *text, struct eb_env_ref *out,
		     struct eb_error *err)
{
	struct eb_env_ref ref EB_CLEANUP(eb_env_ref_release) = { 0 };

	if (parse(text, &ref, err) < 0 || check(text, &ref, err) < 0)
		return -1;
	*out = ref;
	ref = (struct eb_env_ref){ 0 };
	return 0;
}

void eb_env_ref_release(struct eb_env_ref *ref)
{
	free(ref->name);
	free(ref->version);
	free(ref->label);
	*ref = (struct eb_env_ref){ 0 };
}
