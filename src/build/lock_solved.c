/* SPDX-License-Identifier: Apache-2.0 */
/* What the solver was asked: the member "solved" of a lock's commentary. */
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/mem.h>

#include "lock_solved.h"

/* More of either is no request. */
#define MAX_SPECS 10000
#define MAX_VIRTUALS 64

static const char *const priorities[] = {
	[EB_PRIORITY_STRICT] = "strict",
	[EB_PRIORITY_FLEXIBLE] = "flexible",
	[EB_PRIORITY_DISABLED] = "disabled",
};

/* --- writing --------------------------------------------------------- */

static json_t *channels(const struct eb_channels *all)
{
	json_t *list = json_array();

	for (size_t i = 0; all && i < all->n; i++)
		json_array_append_new(list,
				      json_string(all->channel[i].canonical));
	return list;
}

static json_t *specs(const struct eb_matchspec *const *spec, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(
			list, json_string(eb_matchspec_normal(spec[i])));
	return list;
}

static json_t *virtuals(const struct eb_solve_request *q)
{
	json_t *list = json_array();

	for (size_t i = 0; i < q->n_virtuals; i++) {
		const struct eb_virtual *v = &q->virtuals[i];
		eb_autofree char *text =
			eb_asprintf("%s=%s=%s", v->name, v->version, v->build);

		json_array_append_new(list, json_string(text));
	}
	return list;
}

json_t *eb_solved_json(const struct eb_solve_request *q)
{
	json_t *j = json_object();

	json_object_set_new(j, "channels", channels(q->channels));
	json_object_set_new(j, "priority",
			    json_string(priorities[q->priority]));
	json_object_set_new(j, "specs", specs(q->spec, q->n_specs));
	if (q->n_pins)
		json_object_set_new(j, "pins", specs(q->pin, q->n_pins));
	json_object_set_new(j, "virtual", virtuals(q));
	if (q->alias && strcmp(q->alias, EB_CHANNEL_ALIAS) != 0) {
		eb_autofree char *alias = eb_url_redact(q->alias);

		json_object_set_new(j, "alias", json_string(alias));
	}
	return j;
}

/* --- reading --------------------------------------------------------- */

static int wrong(const char *what, const char *key, struct eb_error *err)
{
	return eb_err_set(err, EB_INPUT,
			  "lock \"%s\": what was solved has no usable %s", what,
			  key);
}

static int read_channels(const json_t *list, struct eb_solved *out,
			 struct eb_error *err)
{
	json_t *one;
	size_t i;

	json_array_foreach ((json_t *)list, i, one) {
		const char *url = json_string_value(one);

		if (!url || !strstr(url, "://"))
			return eb_err_set(err, EB_INPUT, "a channel is none");
		if (eb_channels_add(&out->channels, url, out->alias, err) < 0)
			return -1;
	}
	return 0;
}

static int read_specs(const json_t *list, struct eb_matchspec ***spec,
		      size_t *n, struct eb_error *err)
{
	size_t all = json_array_size(list);

	*spec = eb_calloc(all + 1, sizeof **spec);
	for (; *n < all; ++*n) {
		const char *text = json_string_value(json_array_get(list, *n));

		(*spec)[*n] =
			eb_matchspec_parse(text ? text : "", EB_LENIENT, err);
		if (!(*spec)[*n])
			return -1;
	}
	return 0;
}

static void release_specs(struct eb_matchspec **spec, size_t n)
{
	for (size_t i = 0; i < n; i++)
		eb_matchspec_free(spec[i]);
	free(spec);
}

/* "NAME=VERSION=BUILD" */
static int read_virtual(const char *text, struct eb_virtual *out)
{
	const char *version = text ? strchr(text, '=') : NULL;
	const char *build = version ? strchr(version + 1, '=') : NULL;

	if (!build)
		return -1;
	out->name = eb_strndup(text, (size_t)(version - text));
	out->version = eb_strndup(version + 1, (size_t)(build - version) - 1);
	out->build = eb_strdup(build + 1);
	return 0;
}

static int read_virtuals(const json_t *list, struct eb_solved *out)
{
	size_t n = json_array_size(list);

	out->virtuals = eb_calloc(n + 1, sizeof *out->virtuals);
	for (; out->n_virtuals < n; out->n_virtuals++) {
		size_t i = out->n_virtuals;

		if (read_virtual(json_string_value(json_array_get(list, i)),
				 &out->virtuals[i]) < 0)
			return -1;
	}
	return 0;
}

static int read_priority(const char *text, struct eb_solved *out)
{
	for (size_t i = 0; i < sizeof priorities / sizeof *priorities; i++)
		if (text && !strcmp(priorities[i], text)) {
			out->priority = (enum eb_priority)i;
			return 0;
		}
	return -1;
}

int eb_solved_read(const json_t *j, const char *what, struct eb_solved *out,
		   struct eb_error *err)
{
	const json_t *list = eb_json_arr(j, "specs");
	const json_t *machine = eb_json_arr(j, "virtual");
	const json_t *pins = eb_json_arr(j, "pins");

	out->alias = eb_strdup(eb_json_str(j, "alias"));
	if (!list || json_array_size(list) > MAX_SPECS ||
	    json_array_size(pins) > MAX_SPECS)
		return wrong(what, "specs", err);
	if (!machine || json_array_size(machine) > MAX_VIRTUALS ||
	    read_virtuals(machine, out) < 0)
		return wrong(what, "virtual packages", err);
	if (read_priority(eb_json_str(j, "priority"), out) < 0)
		return wrong(what, "priority", err);
	if (read_channels(eb_json_arr(j, "channels"), out, err) < 0 ||
	    read_specs(list, &out->spec, &out->n_specs, err) < 0 ||
	    read_specs(pins, &out->pin, &out->n_pins, err) < 0)
		return eb_err_prefix(err, "lock \"%s\": what was solved", what);
	return 0;
}

void eb_solved_release(struct eb_solved *s)
{
	release_specs(s->spec, s->n_specs);
	release_specs(s->pin, s->n_pins);
	for (size_t i = 0; s->virtuals && i <= s->n_virtuals; i++) {
		free(s->virtuals[i].name);
		free(s->virtuals[i].version);
		free(s->virtuals[i].build);
	}
	eb_channels_release(&s->channels);
	free(s->alias);
	free(s->virtuals);
}
