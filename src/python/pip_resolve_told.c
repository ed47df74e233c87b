/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the environment's own Python cannot run, what a source distribution
 * requires is taken from itself: its PKG-INFO, pyproject.toml or egg-info. The
 * last is what its author's setup.py said on one day, and may be another thing
 * on another Python: said, and marked in the lock.
 */
#include "pip_resolve_int.h"

#include <string.h>

#include <envbuild/sdist.h>

#define MOST                                                            \
	((uint64_t)1 << 30) /* bytes of an sdist whose size is not told \
			     */

const struct eb_told *eb_resolve_told_of(const struct eb_resolving *z,
					 const char *name, const char *version)
{
	for (size_t i = 0; i < z->n_told; i++)
		if (strcmp(z->told[i].name, name) == 0 &&
		    strcmp(z->told[i].version, version) == 0)
			return &z->told[i];
	return NULL;
}

struct eb_told *eb_resolve_told_add(struct eb_resolving *z)
{
	EB_GROW(z->told, z->n_told, z->alloc_told);
	return &z->told[z->n_told++];
}

static void take(struct eb_resolving *z, const struct eb_pin *pin,
		 struct eb_sdist *s)
{
	struct eb_told *t = eb_resolve_told_add(z);

	*t = (struct eb_told){ .name = eb_strdup(pin->name),
			       .version = eb_strdup(pin->version),
			       .requires_python = eb_steal(s->requires_python),
			       .depends = s->depends,
			       .by = s->metadata };
	s->depends = (struct eb_strv){ 0 };
	eb_warn(z->events,
		"\"%s\" cannot be asked what it requires, for its Python does "
		"not run here: its %s is believed",
		z->stop, t->by);
}

int eb_resolve_told(struct eb_resolving *z, const struct eb_pin *pin, int fd,
		    struct eb_error *err)
{
	struct eb_sdist sdist EB_CLEANUP(eb_sdist_release) = { 0 };

	if (pin->source != EB_PIN_SDIST || pin->direct)
		return 0;
	if (eb_sdist_read(fd, pin->file, &eb_wheel_default_limits, &sdist,
			  err) < 0)
		return -1;
	if (!sdist.metadata)
		return 0;
	take(z, pin, &sdist);
	return 1;
}

void eb_resolve_told_mark(const struct eb_resolving *z, struct eb_pin *pin,
			  size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct eb_told *t =
			pin[i].source == EB_PIN_SDIST
				? eb_resolve_told_of(z, pin[i].name,
						     pin[i].version)
				: NULL;

		if (t && t->by)
			pin[i].metadata = eb_strdup(t->by);
	}
}

void eb_resolve_told_release(struct eb_resolving *z)
{
	for (size_t i = 0; i < z->n_told; i++)
		eb_told_release(&z->told[i]);
	free(z->told);
	z->told = NULL;
	z->n_told = z->n_built = z->alloc_told = 0;
}
