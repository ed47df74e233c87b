/* SPDX-License-Identifier: Apache-2.0 */
/* What `envbuild verify` found, as lines and as a JSON object. */
#include <string.h>

#include <envbuild/mem.h>

#include "verify_view.h"

static void set(json_t *j, const char *key, const char *value)
{
	eb_autofree char *clean = value ? eb_printable(value) : NULL;
	json_t *text = NULL;

	if (!value)
		return;
	text = json_string(value);
	/* A name that is no UTF-8 is shown as it is printed. */
	if (!text)
		text = json_stringn_nocheck(clean, strlen(clean));
	json_object_set_new(j, key, text);
}

static json_t *list(const struct eb_findings *f, bool notes)
{
	json_t *out = json_array();

	for (size_t i = 0; i < f->n; i++) {
		json_t *one;

		if (f->v[i].note != notes)
			continue;
		one = json_object();
		set(one, "check", f->v[i].check);
		set(one, "subject", f->v[i].subject);
		set(one, "text", f->v[i].text);
		json_array_append_new(out, one);
	}
	return out;
}

/* Takes `checked`: how much of what was. */
static json_t *object(json_t *checked, const struct eb_findings *f)
{
	return json_pack("{s:i, s:o, s:o, s:o}", "schema", 1, "checked",
			 checked, "findings", list(f, false), "notes",
			 list(f, true));
}

static json_t *of_image(const char *image, const struct eb_findings *f)
{
	json_t *j = object(json_pack("{s:I, s:I, s:I, s:I}", "blobs",
				     (json_int_t)f->blobs, "files",
				     (json_int_t)f->files, "projects",
				     (json_int_t)f->projects, "modules",
				     (json_int_t)f->modules),
			   f);

	set(j, "image", image);
	return j;
}

/* CHECK: "SUBJECT" TEXT */
static int print(const struct eb_finding *one, struct eb_error *err)
{
	eb_autofree char *subject =
		one->subject ? eb_printable(one->subject) : NULL;
	eb_autofree char *text = eb_printable(one->text);
	const char *quote = subject ? "\"" : "";

	return eb_cli_print(err, "%s%s: %s%s%s%s%s", one->note ? "note: " : "",
			    one->check, quote, subject ? subject : "", quote,
			    subject ? " " : "", text);
}

static int print_all(const struct eb_findings *f, bool notes,
		     struct eb_error *err)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].note == notes && print(&f->v[i], err) < 0)
			return -1;
	return 0;
}

int eb_verify_print(struct eb_cli *cli, const char *image,
		    const struct eb_findings *f, struct eb_error *err)
{
	eb_progress_pause(cli->progress);
	if (cli->config.json)
		return eb_cli_print_json(of_image(image, f), err);
	if (print_all(f, false, err) < 0 || print_all(f, true, err) < 0)
		return -1;
	eb_note(cli->events,
		"%zu blobs, %zu files, %zu projects, %zu modules: %zu findings",
		f->blobs, f->files, f->projects, f->modules, f->bad);
	return 0;
}

int eb_verify_print_set(struct eb_cli *cli, const struct eb_findings *f,
			struct eb_error *err)
{
	eb_progress_pause(cli->progress);
	if (cli->config.json)
		return eb_cli_print_json(
			object(json_pack("{s:I}", "packages",
					 (json_int_t)f->packages),
			       f),
			err);
	if (print_all(f, false, err) < 0 || print_all(f, true, err) < 0)
		return -1;
	eb_note(cli->events, "%zu packages: %zu findings", f->packages, f->bad);
	return 0;
}
