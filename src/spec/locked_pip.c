/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What another tool's lock has for pip, in the form of a pylock.toml: from
 * there on it is one. A file of an index has one hash, a commit is one itself.
 */
#include <string.h>

#include <envbuild/json.h>

#include "locked_file.h"

static int bad(struct eb_spec_reader *r, const struct eb_locked_project *p,
	       const char *what)
{
	eb_autofree char *name = eb_printable(p->name);

	return eb_yaml_err(r->doc, p->at, r->err, "project \"%s\" %s", name,
			   what);
}

/* ---- commits --------------------------------------------------------------
 */

static bool is_commit(const char *s, size_t n)
{
	return (n == 40 || n == 64) && strspn(s, "0123456789abcdef") >= n;
}

/* NAME=VALUE among pairs; NULL. Caller frees. */
static char *pair(const char *pairs, size_t n, const char *name)
{
	eb_autofree char *all = eb_strndup(pairs, n);
	struct eb_strv one EB_CLEANUP(eb_strv_release) = { 0 };
	size_t len = strlen(name);

	eb_strv_split(&one, all, "&");
	for (size_t i = 0; i < one.n; i++)
		if (eb_starts(one.v[i], name) && one.v[i][len] == '=')
			return eb_strdup(one.v[i] + len + 1);
	return NULL;
}

static void set(json_t *to, const char *key, const char *text)
{
	if (text)
		json_object_set_new(to, key, json_string(text));
}

/* git+URL[@REVISION][?rev=..&subdirectory=..][#COMMIT or #subdirectory=..] */
static int add_commit(struct eb_spec_reader *r,
		      const struct eb_locked_project *p, json_t *package)
{
	const char *url = p->url + strlen("git+");
	size_t end = strcspn(url, "?#");
	const char *query = url[end] == '?' ? url + end + 1 : "";
	const char *hash = strchr(url, '#');
	const char *fragment = hash ? hash + 1 : "";
	eb_autofree char *plain = eb_strndup(url, end);
	char *host = strstr(plain, "://"), *at;
	eb_autofree char *revision = pair(query, strcspn(query, "#"), "rev");
	eb_autofree char *folder =
		pair(query, strcspn(query, "#"), "subdirectory");
	json_t *vcs;

	at = host ? strrchr(host + 3 + strcspn(host + 3, "/"), '@') : NULL;
	if (at) {
		*at++ = '\0';
		if (!revision)
			revision = eb_strdup(at);
	}
	if (!folder)
		folder = pair(fragment, strlen(fragment), "subdirectory");
	if (!is_commit(fragment, strlen(fragment)))
		fragment = revision ? revision : "";
	if (!host || !is_commit(fragment, strlen(fragment)))
		return bad(r, p,
			   "comes from a repository, of which no commit "
			   "is named");
	vcs = json_object();
	set(vcs, "type", "git");
	set(vcs, "url", plain);
	set(vcs, "commit-id", fragment);
	set(vcs, "requested-revision", revision);
	set(vcs, "subdirectory", folder);
	json_object_set_new(package, "vcs", vcs);
	return 0;
}

/* ---- files ----------------------------------------------------------------
 */

static int add_file(struct eb_spec_reader *r, const struct eb_locked_project *p,
		    bool direct, json_t *package)
{
	static const char key[] = "direct+";
	const char *url = direct ? p->url + strlen(key) : p->url;
	eb_autofree char *path = eb_strndup(url, strcspn(url, "?#"));
	json_t *file;

	if (!p->sha256)
		return bad(r, p,
			   "has no sha256: nothing says which bytes are "
			   "meant");
	file = json_pack("{s:s, s:{s:s}}", "url", url, "hashes", "sha256",
			 p->sha256);
	if (direct)
		json_object_set_new(package, "archive", file);
	else if (eb_ends(path, ".whl"))
		json_object_set_new(package, "wheels", json_pack("[o]", file));
	else
		json_object_set_new(package, "sdist", file);
	return file ? 0 : bad(r, p, "is no text");
}

static int add_source(struct eb_spec_reader *r,
		      const struct eb_locked_project *p, json_t *package)
{
	if (eb_starts(p->url, "git+"))
		return add_commit(r, p, package);
	if (eb_locked_is_remote(r, p->at, p->url) < 0)
		return -1;
	if (eb_starts(p->url, "file:"))
		return bad(r, p, "lies on the machine that made the lock");
	return add_file(r, p, eb_starts(p->url, "direct+"), package);
}

int eb_locked_pip_add(struct eb_spec_reader *r, struct eb_locked_pip *pip,
		      const struct eb_locked_project *p)
{
	eb_autojson json_t *package = json_object();
	size_t n = json_array_size(pip->packages);

	set(package, "name", p->name);
	set(package, "version", p->version);
	set(package, "index", p->index);
	set(package, "requires-python", p->requires_python);
	if (add_source(r, p, package) < 0)
		return -1;
	if (!pip->packages)
		pip->packages = json_array();
	EB_GROW(pip->line, n, pip->alloc);
	pip->line[n] = p->at->line;
	json_array_append(pip->packages, package);
	return 0;
}

void eb_locked_pip_take(struct eb_spec_reader *r, struct eb_locked_pip *pip,
			const char *by)
{
	if (!pip->packages)
		return;
	r->spec->has_pip_section = true;
	r->spec->pylock = eb_pylock_new(r->spec->file, eb_steal(pip->packages),
					eb_steal(pip->line), by);
}

void eb_locked_pip_release(struct eb_locked_pip *pip)
{
	json_decref(pip->packages);
	free(pip->line);
}
