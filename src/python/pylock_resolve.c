/* SPDX-License-Identifier: Apache-2.0 */
/* A lock of others beside what conda installs: its pins as they are, and what
 * it does not say of their files. */
#include <string.h>

#include <envbuild/file.h>

#include "pip_resolve_int.h"
#include "pylock_int.h"

static void release(struct eb_resolving *z)
{
	free(z->root);
}

static int open_cache(struct eb_resolving *z, struct eb_error *err)
{
	if (eb_mkdirs(z->r->cache, 0700, err) < 0)
		return -1;
	z->root = realpath(z->r->cache, NULL);
	return z->root ? 0
		       : eb_err_set(err, EB_MACHINE, "\"%s\" cannot be found",
				    z->r->cache);
}

/* Those that conda installs just so are left to it. */
static void leave_to_conda(const struct eb_pip_request *r,
			   struct eb_pip_result *out)
{
	size_t kept = 0;

	for (size_t i = 0; i < out->n; i++) {
		struct eb_pin *p = &out->pin[i];

		if (eb_resolve_beside_conda(r, p->name, p->version, p->direct,
					    &out->replaced))
			out->pin[kept++] = *p;
		else
			eb_pin_release(p);
	}
	out->n = kept;
	eb_strv_sort(&out->replaced);
}

static int check_replaced(const struct eb_pip_request *r,
			  const struct eb_pylock *lock,
			  const struct eb_pip_result *out, struct eb_error *err)
{
	if (r->replace || !out->replaced.n)
		return 0;
	eb_err_set(err, EB_NO,
		   "\"%s\" has another version of what conda's \"%s\" installs",
		   lock->name, out->replaced.v[0]);
	eb_err_at(err, lock->name, 1, 1);
	return eb_err_hint(err, "--pip-replace=needed lets it be replaced");
}

static void complete(const struct eb_resolving *z, struct eb_pip_result *out)
{
	for (size_t i = 0; i < out->n; i++) {
		struct eb_pin *p = &out->pin[i];

		if (p->version)
			continue;
		p->version = eb_resolve_folder_version(z, p);
		free(p->file);
		p->file = eb_asprintf("%s-%s", p->name, p->version);
	}
}

static int narrower(const struct eb_pylock *lock, struct eb_error *err)
{
	if (err->code != EB_NO || lock->of_lock)
		return -1;
	return eb_err_hint(err,
			   "which Python it is comes from the lock's "
			   "requires-python: narrow it (\">=3.11, <3.12\"), or "
			   "make \"%s\" anew for this one",
			   lock->name);
}

int eb_pylock_resolve(const struct eb_pip_request *r,
		      const struct eb_pylock *lock, struct eb_events *events,
		      struct eb_pip_result *out, struct eb_error *err)
{
	struct eb_resolving z EB_CLEANUP(release) = { .r = r,
						      .events = events };
	int rc;

	if (eb_pylock_pins(lock, &r->target, out, err) < 0)
		return narrower(lock, err);
	leave_to_conda(r, out);
	complete(&z, out);
	rc = check_replaced(r, lock, out, err);
	if (rc == 0)
		rc = open_cache(&z, err);
	if (rc == 0)
		rc = eb_resolve_sizes(&z, out->pin, out->n, err);
	if (rc == 0)
		rc = eb_resolve_bytes(&z, out->pin, out->n, err);
	if (rc < 0)
		eb_pip_result_release(out);
	return rc;
}
