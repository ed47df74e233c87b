/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that are none of those asked for, made errors. */
#include <string.h>
#include <strings.h>

#include "registry_int.h"

/* {"errors": [{"code", "message", "detail"}]}, where it is that */
static const json_t *errors_of(struct eb_call *c)
{
	eb_autojson json_t *json = NULL;
	struct eb_error err = EB_ERROR_INIT;
	const char *body = c->r.error_body;

	if (c->read_errors || !body)
		return c->errors;
	c->read_errors = true;
	json = eb_json_parse(body, strlen(body), "answer", &err);
	eb_err_release(&err);
	if (json_is_object(json))
		c->errors = json_incref(json_object_get(json, "errors"));
	return c->errors;
}

bool eb_call_has_code(struct eb_call *c, const char *code)
{
	const json_t *errors = errors_of(c);
	json_t *one;
	size_t i;

	json_array_foreach (errors, i, one) {
		const char *have = eb_json_str(one, "code");

		if (have && strcasecmp(have, code) == 0)
			return true;
	}
	return false;
}

bool eb_call_says(struct eb_call *c, const char *words)
{
	return c->r.error_body && strcasestr(c->r.error_body, words);
}

char *eb_repository_ref(const struct eb_repository *repo, const char *ref)
{
	return eb_asprintf("%s%s%s", repo->text,
			   !ref			   ? ""
			   : eb_ref_is_digest(ref) ? "@"
						   : ":",
			   ref ? ref : "");
}

/* The place that was asked, where it is not the name itself. */
static char *name_of(const struct eb_call *c)
{
	eb_autofree char *name = eb_repository_ref(c->repo, c->ref);

	if (!c->path && !c->url)
		return eb_strdup(c->repo->host);
	if (!c->at.mirror)
		return eb_steal(name);
	return eb_asprintf("%s (at its mirror %s/%s)", name, c->at.host->name,
			   c->at.repository);
}

int eb_call_prefix(const struct eb_call *c, struct eb_error *err)
{
	eb_autofree char *name = name_of(c);

	return eb_err_prefix(err, "\"%s\": %s", name, c->doing);
}

static const struct {
	long status;
	enum eb_code code;
	const char *words, *hint;
} statuses[] = {
	{ 400, EB_NETWORK, "the request is refused as wrong", NULL },
	{ 401, EB_REFUSED, "authentication is needed", NULL },
	{ 403, EB_REFUSED, "forbidden",
	  "the login may have no permission for this repository, or the "
	  "repository may have to be made first" },
	{ 404, EB_NETWORK, "not there", NULL },
	{ 405, EB_REFUSED, "the registry does not do that", NULL },
	{ 407, EB_REFUSED, "the proxy wants authentication", NULL },
	{ 409, EB_REFUSED, "that is in conflict with what is there", NULL },
	{ 412, EB_REFUSED, "a rule of the registry stands against it", NULL },
	{ 413, EB_REFUSED, "that is more than the registry takes", NULL },
	{ 429, EB_NETWORK, "too many requests", NULL },
};

int eb_call_failed(struct eb_call *c, struct eb_error *err)
{
	eb_autofree char *name = name_of(c);
	eb_autofree char *said =
		eb_registry_words(c->r.error_body, errors_of(c), c->sent_value);
	enum eb_code code = EB_NETWORK;
	const char *words = "an answer that was not expected", *hint = NULL;
	size_t i;

	for (i = 0; i < sizeof statuses / sizeof *statuses; i++) {
		if (statuses[i].status != c->r.status)
			continue;
		code = statuses[i].code;
		words = statuses[i].words;
		hint = statuses[i].hint;
	}
	eb_err_set(err, code, "\"%s\": %s: %s (%ld)%s%s", name, c->doing, words,
		   c->r.status, *said ? ": " : "", said);
	if (hint)
		eb_err_hint(err, "%s", hint);
	return -1;
}
