/* SPDX-License-Identifier: Apache-2.0 */
/* A lock as conda-lock.yml, version 1 (CEP 37). */
#include <string.h>

#include <envbuild/channel.h>
#include <envbuild/json.h>
#include <envbuild/matchspec.h>
#include <envbuild/yaml.h>

#include "build_private.h"
#include "lock_forms.h"

struct writer {
	const struct eb_lock *lock;
	const char *subdir; /* "linux-64" */
	struct eb_buf *out;
};

/* "INDENT KEY: VALUE", quoted where it has to be. */
static void put(struct writer *w, const char *key, const char *value)
{
	eb_buf_adds(w->out, key);
	eb_buf_adds(w->out, ": ");
	eb_yaml_write_text(value, w->out);
	eb_buf_addch(w->out, '\n');
}

/* --- what it is made of ---------------------------------------------- */

/* In the order that was asked for; where that is not known, as they come. */
static void list_channels(const struct eb_lock *lock, struct eb_strv *out)
{
	const json_t *asked = eb_json_arr(lock->solved, "channels");
	json_t *one;
	size_t i;

	json_array_foreach ((json_t *)asked, i, one) {
		if (json_is_string(one))
			eb_strv_add(out, json_string_value(one));
	}
	for (i = 0; i < lock->n; i++)
		if (!eb_strv_has(out, lock->package[i].record.channel))
			eb_strv_add(out, lock->package[i].record.channel);
}

/* Lines of a definition: the files that they stand in. */
static void list_sources(const struct eb_lock *lock, struct eb_strv *out)
{
	json_t *one;
	size_t i;

	json_array_foreach (lock->evidence, i, one) {
		const char *file = eb_json_str(one, "file");

		if (file && !eb_strv_has(out, file))
			eb_strv_add(out, file);
	}
}

static void put_metadata(struct writer *w)
{
	struct eb_strv channel EB_CLEANUP(eb_strv_release) = { 0 };
	struct eb_strv source EB_CLEANUP(eb_strv_release) = { 0 };
	char hex[EB_HEX_SIZE];

	list_channels(w->lock, &channel);
	list_sources(w->lock, &source);
	eb_buf_adds(w->out, "version: 1\nmetadata:\n  content_hash:\n");
	eb_buf_addf(w->out, "    %s: %s\n  channels:%s\n", w->subdir,
		    eb_digest_hex(&w->lock->definition, hex),
		    channel.n ? "" : " []");
	for (size_t i = 0; i < channel.n; i++) {
		put(w, "  - url", channel.v[i]);
		eb_buf_adds(w->out, "    used_env_vars: []\n");
	}
	eb_buf_addf(w->out, "  platforms:\n  - %s\n  sources:%s\n", w->subdir,
		    source.n ? "" : " []");
	for (size_t i = 0; i < source.n; i++) {
		eb_buf_adds(w->out, "  - ");
		eb_yaml_write_text(source.v[i], w->out);
		eb_buf_addch(w->out, '\n');
	}
}

/* --- conda ----------------------------------------------------------- */

/* A dependency less its name: ">=3.7,<3.8.0a0", "1.0 py37*", "". */
static char *constraint(const char *text, char **name)
{
	const char *p = strstr(text, "::");
	size_t n;

	p = p ? p + 2 : text;
	p += strspn(p, " ");
	n = strcspn(p, " =<>!~[");
	*name = eb_strndup(p, n);
	eb_lower(*name);
	p += n;
	return eb_strdup(p + strspn(p, " "));
}

struct needs {
	struct eb_strv name, constraint;
};

static void release_needs(struct needs *n)
{
	eb_strv_release(&n->name);
	eb_strv_release(&n->constraint);
}

/* A name has one constraint: several versions are joined. */
static void add_need(struct needs *n, const char *text)
{
	eb_autofree char *name = NULL;
	eb_autofree char *want = constraint(text, &name);
	char *have, *both;
	size_t i = 0;

	while (i < n->name.n && strcmp(n->name.v[i], name) != 0)
		i++;
	if (i == n->name.n) {
		eb_strv_add(&n->name, name);
		eb_strv_add(&n->constraint, want);
		return;
	}
	have = n->constraint.v[i];
	if (!*want || strchr(want, ' ') || strchr(have, ' '))
		return;
	both = *have ? eb_asprintf("%s,%s", have, want) : eb_strdup(want);
	free(have);
	n->constraint.v[i] = both;
}

static void put_needs(struct writer *w, const struct eb_record *r)
{
	struct needs n EB_CLEANUP(release_needs) = { 0 };

	for (size_t i = 0; i < r->depends.n; i++)
		add_need(&n, r->depends.v[i]);
	eb_buf_addf(w->out, "  dependencies:%s\n", n.name.n ? "" : " {}");
	for (size_t i = 0; i < n.name.n; i++) {
		eb_buf_adds(w->out, "    ");
		eb_yaml_write_text(n.name.v[i], w->out);
		put(w, "", n.constraint.v[i]);
	}
}

static void put_head(struct writer *w, const char *name, const char *version,
		     const char *manager)
{
	put(w, "- name", name);
	put(w, "  version", version);
	put(w, "  manager", manager);
	put(w, "  platform", w->subdir);
}

static void put_record(struct writer *w, const struct eb_record *r)
{
	char hex[EB_HEX_SIZE];

	put_head(w, r->name, r->version, "conda");
	put_needs(w, r);
	put(w, "  url", r->url);
	eb_buf_adds(w->out, "  hash:\n");
	if (*r->md5)
		put(w, "    md5", r->md5);
	put(w, "    sha256", eb_digest_hex(&r->sha256, hex));
	eb_buf_adds(w->out, "  category: main\n  optional: false\n");
}

/* --- the Python side -------------------------------------------------- */

/* As pip wants it; of a commit with the scheme of its tool. */
static char *pin_url(const struct eb_pin *p)
{
	if (p->source != EB_PIN_VCS)
		return eb_strdup(p->url);
	return eb_asprintf("%s+%s@%s%s%s", p->vcs, p->url, p->commit,
			   p->subdirectory ? "#subdirectory=" : "",
			   p->subdirectory ? p->subdirectory : "");
}

/* A commit stands for its bytes. */
static int put_pin(struct writer *w, const struct eb_pin *p,
		   struct eb_error *err)
{
	eb_autofree char *url = NULL;
	char hex[EB_HEX_SIZE];

	if (eb_pin_has_place(p, err) < 0)
		return -1;
	url = pin_url(p);
	put_head(w, p->name, p->version, "pip");
	eb_buf_adds(w->out, "  dependencies: {}\n");
	put(w, "  url", url);
	eb_buf_adds(w->out, "  hash:\n");
	put(w, "    sha256",
	    p->commit ? p->commit : eb_digest_hex(&p->sha256, hex));
	eb_buf_adds(w->out, "  category: main\n  optional: false\n");
	return 0;
}

int eb_lock_conda_lock(const struct eb_lock *lock, struct eb_buf *out,
		       struct eb_error *err)
{
	struct writer w = { .lock = lock,
			    .subdir = eb_conda_subdir(lock->platform),
			    .out = out };
	eb_autofree const struct eb_record **record =
		eb_lock_in_link_order(lock, err);

	if (!record)
		return -1;
	put_metadata(&w);
	eb_buf_addf(out, "package:%s\n", lock->n + lock->n_pins ? "" : " []");
	for (size_t i = 0; i < lock->n; i++)
		put_record(&w, record[i]);
	for (size_t i = 0; i < lock->n_pins; i++)
		if (put_pin(&w, &lock->pin[i], err) < 0)
			return -1;
	return 0;
}
