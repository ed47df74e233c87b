/* SPDX-License-Identifier: Apache-2.0 */
/* config.json: process, root, namespaces, id maps, what of /proc is hidden. */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <envbuild/str.h>

#include "sandbox_config.h"

#define PROCESSES 1024

static const char *const masked[] = { "/proc/acpi",
				      "/proc/asound",
				      "/proc/kcore",
				      "/proc/keys",
				      "/proc/latency_stats",
				      "/proc/timer_list",
				      "/proc/timer_stats",
				      "/proc/sched_debug",
				      "/proc/scsi",
				      "/sys/firmware",
				      "/sys/devices/virtual/powercap",
				      NULL };
static const char *const read_only[] = { "/proc/bus",		"/proc/fs",
					 "/proc/irq",		"/proc/sys",
					 "/proc/sysrq-trigger", NULL };

json_t *eb_json_strings(const char *const *v, const char *what,
			struct eb_error *err)
{
	eb_autojson json_t *array = json_array();

	for (; v && *v; v++) {
		if (!eb_utf8_valid(*v, strlen(*v))) {
			eb_err_set(err, EB_INPUT, "\"%s\" (%s) is not UTF-8",
				   *v, what);
			return NULL;
		}
		json_array_append_new(array, json_string(*v));
	}
	return json_incref(array);
}

/* Never above what we may have: that needs a capability. */
static void add_limit(json_t *array, int which, const char *name, uint64_t n)
{
	struct rlimit now;

	if (!n || getrlimit((__rlimit_resource_t)which, &now) < 0)
		return;
	if (now.rlim_max != RLIM_INFINITY && now.rlim_max < n)
		n = now.rlim_max;
	if (n > INT64_MAX)
		n = INT64_MAX;
	json_array_append_new(array,
			      json_pack("{s:s, s:I, s:I}", "type", name, "hard",
					(json_int_t)n, "soft", (json_int_t)n));
}

/* The processes of a user are counted namespace by namespace since Linux
 * 5.14; before, and of the machine's root, they are all of the machine's. */
bool eb_form_counts(const struct eb_form *f)
{
	bool own_users = f->flags & EB_FORM_USER_NS ||
			 (f->flags & EB_FORM_OWN_USER_NS && geteuid() != 0);
	struct utsname u;
	unsigned major = 0, minor = 0;

	return own_users && uname(&u) == 0 &&
	       sscanf(u.release, "%u.%u", &major, &minor) == 2 &&
	       (major > 5 || (major == 5 && minor >= 14));
}

static json_t *process_limits(const struct eb_form *f,
			      const struct eb_sandbox_kind *kind)
{
	json_t *array = json_array();

	add_limit(array, RLIMIT_AS, "RLIMIT_AS", kind->addresses);
	add_limit(array, RLIMIT_FSIZE, "RLIMIT_FSIZE", kind->file);
	if (kind->step)
		add_limit(array, RLIMIT_CORE, "RLIMIT_CORE", 1);
	if (eb_form_counts(f))
		add_limit(array, RLIMIT_NPROC, "RLIMIT_NPROC", kind->processes);
	return array;
}

static json_t *process(const struct eb_sandbox *s, const struct eb_form *f,
		       const struct eb_sandbox_kind *kind, struct eb_error *err)
{
	eb_autojson json_t *argv = eb_json_strings(s->argv, "argument", err);
	eb_autojson json_t *env = NULL;
	const char *at = s->cwd ? s->cwd : "/";
	eb_autofree char *from_root = eb_asprintf("/%s", at);
	const char *const cwd[] = { *at == '/' ? at : from_root, NULL };
	eb_autojson json_t *checked = NULL;

	if (!argv)
		return NULL;
	env = eb_json_strings(s->env, "variable", err);
	if (!env)
		return NULL;
	checked = eb_json_strings(cwd, "working folder", err);
	if (!checked)
		return NULL;
	return json_pack(
		"{s:b, s:{s:I, s:I}, s:O, s:O, s:O, s:o, s:b, s:o}", "terminal",
		0, "user", "uid", (json_int_t)s->uid, "gid", (json_int_t)s->gid,
		"args", argv, "env", env, "cwd", json_array_get(checked, 0),
		"capabilities", eb_sandbox_capabilities(f, kind->confined),
		"noNewPrivileges", 1, "rlimits", process_limits(f, kind));
}

