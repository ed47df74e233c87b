/* SPDX-License-Identifier: Apache-2.0 */
/* What a build finds: the wheels that it requires, and variables that say the
 * same on every machine. */
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/rootfs.h>
#include <envbuild/wheel.h>

#include "sdist_build.h"
#include "step_source.h"

/* --- wheels
 * ---------------------------------------------------------------------
 * Installed for the environment's own prefix, below another folder: so what
 * starts a script of theirs is the environment's Python, and their payloads are
 * those of any environment.
 */
static int pack(struct eb_build *b, const struct eb_pin *pin,
		const struct eb_digest *key, struct eb_item *out,
		struct eb_error *err)
{
	const struct eb_wheel_limits limits = eb_step_limits(b);
	EB_CLEANUP(eb_wheel_free_ptr) struct eb_wheel *wheel = NULL;
	EB_CLEANUP(eb_entries_release) struct eb_entries entries = { 0 };
	eb_autofd int fd = -1;

	if (eb_step_fetch(b, pin, &fd, err) < 0 ||
	    eb_wheel_open(fd, pin->file, &limits, &wheel, err) < 0 ||
	    eb_wheel_payload(wheel, &b->wheel_target, &entries, b->events,
			     err) < 0)
		return -1;
	return eb_part_write(b->store, &b->compressor, EB_ITEM_PART, key,
			     &entries, pin->file, out, err);
}

static int payload_of(struct eb_build *b, const struct eb_pin *pin,
		      struct eb_item *out, struct eb_error *err)
{
	struct eb_digest key;
	int rc;

	eb_wheel_key(&pin->sha256, &b->wheel_target, &key);
	rc = eb_build_find(b, EB_ITEM_PART, &key, out, err);
	if (rc == 0)
		rc = eb_build_find(b, EB_ITEM_LAYER, &key, out, err);
	if (rc)
		return rc < 0 ? -1 : 0;
	return pack(b, pin, &key, out, err);
}

int eb_sdist_build_install(struct eb_sdist_build *s, struct eb_error *err)
{
	const struct eb_pin_build *build = s->pin->build;
	size_t n = build->n_requires;
	eb_autofree struct eb_item *item = eb_calloc(n + 1, sizeof *item);
	eb_autofree struct eb_digest *blob = eb_calloc(n + 1, sizeof *blob);
	eb_autofree char *dir = eb_path_join(s->dir, "env");

	for (size_t i = 0; i < n; i++) {
		if (payload_of(s->b, &build->requires[i], &item[i], err) < 0)
			return -1;
		blob[i] = item[i].blob;
	}
	if (eb_build_bring(s->b, item, n, err) < 0)
		return -1;
	return eb_rootfs_add(s->b->store, blob, n, dir, s->b->events, err);
}

/* --- variables
 * ------------------------------------------------------------------
 */
static bool names_variable(const struct eb_strv *list, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < list->n; i++)
		if (!strncmp(list->v[i], name, n) && list->v[i][n] == '=')
			return true;
	return false;
}

/* conda's compilers have names of their own, which their activation scripts
 * would tell. */
static void name_compiler(struct eb_sdist_build *s, const char *variable,
			  const char *path)
{
	if (path && strstr(path, "-conda") &&
	    !names_variable(&s->pin->build->variable, variable))
		eb_strv_addf(&s->env, "%s=%s", variable, path);
}

static void set_path(struct eb_sdist_build *s)
{
	const struct eb_build *b = s->b;
	eb_autofree char *bin =
		eb_asprintf(EB_STEP_AT "/env%s/bin", b->lock->prefix);

	if (!s->pin->build->isolated) {
		eb_root_env(s->root, NULL, &s->env);
		return;
	}
	eb_root_env(s->root, bin, &s->env);
	eb_strv_add(&s->env, "PYTHONPATH=" EB_STEP_AT "/site");
	eb_strv_addf(&s->env, "ENVBUILD_BUILD_SITE=" EB_STEP_AT "/env%s/%s",
		     b->lock->prefix, b->site_packages);
}

/* A zip can have no time before 1980. */
static int64_t source_date(const struct eb_lock *lock)
{
	return lock->source_date_epoch > EB_FIXED_MTIME
		       ? lock->source_date_epoch
		       : EB_FIXED_MTIME;
}

/* Later ones win: the pin's own come last. */
static void drop_earlier(struct eb_strv *env)
{
	size_t kept = 0;

	for (size_t i = 0; i < env->n; i++) {
		eb_autofree char *name =
			eb_strndup(env->v[i], strcspn(env->v[i], "="));
		const struct eb_strv rest = { env->v + i + 1, env->n - i - 1,
					      0 };

		if (names_variable(&rest, name))
			free(env->v[i]);
		else
			env->v[kept++] = env->v[i];
	}
	env->n = kept;
	if (env->v)
		env->v[kept] = NULL;
}

/* For those that ask a repository's history, which the lock has done. */
static void set_version(struct eb_sdist_build *s)
{
	static const char *const names[] = { "SETUPTOOLS_SCM_PRETEND_VERSION",
					     "PBR_VERSION" };

	if (s->pin->source == EB_PIN_SDIST || !s->pin->version)
		return;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		eb_strv_addf(&s->env, "%s=%s", names[i], s->pin->version);
}

void eb_sdist_build_env(struct eb_sdist_build *s)
{
	static const char *const fixed[] = {
		"PYTHONHASHSEED=0",
		"PYTHONDONTWRITEBYTECODE=1",
		"PYTHONNOUSERSITE=1",
		"PYTHONIOENCODING=utf-8",
		"PYTHONUNBUFFERED=1",
		"TZ=UTC",
		"LC_ALL=C.UTF-8",
		"HOME=/tmp",
		"TMPDIR=/tmp",
		"PIP_NO_INDEX=1",
		"PIP_DISABLE_PIP_VERSION_CHECK=1",
	};
	const struct eb_strv *own = &s->pin->build->variable;

	set_path(s);
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		eb_strv_add(&s->env, fixed[i]);
	eb_strv_addf(&s->env, "SOURCE_DATE_EPOCH=%lld",
		     (long long)source_date(s->b->lock));
	eb_strv_addf(&s->env, "CONDA_PREFIX=%s", s->b->lock->prefix);
	name_compiler(s, "CC", s->compiler);
	name_compiler(s, "CXX", s->cxx);
	set_version(s);
	for (size_t i = 0; i < own->n; i++)
		eb_strv_add(&s->env, own->v[i]);
	drop_earlier(&s->env);
}
