/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild push IMAGE HOST/REPOSITORY[:TAG]: only what is missing there. */
#include <string.h>

#include <envbuild/transfer.h>

#include "image_ref.h"

struct push {
	struct eb_cli *cli;
	struct eb_registry *registry;
	struct eb_store *store; /* unless it comes from a registry */
	struct eb_reference from;
	struct eb_repository *source; /* of a registry's */
	struct eb_digest manifest;    /* what stands there in the end */
	struct eb_push_totals totals;
};

static void release(struct push *p)
{
	eb_registry_free(p->registry);
	eb_store_close(p->store);
	eb_reference_release(&p->from);
}

/* A place to push to. */
struct place {
	struct eb_repository *repo;
	struct eb_strv tag;
};

static void release_place(struct place *to)
{
	eb_strv_release(&to->tag);
}

static int not_a_place(const char *text, struct eb_error *err)
{
	eb_err_set(err, EB_USAGE, "\"%s\" is no place to push to", text);
	return eb_err_hint(err, "write HOST/REPOSITORY[:TAG]");
}

/* The login is for where it goes. */
static int open_place(struct push *p, const char *text, struct place *to,
		      struct eb_error *err)
{
	EB_CLEANUP(eb_reference_release) struct eb_reference ref = { 0 };

	if (eb_reference_parse(text, &ref, err) < 0)
		return -1;
	if (ref.kind != EB_REF_REGISTRY || ref.has_digest)
		return not_a_place(text, err);
	if (ref.tag)
		eb_strv_add(&to->tag, ref.tag);
	if (!p->registry &&
	    eb_cli_registry(p->cli, ref.registry, false, &p->registry, err) < 0)
		return -1;
	return eb_image_repository(p->cli, p->registry, &ref, &to->repo, err);
}

/* --- one place -------------------------------------------------------------
 */
static void add_totals(struct eb_push_totals *to,
		       const struct eb_push_totals *more)
{
	to->sent += more->sent;
	to->copied += more->copied;
	to->n_sent += more->n_sent;
	to->n_copied += more->n_copied;
	to->n_mounted += more->n_mounted;
	to->n_there += more->n_there;
}

static int push_stored(struct push *p, const struct place *to,
		       struct eb_error *err)
{
	EB_CLEANUP(eb_push_free_ptr)
	struct eb_push *push =
		eb_push_new(p->registry, to->repo, p->store, p->cli->events);
	struct eb_push_totals totals;

	if (eb_image_push(push, &p->manifest, (const char *const *)to->tag.v,
			  to->tag.n, NULL, err) < 0)
		return -1;
	eb_push_totals(push, &totals);
	add_totals(&p->totals, &totals);
	return 0;
}

/* Of a registry's image all that the reference names: an index whole. */
static int push_remote(struct push *p, const struct place *to,
		       struct eb_error *err)
{
	char text[EB_DIGEST_TEXT];

	return eb_image_copy(to->repo, p->source, eb_image_name(&p->from, text),
			     (const char *const *)to->tag.v, to->tag.n,
			     p->cli->events, &p->manifest, err);
}

static int push_to(struct push *p, struct place *to, struct eb_error *err)
{
	struct eb_stage stage;
	int rc;

	if (!to->tag.n)
		eb_strv_add(&to->tag, "latest");
	eb_stage_begin(p->cli->events, &stage, "push");
	rc = p->source ? push_remote(p, to, err) : push_stored(p, to, err);
	eb_stage_end(p->cli->events, &stage);
	return rc;
}

/* --- all of them -----------------------------------------------------------
 */
/* --tag: more tags there; those with a slash are other places. */
static int add_tags(struct push *p, struct place *to, struct eb_error *err)
{
	const struct eb_strv *tag = &p->cli->config.tag;

	for (size_t i = 0; i < tag->n; i++) {
		EB_CLEANUP(eb_reference_release) struct eb_reference r = { 0 };
		eb_autofree char *text = NULL;

		if (strchr(tag->v[i], '/'))
			continue;
		text = eb_asprintf("%s:%s", eb_repository_text(to->repo),
				   tag->v[i]);
		if (eb_reference_parse(text, &r, err) < 0)
			return -1;
		if (!eb_strv_has(&to->tag, tag->v[i]))
			eb_strv_add(&to->tag, tag->v[i]);
	}
	return 0;
}