static json_t *namespaces(const struct eb_sandbox *s, const struct eb_form *f)
{
	json_t *array =
		json_pack("[{s:s}, {s:s}, {s:s}, {s:s}]", "type", "pid", "type",
			  "ipc", "type", "uts", "type", "mount");

	if (s->network == EB_NETWORK_NONE)
		json_array_append_new(array,
				      json_pack("{s:s}", "type", "network"));
	if (f->flags & EB_FORM_USER_NS)
		json_array_append_new(array,
				      json_pack("{s:s}", "type", "user"));
	return array;
}

static json_t *one_map(unsigned inside, unsigned outside, unsigned n)
{
	return json_pack("{s:I, s:I, s:I}", "containerID", (json_int_t)inside,
			 "hostID", (json_int_t)outside, "size", (json_int_t)n);
}

/* Our own id becomes root; the subordinate ones follow from 1 on. Or root is
 * somebody else, and what is ours belongs to 1: root may write it all the
 * same. */
static json_t *map(const struct eb_form *f, unsigned own,
		   const struct eb_id_range *sub)
{
	json_t *array = json_array();

	if (f->flags & EB_FORM_COUNTED) {
		json_array_append_new(array, one_map(0, eb_unused_id(), 1));
		json_array_append_new(array, one_map(1, own, 1));
		return array;
	}
	json_array_append_new(array, one_map(0, own, 1));
	if (sub->n)
		json_array_append_new(array, one_map(1, sub->first, sub->n));
	return array;
}

static void set_maps(json_t *linux_part, const struct eb_form *f)
{
	static const struct eb_id_range none = { 0, 0 };
	bool sub = f->flags & EB_FORM_SUBIDS;

	json_object_set_new(linux_part, "uidMappings",
			    map(f, geteuid(), sub ? &f->sub_uid : &none));
	json_object_set_new(linux_part, "gidMappings",
			    map(f, getegid(), sub ? &f->sub_gid : &none));
}

/* Where there is a cgroup it refuses devices, and more processes than an
 * interpreter can need. */
static json_t *resources(const struct eb_sandbox_kind *kind)
{
	json_t *r = json_pack("{s:[{s:b, s:s}]}", "devices", "allow", 0,
			      "access", "rwm");

	if (kind->confined)
		json_object_set_new(r, "pids",
				    json_pack("{s:i}", "limit", PROCESSES));
	return r;
}

static json_t *linux_part(const struct eb_sandbox *s, const struct eb_form *f,
			  const struct eb_sandbox_kind *kind,
			  struct eb_error *err)
{
	eb_autojson json_t *l = json_object();

	json_object_set_new(l, "namespaces", namespaces(s, f));
	json_object_set_new(l, "maskedPaths",
			    eb_json_strings(masked, "path", err));
	json_object_set_new(l, "readonlyPaths",
			    eb_json_strings(read_only, "path", err));
	if (f->flags & EB_FORM_USER_NS)
		set_maps(l, f);
	else if (eb_form_guards_devices(f))
		json_object_set_new(l, "resources", resources(kind));
	if (kind->seccomp)
		json_object_set(l, "seccomp", kind->seccomp);
	return json_incref(l);
}

static json_t *root(const struct eb_sandbox *s, struct eb_error *err)
{
	const char *const path[] = { s->rootfs, NULL };
	eb_autojson json_t *checked = eb_json_strings(path, "folder", err);

	if (!checked)
		return NULL;
	return json_pack("{s:O, s:b}", "path", json_array_get(checked, 0),
			 "readonly", s->read_only);
}

static int set(json_t *o, const char *key, json_t *value)
{
	return value && json_object_set_new(o, key, value) == 0 ? 0 : -1;
}

json_t *eb_sandbox_config(const struct eb_sandbox *s, const struct eb_form *f,
			  const struct eb_sandbox_kind *kind,
			  struct eb_error *err)
{
	eb_autojson json_t *o = json_object();
	const char *hostname = s->hostname ? s->hostname : "envbuild";

	json_object_set_new(o, "ociVersion", json_string("1.0.2"));
	json_object_set_new(o, "hostname", json_string(hostname));
	if (set(o, "process", process(s, f, kind, err)) < 0 ||
	    set(o, "root", root(s, err)) < 0 ||
	    set(o, "mounts", eb_sandbox_mounts(s, f, kind, err)) < 0 ||
	    set(o, "linux", linux_part(s, f, kind, err)) < 0) {
		if (!eb_err_is_set(err))
			eb_err_set(err, EB_MACHINE,
				   "the runtime's config.json, making it: a "
				   "value does not fit into JSON");
		return NULL;
	}
	return json_incref(o);
}
