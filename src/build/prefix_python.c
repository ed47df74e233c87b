/* SPDX-License-Identifier: Apache-2.0 */
/* What pip installed beside conda's packages: the dist-info (egg-info, links
 * of a `develop`) in site-packages that no package of conda's claims. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>

#include "prefix_read.h"

struct reading {
	struct eb_prefix *p;
	struct eb_strv *line, *requested;
	struct eb_strv local; /* of this machine alone: "name 1.0" */
	struct eb_strv name;  /* of all, each once */
};

/* 1; 0: it is not there. */
static int read_file(const struct reading *r, const char *path,
		     struct eb_buf *out, struct eb_error *err)
{
	eb_autofree char *full = eb_path_join(r->p->c.prefix, path);
	eb_autofd int fd = eb_inside(r->p->c.root, full, O_PATH, false);

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	return eb_claims_read(&r->p->c, path, out, err) < 0 ? -1 : 1;
}

static int duplicate(const struct reading *r, const char *path,
		     const struct eb_installed *who, struct eb_error *err)
{
	eb_err_set(err, EB_INPUT,
		   "\"%s\": \"%s\" is the second dist-info of %s: which one "
		   "is installed cannot be told",
		   r->p->dir, path, who->name);
	return eb_err_hint(err, "remove the one that is left over");
}

/* "name==1.0", or where else it came from. */
static int add_line(struct reading *r, const char *folder,
		    const struct eb_installed *who, struct eb_error *err)
{
	eb_autofree char *path = eb_path_join(folder, "direct_url.json");
	EB_AUTOBUF(text, EB_MAX_CONFIG);
	char *line = NULL;
	int there = read_file(r, path, &text, err);

	if (there < 0 ||
	    (there && eb_installed_origin(who->name, text.data, text.len, path,
					  &line, err) < 0))
		return -1;
	if (line)
		eb_strv_take(r->line, line);
	else if (there)
		eb_strv_addf(&r->local, "%s %s", who->name, who->version);
	else
		eb_strv_addf(r->line, "%s==%s", who->name, who->version);
	return 0;
}

static int add_requested(struct reading *r, const char *folder,
			 const struct eb_installed *who, struct eb_error *err)
{
	eb_autofree char *path = eb_path_join(folder, "REQUESTED");
	EB_AUTOBUF(text, EB_MAX_CONFIG);
	int there = read_file(r, path, &text, err);

	if (there > 0)
		eb_strv_add(r->requested, who->name);
	return there < 0 ? -1 : 0;
}

/* What conda installed and claims no more is a leftover of its own. */
static int is_of_conda(struct reading *r, const char *folder,
		       struct eb_error *err)
{
	eb_autofree char *path = eb_path_join(folder, "INSTALLER");
	EB_AUTOBUF(text, EB_MAX_CONFIG);
	int there = read_file(r, path, &text, err);

	return there < 0 ? -1 : there && !strcmp(eb_strip(text.data), "conda");
}

static int add_project(struct reading *r, const char *folder,
		       const char *metadata, struct eb_error *err)
{
	struct eb_installed who EB_CLEANUP(eb_installed_release) = { 0 };
	EB_AUTOBUF(text, EB_MAX_METADATA);

	if (eb_claims_read(&r->p->c, metadata, &text, err) < 0 ||
	    eb_installed_parse(text.data, text.len, metadata, &who, err) < 0)
		return -1;
	if (eb_strv_has(&r->name, who.name))
		return duplicate(r, folder, &who, err);
	eb_strv_add(&r->name, who.name);
	if (r->name.n > EB_PREFIX_PACKAGES)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" has more than %d projects of pip",
				  r->p->dir, EB_PREFIX_PACKAGES);
	return add_line(r, folder, &who, err) < 0
		       ? -1
		       : add_requested(r, folder, &who, err);
}

static int read_dist_info(struct reading *r, const char *folder,
			  struct eb_error *err)
{
	eb_autofree char *metadata = eb_path_join(folder, "METADATA");
	eb_autofree char *record = eb_path_join(folder, "RECORD");
	int conda;

	if (eb_claims_have(&r->p->c, metadata) ||
	    eb_claims_have(&r->p->c, record))
		return 0;
	conda = is_of_conda(r, folder, err);
	return conda ? (conda < 0 ? -1 : 0)
		     : add_project(r, folder, metadata, err);
}

/* A folder with PKG-INFO, or that file itself. */
static int read_egg_info(struct reading *r, const char *path,
			 struct eb_error *err)
{
	eb_autofree char *inside = eb_path_join(path, "PKG-INFO");
	eb_autofree char *full = eb_path_join(r->p->c.prefix, inside);
	eb_autofd int fd = eb_inside(r->p->c.root, full, O_PATH, true);

	if (eb_claims_have(&r->p->c, inside) || eb_claims_have(&r->p->c, path))
		return 0;
	return add_project(r, path, fd >= 0 ? inside : path, err);
}

static int read_link(struct reading *r, const char *path, struct eb_error *err)
{
	const char *name = strrchr(path, '/') + 1;

	(void)err;
	if (!eb_claims_have(&r->p->c, path))
		eb_strv_addf(&r->local, "%.*s",
			     (int)(strlen(name) - strlen(".egg-link")), name);
	return 0;
}

static int each(struct reading *r, const char *site, const char *ending,
		int (*fn)(struct reading *r, const char *path,
			  struct eb_error *err),
		struct eb_error *err)
{
	struct eb_strv name EB_CLEANUP(eb_strv_release) = { 0 };

	if (eb_claims_list(&r->p->c, site, ending, &name, err) < 0)
		return -1;
	for (size_t i = 0; i < name.n; i++) {
		eb_autofree char *path = eb_path_join(site, name.v[i]);

		if (fn(r, path, err) < 0)
			return -1;
	}
	return 0;
}

static int read_site(struct reading *r, const char *site, struct eb_error *err)
{
	return each(r, site, ".dist-info", read_dist_info, err) < 0 ||
			       each(r, site, ".egg-info", read_egg_info, err) <
				       0
		       ? -1
		       : each(r, site, ".egg-link", read_link, err);
}

static int refuse_local(const struct reading *r, struct eb_error *err)
{
	EB_AUTOBUF(names, EB_MAX_TEXT);

	for (size_t i = 0; i < r->local.n; i++)
		eb_buf_addf(&names, "%s%s", i ? ", " : "", r->local.v[i]);
	eb_err_set(err, EB_INPUT,
		   "\"%s\": installed from this machine, so that no other can "
		   "have it: %s",
		   r->p->dir, names.data);
	return eb_err_hint(err, "install it from an index or a repository, or "
				"uninstall it and add its source to the image "
				"by a definition");
}

static void release(struct reading *r)
{
	eb_strv_release(&r->local);
	eb_strv_release(&r->name);
}

int eb_prefix_python(struct eb_prefix *p, struct eb_strv *line,
		     struct eb_strv *requested, struct eb_error *err)
{
	struct reading r EB_CLEANUP(
		release) = { .p = p, .line = line, .requested = requested };

	if (eb_claims_sites(&p->c, err) < 0)
		return -1;
	for (size_t i = 0; i < p->what.site_packages.n; i++)
		if (read_site(&r, p->what.site_packages.v[i], err) < 0)
			return -1;
	eb_strv_sort(line);
	eb_strv_sort(requested);
	return r.local.n ? refuse_local(&r, err) : 0;
}
