/* SPDX-License-Identifier: Apache-2.0 */
/* Which runtimes there are, and the forms of calling each. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/buf.h>
#include <envbuild/file.h>
#include <envbuild/process.h>

#include "sandbox_form.h"

#define END 0xffffffffU

#define COUNTED (EB_FORM_USER_NS | EB_FORM_COUNTED)

static const unsigned runc_root[] = { COUNTED, COUNTED | EB_FORM_ROOTLESS, 0,
				      EB_FORM_ROOTLESS, END };
static const unsigned runc_user[] = { EB_FORM_USER_NS | EB_FORM_SUBIDS,
				      EB_FORM_USER_NS, END };
static const unsigned crun_root[] = { COUNTED,
				      COUNTED | EB_FORM_HIDE_CGROUP,
				      0,
				      EB_FORM_HIDE_CGROUP,
				      EB_FORM_OWN_USER_NS | EB_FORM_HIDE_CGROUP,
				      END };
static const unsigned crun_user[] = { EB_FORM_USER_NS | EB_FORM_SUBIDS,
				      EB_FORM_USER_NS,
				      EB_FORM_OWN_USER_NS | EB_FORM_HIDE_CGROUP,
				      END };

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Users often have no sbin in their PATH, and runc lies there. */
static char *find_runtime(const char *name)
{
	static const char *const folder[] = { "/usr/local/sbin", "/usr/sbin",
					      "/sbin" };
	char *found = eb_find_program(name);
	size_t i;

	for (i = 0; !found && i < sizeof folder / sizeof *folder; i++) {
		eb_autofree char *path = eb_path_join(folder[i], name);

		if (access(path, X_OK) == 0)
			found = eb_steal(path);
	}
	return found;
}

static bool fits(unsigned flags, const struct eb_form_use *use, bool sub_ids)
{
	bool ids = use->ids;

	if (flags & EB_FORM_COUNTED)
		return use->counted && !ids;
	if (flags & EB_FORM_SUBIDS)
		return sub_ids;
	return !ids || !(flags & (EB_FORM_USER_NS | EB_FORM_OWN_USER_NS));
}

static void add_runtime(struct eb_forms *out, const char *name,
			const struct eb_form_use *use)
{
	eb_autofree char *program = find_runtime(name);
	bool crun = strstr(base_name(name), "crun"), root = geteuid() == 0;
	const unsigned *flags = crun ? (root ? crun_root : crun_user)
				     : (root ? runc_root : runc_user);
	struct eb_id_range uid = { 0, 0 }, gid = { 0, 0 };
	bool sub_ids = !root && eb_sub_ids(&uid, &gid);

	for (; program && *flags != END; flags++) {
		if (!fits(*flags, use, sub_ids))
			continue;
		EB_GROW(out->form, out->n, out->alloc);
		out->form[out->n++] = (struct eb_form){
			.program = eb_strdup(program),
			.name = eb_strdup(base_name(name)),
			.crun = crun,
			.flags = *flags,
			.sub_uid = uid,
			.sub_gid = gid,
		};
	}
}

void eb_forms_list(struct eb_forms *out, const struct eb_form_use *use)
{
	const char *chosen = getenv("ENVBUILD_RUNTIME");

	if (chosen && *chosen) {
		add_runtime(out, chosen, use);
		return;
	}
	add_runtime(out, "runc", use);
	add_runtime(out, "crun", use);
}

void eb_form_copy(struct eb_form *to, const struct eb_form *from)
{
	*to = *from;
	to->program = eb_strdup(from->program);
	to->name = eb_strdup(from->name);
}

void eb_form_release(struct eb_form *f)
{
	free(f->program);
	free(f->name);
	memset(f, 0, sizeof *f);
}

void eb_forms_quick_first(struct eb_forms *f)
{
	struct eb_form *sorted = eb_calloc(f->n + 1, sizeof *sorted);
	size_t n = 0;

	for (int crun = 1; crun >= 0; crun--)
		for (size_t i = 0; i < f->n; i++)
			if (f->form[i].crun == crun)
				sorted[n++] = f->form[i];
	free(f->form);
	f->form = sorted;
	f->alloc = f->n + 1;
}

void eb_forms_release(struct eb_forms *f)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		eb_form_release(&f->form[i]);
	free(f->form);
	memset(f, 0, sizeof *f);
}

bool eb_form_guards_devices(const struct eb_form *f)
{
	return !f->crun && !f->flags;
}

char *eb_form_text(const struct eb_form *f)
{
	static const struct {
		unsigned flag;
		const char *text;
	} words[] = {
		{ EB_FORM_ROOTLESS, "--rootless" },
		{ EB_FORM_SUBIDS, "subordinate ids" },
		{ EB_FORM_USER_NS, "user namespace" },
		{ EB_FORM_OWN_USER_NS, "own user namespace" },
		{ EB_FORM_HIDE_CGROUP, "cgroups hidden" },
		{ EB_FORM_COUNTED, "processes counted" },
	};
	const char *before = " (";
	size_t i;
	EB_AUTOBUF(b, EB_MAX_TEXT);

	eb_buf_adds(&b, f->name);
	for (i = 0; i < sizeof words / sizeof *words; i++) {
		if (!(f->flags & words[i].flag))
			continue;
		eb_buf_addf(&b, "%s%s", before, words[i].text);
		before = ", ";
	}
	if (f->flags)
		eb_buf_addch(&b, ')');
	return eb_buf_steal(&b, NULL);
}