/* They are looked at before anything is sent. */
static int open_others(struct push *p, struct place *other, size_t *n,
		       struct eb_error *err)
{
	const struct eb_strv *tag = &p->cli->config.tag;

	for (size_t i = 0; i < tag->n; i++)
		if (strchr(tag->v[i], '/') &&
		    open_place(p, tag->v[i], &other[(*n)++], err) < 0)
			return -1;
	return 0;
}

static int obtain(struct push *p, struct eb_error *err)
{
	if (p->from.kind == EB_REF_REGISTRY)
		return eb_image_repository(p->cli, p->registry, &p->from,
					   &p->source, err);
	if (eb_cli_store(p->cli, 0, &p->store, err) < 0)
		return -1;
	return eb_image_obtain(p->cli, p->store, &p->from, &p->manifest, err);
}

static int push_all(struct push *p, struct place *to, struct eb_error *err)
{
	size_t n = 0, max = p->cli->config.tag.n;
	eb_autofree struct place *other = eb_calloc(max + 1, sizeof *other);
	int rc = add_tags(p, to, err);

	if (rc == 0)
		rc = open_others(p, other, &n, err);
	if (rc == 0)
		rc = obtain(p, err);
	if (rc == 0)
		rc = push_to(p, to, err);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = push_to(p, &other[i], err);
	while (n)
		release_place(&other[--n]);
	return rc;
}

/* --- what it says ----------------------------------------------------------
 */
static json_t *as_json(const struct push *p, const struct place *to,
		       const char *reference)
{
	const struct eb_push_totals *t = &p->totals;
	char text[EB_DIGEST_TEXT];
	json_t *j = json_object(), *tags = json_array();

	json_object_set_new(j, "schema", json_integer(1));
	json_object_set_new(j, "reference", json_string(reference));
	json_object_set_new(j, "manifest",
			    json_string(eb_digest_text(&p->manifest, text)));
	for (size_t i = 0; i < to->tag.n; i++)
		json_array_append_new(tags, json_string(to->tag.v[i]));
	json_object_set_new(j, "tags", tags);
	if (p->source)
		return j;
	json_object_set_new(j, "sent-bytes", json_integer((json_int_t)t->sent));
	json_object_set_new(j, "copied-bytes",
			    json_integer((json_int_t)t->copied));
	json_object_set_new(j, "sent", json_integer(t->n_sent));
	json_object_set_new(j, "copied", json_integer(t->n_copied));
	json_object_set_new(j, "mounted", json_integer(t->n_mounted));
	json_object_set_new(j, "there", json_integer(t->n_there));
	return j;
}

static void summary(const struct push *p)
{
	const struct eb_push_totals *t = &p->totals;
	char size[32];

	if (p->source)
		return;
	if (!t->n_sent && !t->n_copied && !t->n_mounted)
		eb_note(p->cli->events, "everything was there");
	else
		eb_note(p->cli->events,
			"%u blobs sent (%s), %u mounted, %u were there",
			t->n_sent + t->n_copied,
			eb_human_size(t->sent + t->copied, size), t->n_mounted,
			t->n_there);
}

static int run(struct eb_cli *cli, struct eb_error *err)
{
	EB_CLEANUP(release) struct push p = { .cli = cli };
	EB_CLEANUP(release_place) struct place to = { 0 };
	eb_autofree char *reference = NULL;

	if (eb_reference_parse(cli->args.v[0], &p.from, err) < 0 ||
	    open_place(&p, cli->args.v[1], &to, err) < 0)
		return -1;
	eb_progress_log(cli->progress, cli->args.v[0]);
	if (push_all(&p, &to, err) < 0)
		return -1;
	summary(&p);
	reference = eb_image_by_digest(to.repo, &p.manifest);
	return eb_print_reference(cli, reference, as_json(&p, &to, reference),
				  err);
}

const struct eb_command eb_cmd_push = {
	.name = "push",
	.usage = "push IMAGE HOST/REPOSITORY[:TAG] [--tag TAG|REF]...",
	.summary = "copy an image to a registry: what is missing there",
	.min_args = 2,
	.max_args = 2,
	.run = run,
};
