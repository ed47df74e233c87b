/* SPDX-License-Identifier: Apache-2.0 */
/* Compatibility tags of a target, best first (PEP 425, 600, 656, 803). */
#include <stdio.h>
#include <string.h>

#include <envbuild/tags.h>

#include "tags_platform.h"

#define MAX_MINOR 99
#define ABI3_FROM 2 /* the limited API came with Python 3.2 */

struct python {
	unsigned major, minor;
};

/* "3.7" or "3.7.0", whatever follows. */
static int read_python(const struct eb_python_target *t, struct python *out,
		       struct eb_error *err)
{
	const char *v = t->version ? t->version : "";

	if (!eb_tags_numbers(v, &out->major, &out->minor) || out->major != 3 ||
	    out->minor > MAX_MINOR)
		return eb_err_set(err, EB_INPUT,
				  "Python \"%s\": not a version 3.x whose "
				  "wheels are known",
				  v);
	if (t->free_threaded && out->minor < 13)
		return eb_err_set(err, EB_INPUT,
				  "Python \"%s\": free-threaded ones begin "
				  "with 3.13",
				  v);
	return 0;
}

/* interpreter-abi-P for each platform P */
static void add_all(struct eb_strv *out, const char *head,
		    const struct eb_strv *platforms)
{
	for (size_t i = 0; i < platforms->n; i++)
		eb_strv_addf(out, "%s-%s", head, platforms->v[i]);
}

static void cpython(struct eb_strv *out, struct python p, const char *abi_flags,
		    const char *stable, const struct eb_strv *platforms)
{
	char head[64];
	const char *const abi[] = { stable, "none" };

	snprintf(head, sizeof head, "cp%u%u-cp%u%u%s", p.major, p.minor,
		 p.major, p.minor, abi_flags);
	add_all(out, head, platforms);
	for (size_t i = p.minor < ABI3_FROM; i < 2; i++) {
		snprintf(head, sizeof head, "cp%u%u-%s", p.major, p.minor,
			 abi[i]);
		add_all(out, head, platforms);
	}
	for (unsigned minor = p.minor; minor-- > ABI3_FROM;) {
		snprintf(head, sizeof head, "cp%u%u-%s", p.major, minor,
			 stable);
		add_all(out, head, platforms);
	}
}

/* py37, py3, py36 ... py30 */
static void pure_names(struct eb_strv *out, struct python p)
{
	eb_strv_addf(out, "py%u%u", p.major, p.minor);
	eb_strv_addf(out, "py%u", p.major);
	for (unsigned minor = p.minor; minor-- > 0;)
		eb_strv_addf(out, "py%u%u", p.major, minor);
}

static void pure(struct eb_strv *out, struct python p,
		 const struct eb_strv *platforms)
{
	struct eb_strv name EB_CLEANUP(eb_strv_release) = { 0 };

	pure_names(&name, p);
	for (size_t i = 0; i < name.n; i++) {
		eb_autofree char *head = eb_asprintf("%s-none", name.v[i]);

		add_all(out, head, platforms);
	}
	eb_strv_addf(out, "cp%u%u-none-any", p.major, p.minor);
	for (size_t i = 0; i < name.n; i++)
		eb_strv_addf(out, "%s-none-any", name.v[i]);
}

int eb_tags_of(const struct eb_python_target *t, struct eb_strv *out,
	       struct eb_error *err)
{
	struct eb_strv platforms EB_CLEANUP(eb_strv_release) = { 0 };
	struct python p = { 0 };
	const char *flags;

	if (read_python(t, &p, err) < 0 ||
	    eb_tags_platforms(t, &platforms, err) < 0)
		return -1;
	flags = t->free_threaded ? "t" : p.minor < 8 ? "m" : "";
	cpython(out, p, flags, t->free_threaded ? "abi3t" : "abi3", &platforms);
	pure(out, p, &platforms);
	return 0;
}
