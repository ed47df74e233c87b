/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a project requires that is no wheel: it is asked, by the caller, in the
 * environment's own root and without network; the resolver is told the answer.
 * Where its Python cannot run, what it says of itself is believed.
 */
#include "pip_resolve_int.h"

#include <string.h>

#include <envbuild/str.h>

#define LEARN_MAX 200 /* projects, of one resolution */

/* --- the answer -------------------------------------------------------------
 */
static int check(const struct eb_pin *pin, const struct eb_told *t,
		 struct eb_error *err)
{
	if ((!pin->name || !strcmp(pin->name, t->name)) &&
	    (pin->direct || !strcmp(pin->version, t->version)))
		return 0;
	return eb_err_set(err, EB_STEP,
			  "\"%s\", asking for its metadata: it is of %s %s",
			  pin->file, t->name, t->version);
}

static int take(struct eb_resolving *z, struct eb_pin *pin,
		const struct eb_buf *metadata, struct eb_error *err)
{
	EB_CLEANUP(eb_told_release) struct eb_told t = { 0 };

	if (eb_told_read(metadata->data, metadata->len, pin->file, &t, err) <
		    0 ||
	    check(pin, &t, err) < 0)
		return -1;
	eb_pip_built(z->r->cache, &z->r->target, z->r->build_variables, pin,
		     metadata->data, metadata->len);
	t.direct = pin->direct;
	if (!pin->name)
		pin->name = eb_strdup(t.name);
	free(pin->version);
	pin->version = eb_strdup(t.version);
	*eb_resolve_told_add(z) = t;
	t = (struct eb_told){ 0 };
	return 0;
}

/* --- the question -----------------------------------------------------------
 */
static void prepare(const struct eb_resolving *z, struct eb_pin *pin)
{
	const struct eb_pip_line *l = eb_resolve_line_of_pin(z, pin);

	if (!pin->build)
		pin->build = eb_calloc(1, sizeof *pin->build);
	pin->build->isolated = true;
	eb_strv_release(&pin->build->setting);
	if (l)
		eb_strv_copy(&pin->build->setting, &l->setting);
}

int eb_resolve_ask(struct eb_resolving *z, struct eb_pin *pin, int fd,
		   struct eb_error *err)
{
	EB_AUTOBUF(metadata, EB_MAX_METADATA);
	int rc;

	if (!z->r->ask || z->nowhere)
		return 1;
	prepare(z, pin);
	eb_note(z->events, "\"%s\" is asked what it requires", pin->file);
	rc = z->r->ask(z->r->data, pin, fd, &metadata, err);
	z->nowhere = rc > 0;
	if (rc)
		return rc;
	z->asked = true;
	return take(z, pin, &metadata, err);
}

static bool was_told(const struct eb_resolving *z, const struct eb_pin *pin)
{
	for (size_t i = 0; i < z->n_told; i++) {
		const struct eb_told *t = &z->told[i];

		if (!strcmp(t->name, pin->name) &&
		    (pin->direct ? t->direct
				 : !strcmp(t->version, pin->version)))
			return true;
	}
	return false;
}

static int at_line(struct eb_resolving *z, const struct eb_pin *pin,
		   struct eb_error *err)
{
	const struct eb_pip_line *l = eb_resolve_line_of_pin(z, pin);

	return l ? eb_err_at(err, l->file, l->line, l->column)
		 : eb_resolve_at_project(z, pin->name, err);
}

int eb_resolve_learn(struct eb_resolving *z, struct eb_error *err)
{
	EB_CLEANUP(eb_pin_release) struct eb_pin pin = { 0 };
	eb_autofd int fd = -1;
	int rc;

	if (!z->r->ask || z->n_told - z->n_built >= LEARN_MAX)
		return 0;
	rc = eb_resolve_stopped_at(z, &pin, &fd, err);
	if (rc <= 0)
		return rc;
	if (was_told(z, &pin))
		return 0;
	rc = eb_resolve_ask(z, &pin, fd, err);
	if (rc < 0)
		return at_line(z, &pin, err);
	return rc == 0 ? 1 : eb_resolve_told(z, &pin, fd, err);
}
