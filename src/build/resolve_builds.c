/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How each project that has no wheel is built: what its own build system asks
 * for, resolved like a second small pip section, or in the environment itself
 * (--no-build-isolation).
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/credential.h>
#include <envbuild/file.h>
#include <envbuild/sdist.h>

#include "resolve_pip.h"
#include "step.h"

static bool is_named(const struct eb_strv *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++) {
		eb_autofree char *normal = eb_project_name(names->v[i]);

		if (!strcmp(normal, name))
			return true;
	}
	return false;
}

/* --- the sdist -------------------------------------------------------------
 */
static int fetch(struct eb_pip_side *s, const struct eb_pin *pin,
		 struct eb_error *err)
{
	char *url = eb_fetch_pin_url(&s->build, pin);
	eb_autofree char *path = eb_file_url_path(url);
	struct eb_http_request request = { .url = url,
					   .task = pin->file,
					   .expect_size = pin->size,
					   .max_bytes = pin->size };
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC)
		      : eb_unnamed_file(eb_store_tmp(s->r->store), err);

	if (fd < 0 && path)
		eb_err_errno(err, EB_NETWORK, errno, "\"%s\"", path);
	request.fd = fd;
	if (fd >= 0 && !path) {
		eb_http_add(s->r->http, &request);
		if (eb_http_run(s->r->http, err) < 0 ||
		    eb_err_is_set(&request.err)) {
			eb_err_move(err, &request.err);
			close(fd);
			fd = -1;
		}
		eb_http_request_release(&request);
	}
	eb_secret_free(url);
	return fd;
}

static int check(int fd, const struct eb_pin *pin, struct eb_error *err)
{
	struct eb_digest is;
	uint64_t size;

	if (eb_sha256_fd(fd, &is, &size, err) < 0)
		return -1;
	if (eb_digest_equal(&is, &pin->sha256))
		return 0;
	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s\" has other bytes than its index says",
			  pin->file);
}

static int read_source(struct eb_pip_side *s, const struct eb_pin *pin,
		       struct eb_sdist *out, struct eb_error *err)
{
	eb_autofree char *dir = NULL;
	eb_autofd int fd = -1;

	if (pin->source == EB_PIN_DIR) {
		dir = eb_file_url_path(pin->url);
		return eb_sdist_read_dir(dir ? dir : pin->url, out, err);
	}
	fd = fetch(s, pin, err);
	if (fd < 0 || check(fd, pin, err) < 0)
		return -1;
	return eb_sdist_read(fd, pin->file, &eb_wheel_default_limits, out, err);
}

/* --- what its build asks for ------------------------------------------------
 */
static void take_settings(struct eb_pip_side *s, const struct eb_pin *pin)
{
	for (size_t i = 0; i < s->set.n; i++) {
		const struct eb_pip_line *line = &s->set.requirement[i];

		if (!line->name || strcmp(line->name, pin->name))
			continue;
		for (size_t j = 0; j < line->setting.n; j++)
			eb_strv_add(&pin->build->setting, line->setting.v[j]);
	}
	for (size_t i = 0; i < s->r->config->build_env.n; i++)
		eb_strv_add(&pin->build->variable,
			    s->r->config->build_env.v[i]);
	eb_strv_sort(&pin->build->variable);
}

static int resolve(struct eb_pip_side *s, struct eb_pin *pin,
		   const struct eb_strv *requires, struct eb_error *err)
{
	EB_CLEANUP(eb_pip_result_release) struct eb_pip_result result = { 0 };
	struct eb_pin_build *build = pin->build;

	if (eb_pip_resolve_build(&s->request, requires, pin->file, s->r->events,
				 &result, err) < 0)
		return -1;
	for (size_t i = 0; i < build->n_requires; i++)
		eb_pin_release(&build->requires[i]);
	free(build->requires);
	build->requires = eb_steal(result.pin);
	build->n_requires = result.n;
	result.n = 0;
	return 0;
}

/* First what it declares; with that its backend can be asked for more. */
static int isolated(struct eb_pip_side *s, struct eb_pin *pin,
		    struct eb_error *err)
{
	EB_CLEANUP(eb_sdist_release) struct eb_sdist sdist = { 0 };
	EB_CLEANUP(eb_strv_release) struct eb_strv more = { 0 };

	if (read_source(s, pin, &sdist, err) < 0 ||
	    resolve(s, pin, &sdist.requires, err) < 0 ||
	    eb_step_requires(&s->build, pin, &more, err) < 0)
		return -1;
	if (!more.n)
		return 0;
	for (size_t i = 0; i < more.n; i++)
		eb_strv_add(&sdist.requires, more.v[i]);
	return resolve(s, pin, &sdist.requires, err);
}

static int plan(struct eb_pip_side *s, struct eb_pin *pin, struct eb_error *err)
{
	pin->build = eb_calloc(1, sizeof *pin->build);
	pin->build->isolated =
		!is_named(&s->r->config->no_build_isolation, pin->name);
	take_settings(s, pin);
	return pin->build->isolated ? isolated(s, pin, err) : 0;
}

int eb_plan_builds(struct eb_pip_side *s, struct eb_lock *lock,
		   struct eb_error *err)
{
	for (size_t i = 0; i < lock->n_pins; i++)
		if (lock->pin[i].source != EB_PIN_WHEEL &&
		    plan(s, &lock->pin[i], err) < 0)
			return -1;
	return 0;
}
