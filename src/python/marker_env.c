/* SPDX-License-Identifier: Apache-2.0 */
/* The environment of a marker: that of the target, never this machine's. */
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/tags.h>

static void add(struct eb_marker_env *e, const char *name, const char *value)
{
	eb_strv_add(&e->name, name);
	eb_strv_add(&e->value, value);
}

/* "3.7" of "3.7.0" */
static char *minor_of(const char *version)
{
	const char *dot = strchr(version, '.');
	size_t n = strlen(version);

	if (dot)
		n = (size_t)(dot - version) + 1 + strspn(dot + 1, "0123456789");
	return eb_strndup(version, n);
}

void eb_marker_env_of(const struct eb_python_target *t,
		      struct eb_marker_env *out)
{
	eb_autofree char *minor = minor_of(t->version);

	*out = (struct eb_marker_env){ 0 };
	add(out, "implementation_name", "cpython");
	add(out, "implementation_version", t->version);
	add(out, "os_name", "posix");
	add(out, "platform_machine", t->arch);
	add(out, "platform_python_implementation", "CPython");
	add(out, "platform_release", ""); /* of the kernel: not known yet */
	add(out, "platform_system", "Linux");
	add(out, "platform_version", "");
	add(out, "python_full_version", t->version);
	add(out, "python_version", minor);
	add(out, "sys_platform", "linux");
}

void eb_marker_env_release(struct eb_marker_env *e)
{
	eb_strv_release(&e->name);
	eb_strv_release(&e->value);
}
