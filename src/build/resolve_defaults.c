/* SPDX-License-Identifier: Apache-2.0 */
/* What a lock has that nobody asked for: a Python for the pip section, pip. */
#include <string.h>

#include "resolve_packages.h"

static bool has_line(const struct eb_spec *spec, const char *name)
{
	for (size_t i = 0; i < spec->n_conda; i++) {
		const char *is = eb_matchspec_name(spec->conda[i]);

		if (is && !strcmp(is, name))
			return true;
	}
	return false;
}

static bool has_pin(const struct eb_lock *lock, const char *name)
{
	for (size_t i = 0; i < lock->n_pins; i++)
		if (!strcmp(lock->pin[i].name, name))
			return true;
	return false;
}

/* A conda file is one that conda would add pip to; a requirements file asks
 * for none. */
static void tell_pip(const struct eb_resolver *r, const struct eb_lock *lock)
{
	const struct eb_spec *spec = r->env->spec;
	const struct eb_locked_package *pip = eb_lock_find(lock, "pip");

	if (!spec->n_pip || !*spec->azure_name || has_line(spec, "pip") ||
	    has_pin(lock, "pip"))
		return;
	if (pip)
		eb_warn_at(r->events, spec->file, 0, 0,
			   "there is a pip section, and pip is not among the "
			   "packages: pip %s comes with Python; \"- pip\" "
			   "asks for it",
			   pip->record.version);
	else
		eb_warn_at(r->events, spec->file, 0, 0,
			   "there is a pip section, and pip is not among the "
			   "packages: the image gets none; \"- pip\" asks for "
			   "it");
}

void eb_tell_defaults(const struct eb_resolver *r, const struct eb_lock *lock)
{
	const struct eb_locked_package *python = eb_lock_find(lock, "python");

	if (r->default_python && python)
		eb_warn_at(r->events, r->env->spec->file, 0, 0,
			   "nothing asks for the Python that the pip section "
			   "is for: it is python %s, the newest that the "
			   "channels have; add \"python\" with a version",
			   python->record.version);
	tell_pip(r, lock);
}
