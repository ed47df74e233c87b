/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild lock ENV: resolve only. */
#include <string.h>

#include <envbuild/file.h>
#include <envbuild/json.h>

#include "result.h"

#define FORMS "envbuild|explicit|conda-lock"

static json_t *package_json(const struct eb_locked_package *p)
{
	json_t *j = eb_record_to_json(&p->record);
	char hex[EB_HEX_SIZE];

	json_object_set_new(j, "kind", json_string("conda"));
	json_object_set_new(j, "file", json_string(p->record.fn));
	json_object_set_new(j, "sha256",
			    json_string(eb_digest_hex(&p->record.sha256, hex)));
	json_object_set_new(j, "requested", json_boolean(p->requested));
	return j;
}

static json_t *pin_json(const struct eb_pin *pin)
{
	json_t *j = eb_pin_to_json(pin);
	char hex[EB_HEX_SIZE];

	json_object_set_new(j, "kind", json_string("pypi"));
	json_object_set_new(j, "sha256",
			    json_string(eb_digest_hex(&pin->sha256, hex)));
	json_object_set_new(j, "requested", json_boolean(pin->requested));
	return j;
}

static void add_bases(const struct eb_lock *lock, json_t *j)
{
	char text[EB_DIGEST_TEXT];

	json_object_set_new(
		j, "base",
		json_string(lock->base_scratch
				    ? "scratch"
				    : eb_digest_text(&lock->base, text)));
	if (lock->has_build_base)
		json_object_set_new(
			j, "build-base",
			json_string(eb_digest_text(&lock->build_base, text)));
}

static json_t *names(const struct eb_strv *list)
{
	json_t *array = json_array();

	for (size_t i = 0; i < list->n; i++)
		json_array_append_new(array, json_string(list->v[i]));
	return array;
}

static json_t *apt(const struct eb_lock *lock)
{
	char text[EB_DIGEST_TEXT];
	struct eb_digest key;

	eb_lock_apt_key(lock, &key);
	return json_pack("{s:s, s:s, s:o}", "date", lock->apt_date, "key",
			 eb_digest_text(&key, text), "packages",
			 names(&lock->apt));
}

static json_t *dockerfile(const struct eb_lock *lock)
{
	const struct eb_locked_dockerfile *d = &lock->dockerfile;
	char text[EB_DIGEST_TEXT], content[EB_DIGEST_TEXT];
	json_t *from = json_array();
	struct eb_digest key;

	for (size_t i = 0; i < d->n; i++)
		json_array_append_new(
			from,
			json_pack("{s:s, s:s?}", "digest",
				  eb_digest_text(&d->from[i], text), "image",
				  d->reference.n ? d->reference.v[i] : NULL));
	eb_lock_dockerfile_key(lock, &key);
	return json_pack("{s:s, s:o, s:s, s:o}", "content",
			 eb_digest_text(&d->content, content), "from", from,
			 "key", eb_digest_text(&key, text), "unpinned",
			 names(&d->unpinned));
}

static json_t *steps(const struct eb_lock *lock)
{
	json_t *list = json_array();
	char key[EB_DIGEST_TEXT], result[EB_DIGEST_TEXT];

	for (size_t i = 0; i < lock->n_steps; i++) {
		const struct eb_lock_step *s = &lock->step[i];
		json_t *j = json_pack("{s:s, s:s, s:s}", "name", s->name, "key",
				      eb_digest_text(&s->key, key), "result",
				      eb_digest_text(&s->result, result));

		if (s->milliseconds)
			json_object_set_new(
				j, "milliseconds",
				json_integer((json_int_t)s->milliseconds));
		if (s->log)
			json_object_set_new(j, "log", json_string(s->log));
		if (s->package.n)
			json_object_set_new(j, "packages", names(&s->package));
		json_array_append_new(list, j);
	}
	return list;
}

static json_t *as_json(const struct eb_lock *lock)
{
	json_t *j = json_object(), *list = json_array();
	struct eb_digest hash;
	char text[EB_DIGEST_TEXT];

	for (size_t i = 0; i < lock->n; i++)
		json_array_append_new(list, package_json(&lock->package[i]));
	for (size_t i = 0; i < lock->n_pins; i++)
		json_array_append_new(list, pin_json(&lock->pin[i]));
	eb_lock_hash(lock, &hash);
	json_object_set_new(j, "schema", json_integer(1));
	json_object_set_new(j, "lock",
			    json_string(eb_digest_text(&hash, text)));
	json_object_set_new(
		j, "definition",
		json_string(eb_digest_text(&lock->definition, text)));
	add_bases(lock, j);
	json_object_set_new(j, "packages", list);
	if (lock->dockerfile.set)
		json_object_set_new(j, "dockerfile", dockerfile(lock));
	if (lock->apt.n)
		json_object_set_new(j, "apt", apt(lock));
	if (lock->n_steps)
		json_object_set_new(j, "steps", steps(lock));
	return j;
}

