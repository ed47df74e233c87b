/* SPDX-License-Identifier: Apache-2.0 */
/* The root file system of executed steps: made when the first one runs. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/rootfs.h>
#include <envbuild/team.h>

#include "apt.h"
#include "root.h"

const struct eb_base *eb_root_base(const struct eb_build *b)
{
	return b->build_base ? b->build_base : b->base;
}

/* --- can anything run? ------------------------------------------------------
 */
static int check_platform(const struct eb_build *b, struct eb_error *err)
{
	const char *machine = eb_machine_platform();

	if (!strcmp(b->lock->platform, machine))
		return 0;
	eb_err_set(err, EB_MACHINE,
		   "a Python for %s cannot run on this machine (%s), so "
		   "nothing can be built from source",
		   b->lock->platform, machine);
	return eb_err_hint(err, "build on such a machine, or name versions "
				"that have wheels");
}

static int check_base(const struct eb_build *b, struct eb_error *err)
{
	if (!eb_root_base(b)->scratch)
		return 0;
	eb_err_set(err, EB_MACHINE,
		   "the base is scratch, where no Python runs, so nothing can "
		   "be built from source");
	return eb_err_hint(err, "name another --base, or versions that have "
				"wheels");
}

/* --- the base ----------------------------------------------------------------
 */
/* Layers that lie in a registry alone. */
static int bring_base(struct eb_build *b, const struct eb_base *base,
		      struct eb_error *err)
{
	EB_CLEANUP(eb_registry_free_ptr) struct eb_registry *own = NULL;
	struct eb_registry *registry;
	int rc = eb_image_is_complete(b->store, &base->manifest, err);

	if (rc)
		return rc < 0 ? -1 : 0;
	if (!b->team)
		own = eb_base_registry(b->config, base->reference, b->events);
	registry = b->team ? eb_team_registry(b->team) : own;
	if (!registry)
		return eb_err_set(err, EB_NETWORK,
				  "base \"%s\", running something on it: its "
				  "layers are not in the store, and no "
				  "registry may be asked",
				  base->reference);
	return eb_image_complete(registry, b->store, &base->manifest, b->events,
				 err);
}

static int unpack_base(struct eb_root *r, struct eb_error *err)
{
	struct eb_build *b = r->b;

	r->dir = eb_make_tempdir(eb_store_tmp(b->store), "root-", err);
	if (!r->dir)
		return -1;
	r->rootfs = eb_path_join(r->dir, "rootfs");
	if (r->base->scratch)
		return eb_mkdirs(r->rootfs, 0755, err);
	if (bring_base(b, r->base, err) < 0)
		return -1;
	return eb_rootfs_unpack_for_run(b->store, &r->base->manifest, r->rootfs,
					b->events, err);
}

static struct eb_root *begin(struct eb_build *b, const struct eb_base *base)
{
	struct eb_root *r = eb_calloc(1, sizeof *r);

	r->b = b;
	r->base = base;
	r->events = b->events;
	r->manifest = base->manifest;
	r->has = eb_calloc(b->n + 1, sizeof *r->has);
	return r;
}

int eb_root_of_base(struct eb_build *b, struct eb_root **out,
		    struct eb_error *err)
{
	EB_CLEANUP(eb_root_free_ptr) struct eb_root *r = begin(b, b->base);

	if (unpack_base(r, err) < 0)
		return -1;
	*out = eb_steal(r);
	return 0;
}

bool eb_root_has_apt(const struct eb_build *b)
{
	return b->lock->apt.n && eb_root_base(b) == b->base;
}

static void note(struct eb_root *r, const struct eb_digest *blob)
{
	EB_GROW(r->blob, r->n, r->alloc);
	r->blob[r->n++] = *blob;
}

static int add_apt(struct eb_root *r, struct eb_error *err)
{
	struct eb_build *b = r->b;

	if (!eb_root_has_apt(b))
		return 0;
	note(r, &b->apt.blob);
	return eb_rootfs_add(b->store, &b->apt.blob, 1, r->rootfs, b->events,
			     err);
}

/* --- what is installed in it ------------------------------------------------
 */
static bool is_conda(const struct eb_work *w)
{
	return w->package != NULL;
}

static bool belongs(const struct eb_work *w, bool wheels)
{
	return w->package || (wheels && w->pin &&
			      (w->pin->source == EB_PIN_WHEEL ||
			       (w->pin->build && w->pin->build->isolated)));
}

/* While a lock is made, only some payloads are there. */
static int need_payloads(struct eb_build *b, struct eb_error *err)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->work[i].package && !b->work[i].have_payload)
			return eb_build_some_payloads(b, is_conda, err);
	return 0;
}

static int add_works(struct eb_root *r, bool wheels, struct eb_error *err)
{
	struct eb_build *b = r->b;
	eb_autofree struct eb_item *item = eb_calloc(b->n + 1, sizeof *item);
	eb_autofree struct eb_digest *blob = eb_calloc(b->n + 1, sizeof *blob);
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++) {
		const struct eb_work *w = &b->work[i];

		if (r->has[i] || !w->have_payload || !belongs(w, wheels))
			continue;
		r->has[i] = true;
		item[n] = w->payload;
		blob[n++] = w->payload.blob;
		note(r, &w->payload.blob);
	}
	if (!n)
		return 0;
	if (eb_build_bring(b, item, n, err) < 0)
		return -1;
	if (eb_rootfs_add(b->store, blob, n, r->rootfs, b->events, err) < 0)
		return -1;
	eb_root_prefer_linker(r);
	return 0;
}

static int start(struct eb_build *b, struct eb_error *err)
{
	if (eb_root_has_apt(b) && eb_build_apt(b, err) < 0)
		return -1;
	b->root = eb_root_take_over(b);
	if (b->root)
		return 0;
	b->root = begin(b, eb_root_base(b));
	return unpack_base(b->root, err) < 0 ? -1 : add_apt(b->root, err);
}

static int make(struct eb_build *b, bool wheels, struct eb_error *err)
{
	if (check_platform(b, err) < 0 || eb_open_build_base(b, err) < 0 ||
	    check_base(b, err) < 0 || need_payloads(b, err) < 0)
		return -1;
	if (!b->root && start(b, err) < 0)
		return -1;
	return add_works(b->root, wheels, err);
}

int eb_build_root(struct eb_build *b, bool wheels, struct eb_root **out,
		  struct eb_error *err)
{
	struct eb_stage stage;
	int rc;

	eb_stage_begin(b->events, &stage, "root");
	rc = make(b, wheels, err);
	eb_stage_end(b->events, &stage);
	if (rc < 0) { /* half of one is none */
		eb_root_free(b->root);
		b->root = NULL;
		return -1;
	}
	*out = b->root;
	return 0;
}

void eb_root_free(struct eb_root *r)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	if (!r)
		return;
	if (r->dir && eb_sandbox_remove(r->dir, &ignored) < 0)
		eb_warn(r->events, "%s", ignored.message);
	free(r->dir);
	free(r->rootfs);
	free(r->has);
	free(r->blob);
	free(r);
}
