/* SPDX-License-Identifier: Apache-2.0 */
/* config.json: mounts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/str.h>

#include "sandbox_config.h"

#define SHM "nosuid,noexec,nodev,mode=1777"

static json_t *mount_point(const char *destination, const char *type,
			   const char *source, const char *options)
{
	struct eb_strv option EB_CLEANUP(eb_strv_release) = { 0 };
	json_t *array = json_array();
	size_t i;

	eb_strv_split(&option, options, ",");
	for (i = 0; i < option.n; i++)
		json_array_append_new(array, json_string(option.v[i]));
	return json_pack("{s:s, s:s, s:s, s:o}", "destination", destination,
			 "type", type, "source", source, "options", array);
}

/* In a user namespace a mount cannot lose the restrictions that its source
 * has, so they are named. */
static void add_restrictions(struct eb_buf *options, const char *source)
{
	static const struct {
		unsigned long flag;
		const char *text;
	} known[] = {
		{ ST_RDONLY, ",ro" },	    { ST_NOSUID, ",nosuid" },
		{ ST_NODEV, ",nodev" },	    { ST_NOEXEC, ",noexec" },
		{ ST_NOATIME, ",noatime" }, { ST_NODIRATIME, ",nodiratime" },
	};
	struct statvfs st;
	size_t i;

	if (statvfs(source, &st) < 0)
		return;
	for (i = 0; i < sizeof known / sizeof *known; i++)
		if (st.f_flag & known[i].flag)
			eb_buf_adds(options, known[i].text);
}

static int add_bind(json_t *array, const char *source, const char *destination,
		    const char *how, struct eb_error *err)
{
	eb_autofree char *real = realpath(source, NULL);
	json_t *m;
	EB_AUTOBUF(options, EB_MAX_TEXT);

	if (!real)
		return eb_err_errno(err, EB_OK, errno, "\"%s\", mounting",
				    source);
	if (*destination != '/')
		return eb_err_set(err, EB_USAGE,
				  "\"%s\", mounting: not an absolute path",
				  destination);
	eb_buf_adds(&options, how);
	add_restrictions(&options, real);
	m = mount_point(destination, "bind", real, options.data);
	if (!m)
		return eb_err_set(err, EB_INPUT, "\"%s\", mounting: not UTF-8",
				  destination);
	json_array_append_new(array, m);
	return 0;
}

/* A user namespace owns no host network, so it cannot have a new sysfs for
 * it; the host's is shown instead. */
static json_t *sys(const struct eb_sandbox *s, const struct eb_form *f)
{
	bool own = !(f->flags & (EB_FORM_USER_NS | EB_FORM_OWN_USER_NS));

	if (s->network == EB_NETWORK_NONE || own)
		return mount_point("/sys", "sysfs", "sysfs",
				   "nosuid,noexec,nodev,ro");
	return mount_point("/sys", "bind", "/sys",
			   "rbind,nosuid,noexec,nodev,ro");
}

/* Group 5 owns terminals; a map of one id does not have it. */
static json_t *pts(const struct eb_form *f)
{
	bool one = f->flags & (EB_FORM_USER_NS | EB_FORM_OWN_USER_NS) &&
		   !(f->flags & EB_FORM_SUBIDS);

	return mount_point("/dev/pts", "devpts", "devpts",
			   one ? "nosuid,noexec,newinstance,ptmxmode=0666,"
				 "mode=0620"
			       : "nosuid,noexec,newinstance,ptmxmode=0666,"
				 "mode=0620,gid=5");
}

static void add_system(json_t *array, const struct eb_sandbox *s,
		       const struct eb_form *f,
		       const struct eb_sandbox_kind *kind)
{
	json_array_append_new(array, mount_point("/proc", "proc", "proc",
						 "nosuid,noexec,nodev"));
	json_array_append_new(array, mount_point("/dev", "tmpfs", "tmpfs",
						 "nosuid,strictatime,mode=755,"
						 "size=65536k"));
	if (kind->confined)
		return;
	json_array_append_new(array, pts(f));
	json_array_append_new(array,
			      mount_point("/dev/shm", "tmpfs", "shm",
					  kind->step ? SHM ",size=64m" : SHM));
	json_array_append_new(array, sys(s, f));
}

static int add_network_files(json_t *array, struct eb_error *err)
{
	static const char *const path[] = { "/etc/resolv.conf", "/etc/hosts" };
	size_t i;

	for (i = 0; i < sizeof path / sizeof *path; i++)
		if (eb_path_exists(path[i]) &&
		    add_bind(array, path[i], path[i], "rbind,ro", err) < 0)
			return -1;
	return 0;
}

static const char *how_to_bind(const struct eb_mount *m,
			       const struct eb_sandbox_kind *kind)
{
	if (kind->no_exec && strcmp(kind->no_exec, m->destination) == 0)
		return "rbind,nosuid,nodev,noexec";
	return m->read_only ? "rbind,ro" : "rbind";
}

json_t *eb_sandbox_mounts(const struct eb_sandbox *s, const struct eb_form *f,
			  const struct eb_sandbox_kind *kind,
			  struct eb_error *err)
{
	eb_autojson json_t *array = json_array();
	size_t i;

	add_system(array, s, f, kind);
	if (s->network == EB_NETWORK_HOST && !kind->confined &&
	    add_network_files(array, err) < 0)
		return NULL;
	for (i = 0; i < s->n_mounts; i++)
		if (add_bind(array, s->mount[i].source, s->mount[i].destination,
			     how_to_bind(&s->mount[i], kind), err) < 0)
			return NULL;
	return json_incref(array);
}
