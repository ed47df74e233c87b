/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A project that is no wheel is asked what it requires: its own code makes its
 * METADATA, in the environment's root and without network; what that takes is
 * resolved and fetched before, as for its build. How it is built is kept for
 * the lock, which asks for the same.
 */
#include <string.h>

#include <envbuild/sdist.h>

#include "resolve_pip.h"
#include "root.h"
#include "step.h"
#include "step_source.h"

/* --- how it is built --------------------------------------------------------
 */
static void keep_plan(struct eb_pip_side *s, const struct eb_pin *pin)
{
	EB_GROW(s->asked, s->n_asked, s->alloc_asked);
	eb_pin_copy(&s->asked[s->n_asked++], pin);
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool is_same_source(const struct eb_pin *a, const struct eb_pin *b)
{
	if (a->source != b->source || !same(a->name, b->name) ||
	    !same(a->subdirectory, b->subdirectory))
		return false;
	if (a->source == EB_PIN_VCS)
		return same(a->commit, b->commit) && same(a->url, b->url);
	return a->source == EB_PIN_SDIST &&
	       eb_digest_equal(&a->sha256, &b->sha256);
}

static bool is_same_list(const struct eb_strv *a, const struct eb_strv *b)
{
	size_t i = 0;

	while (i < a->n && i < b->n && !strcmp(a->v[i], b->v[i]))
		i++;
	return i == a->n && i == b->n;
}

const struct eb_pin_build *eb_asked_before(const struct eb_pip_side *s,
					   const struct eb_pin *pin)
{
	for (size_t i = 0; i < s->n_asked; i++) {
		const struct eb_pin *a = &s->asked[i];

		if (is_same_source(a, pin) &&
		    is_same_list(&a->build->setting, &pin->build->setting))
			return a->build;
	}
	return NULL;
}

void eb_asked_release(struct eb_pip_side *s)
{
	for (size_t i = 0; i < s->n_asked; i++)
		eb_pin_release(&s->asked[i]);
	free(s->asked);
	s->asked = NULL;
	s->n_asked = s->alloc_asked = 0;
}

/* --- the question -----------------------------------------------------------
 */
/* 1: no Python of the environment can run here. */
static int can_run(struct eb_build *b, struct eb_error *err)
{
	struct eb_root *root;

	if (strcmp(b->lock->platform, eb_machine_platform()))
		return 1;
	if (eb_build_root(b, false, &root, err) < 0)
		return -1;
	return eb_root_has_python(root) ? 0 : 1;
}

int eb_ask_project(void *side, struct eb_pin *pin, int fd,
		   struct eb_buf *metadata, struct eb_error *err)
{
	struct eb_pip_side *s = side;
	int rc = can_run(&s->build, err);

	if (rc)
		return rc;
	if (fd >= 0 && eb_step_keep(&s->build, pin, fd, err) < 0)
		return -1;
	if (eb_plan_isolated(s, pin, err) < 0 ||
	    eb_step_metadata(&s->build, pin, metadata, err) < 0)
		return -1;
	keep_plan(s, pin);
	return 0;
}

int eb_ask_elsewhere(void *side, struct eb_uv_call *call, struct eb_error *err)
{
	struct eb_pip_side *s = side;

	return eb_root_uv(&s->build, call, err);
}