/* --- forms ------------------------------------------------------------ */

enum form { FORM_OWN, FORM_EXPLICIT, FORM_CONDA_LOCK };

static int read_form(struct eb_cli *cli, enum form *out, struct eb_error *err)
{
	static const char *const names[] = { "envbuild", "explicit",
					     "conda-lock" };
	const char *name = eb_cli_own(cli, "format");
	size_t i = 0;

	while (name && i < sizeof names / sizeof *names &&
	       strcmp(name, names[i]) != 0)
		i++;
	*out = (enum form)i;
	if (i == sizeof names / sizeof *names) {
		eb_err_set(err, EB_USAGE, "option \"format\" cannot be \"%s\"",
			   name);
		return eb_err_hint(err, "one of: " FORMS);
	}
	if (*out == FORM_OWN || !cli->config.json)
		return 0;
	return eb_err_set(err, EB_USAGE,
			  "options \"format\" and \"json\": the output can "
			  "have one form");
}

/* What the form has no place for. */
static void tell_missing(struct eb_cli *cli, const struct eb_lock *lock,
			 enum form form)
{
	EB_AUTOBUF(names, EB_MAX_TEXT);

	if (form == FORM_OWN || !lock->n_pins)
		return;
	for (size_t i = 0; i < lock->n_pins; i++)
		eb_buf_addf(&names, "%s%s==%s", i ? ", " : "",
			    lock->pin[i].name, lock->pin[i].version);
	if (form == FORM_EXPLICIT)
		eb_warn(cli->events,
			"an explicit list has conda's packages alone: without "
			"the Python side's %s",
			names.data);
	for (size_t i = 0; i < lock->n_pins && form == FORM_CONDA_LOCK; i++)
		if (lock->pin[i].source == EB_PIN_DIR)
			eb_warn(cli->events,
				"%s is built from a folder of this machine: "
				"nobody else can install it by this lock",
				lock->pin[i].name);
}

static int write_form(const struct eb_lock *lock, enum form form,
		      struct eb_buf *text, struct eb_error *err)
{
	if (form == FORM_EXPLICIT)
		return eb_lock_explicit(lock, text, err);
	if (form == FORM_CONDA_LOCK)
		return eb_lock_conda_lock(lock, text, err);
	eb_lock_format(lock, text);
	return 0;
}

static int print_lock(struct eb_cli *cli, const struct eb_lock *lock,
		      enum form form, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_LOCK);

	tell_missing(cli, lock, form);
	if (write_form(lock, form, &text, err) < 0)
		return -1;
	if (text.overflow)
		return eb_err_set(err, EB_INPUT,
				  "the lock is longer than %zu bytes",
				  EB_MAX_LOCK);
	for (size_t i = 0; i < cli->config.output.n; i++)
		if (eb_write_file(cli->config.output.v[i], text.data, text.len,
				  0644, err) < 0)
			return -1;
	eb_progress_pause(cli->progress);
	if (cli->config.json)
		return eb_cli_print_json(as_json(lock), err);
	if (cli->config.output.n)
		return 0;
	text.data[text.len - 1] = 0; /* the print adds the newline */
	return eb_cli_print(err, "%s", text.data);
}

static int run(struct eb_cli *cli, struct eb_error *err)
{
	EB_CLEANUP(eb_result_release) struct eb_result r = EB_RESULT_INIT;
	enum form form;

	if (read_form(cli, &form, err) < 0)
		return -1;

	eb_progress_log(cli->progress, cli->args.v[0]);
	if (eb_result_open(cli, cli->args.v[0], &r, err) < 0 ||
	    eb_result_lock(cli, &r, err) < 0 ||
	    eb_lock_find_steps(r.lock, r.store, err) < 0)
		return -1;
	return print_lock(cli, r.lock, form, err);
}

static const struct eb_cli_option own[] = {
	{ "format", FORMS },
	{ 0 },
};

const struct eb_command eb_cmd_lock = {
	.name = "lock",
	.usage = "lock ENV [--format " FORMS "] [--output FILE] [--json]",
	.summary = "resolve only; print the lock or write it to a file",
	.own = own,
	.min_args = 1,
	.max_args = 1,
	.takes_env = true,
	.run = run,
};
