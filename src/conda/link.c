/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linking: the members of a package that it lists become payload entries
 * below the prefix.
 *
 * An entry's note is what its conda-meta record says of it beyond what the
 * entry itself says: one JSON object without white space,
 *
 *	{"h":"/old/prefix","l":true,"m":"text","n":12,"s":"<64 hex>"}
 *
 *	p  path_type, where it is not hardlink for a file, softlink for a
 *	   link, directory for a folder
 *	s  sha256 of the file as it is in the package (of a link: of the file
 *	   that it leads to), where it is not that of the entry
 *	n  size_in_bytes likewise
 *	h  prefix_placeholder, and m its file_mode: "text" or "binary"
 *	l  true: no_link
 *
 * and no note where nothing is left to say.
 */
#include <string.h>

#include <envbuild/json.h>

#include "link_int.h"
#include "member_paths.h"

/* Raised when the same package would give another payload. */
#define EB_PAYLOAD_EPOCH 1

#define NAMES_SHOWN 5
#define SETTLE_MAX 40

struct linking {
	struct eb_package *p;
	const struct eb_link_target *t;
	struct eb_link_paths listed;
	struct eb_link_noarch noarch;
	struct eb_entries *out;
	struct eb_events *events;
	struct eb_strv unlisted, outside;
};

void eb_link_key(const struct eb_record *r, const struct eb_link_target *t,
		 struct eb_digest *key)
{
	bool python = eb_link_may_be_python(r);
	struct eb_keyer k;

	eb_key_begin(&k, "conda-payload");
	eb_key_u64(&k, EB_PAYLOAD_EPOCH);
	if (r->has_sha256)
		eb_key_digest(&k, &r->sha256);
	else
		eb_key_text(&k, r->md5);
	eb_key_text(&k, t->prefix);
	eb_key_u64(&k, (uint64_t)t->source_date_epoch);
	eb_key_u64(&k, python);
	eb_key_u64(&k, r->noarch == EB_NOARCH_PYTHON);
	eb_key_text(&k, python ? t->python_minor : NULL);
	eb_key_text(&k, python ? t->site_packages : NULL);
	eb_key_end(&k, key);
}

int64_t eb_link_mtime(const struct eb_link_target *t, int64_t mtime)
{
	if (t->source_date_epoch && mtime > t->source_date_epoch)
		return t->source_date_epoch;
	return mtime;
}

static void set(json_t *j, const char *key, json_t *value)
{
	if (json_object_set_new(j, key, value) < 0)
		eb_oom();
}

char *eb_link_note(const struct eb_entry *e, const char *type,
		   const struct eb_link_path *l)
{
	eb_autojson json_t *j = json_object();
	char hex[EB_HEX_SIZE];
	bool file = e->type == EB_ENTRY_FILE;
	EB_AUTOBUF(text, EB_MAX_TEXT);

	if (!j)
		eb_oom();
	if (type)
		set(j, "p", json_string(type));
	if (l && l->has_sha256 &&
	    !(file && eb_digest_equal(&l->sha256, &e->sha256)))
		set(j, "s", json_string(eb_digest_hex(&l->sha256, hex)));
	if (l && l->has_size && !(file && l->size == e->size))
		set(j, "n", json_integer((json_int_t)l->size));
	if (l && l->placeholder && file) {
		set(j, "h", json_string(l->placeholder));
		set(j, "m", json_string(l->text ? "text" : "binary"));
	}
	if (l && l->no_link)
		set(j, "l", json_true());
	if (json_object_size(j) == 0)
		return NULL;
	eb_json_canonical(j, &text);
	return eb_buf_steal(&text, NULL);
}

static int refuse_sum(const struct linking *k, const struct eb_entry *e,
		      const struct eb_link_path *l, struct eb_error *err)
{
	char is[EB_HEX_SIZE], should[EB_HEX_SIZE];
	eb_autofree char *path = eb_printable_line(e->path);

	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s\", checking \"%s\": its sha256 is %s, \"%s\" "
			  "says %s",
			  k->p->what, path, eb_digest_hex(&e->sha256, is),
			  k->listed.source, eb_digest_hex(&l->sha256, should));
}

static int refuse_size(const struct linking *k, const struct eb_entry *e,
		       const struct eb_link_path *l, struct eb_error *err)
{
	eb_autofree char *path = eb_printable_line(e->path);

	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s\", checking \"%s\": it has %llu bytes, \"%s\" "
			  "says %llu",
			  k->p->what, path, (unsigned long long)e->size,
			  k->listed.source, (unsigned long long)l->size);
}

static int check_content(const struct linking *k, const struct eb_entry *e,
			 const struct eb_link_path *l, struct eb_error *err)
{
	if (e->type != EB_ENTRY_FILE)
		return 0;
	if (l->has_size && l->size != e->size)
		return refuse_size(k, e, l, err);
	if (l->has_sha256 && !eb_digest_equal(&l->sha256, &e->sha256))
		return refuse_sum(k, e, l, err);
	return 0;
}

static bool is_at_or_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	return strncmp(path, folder, n) == 0 && (!path[n] || path[n] == '/');
}

/* A link into the prefix of the build leads into ours; all others stay as
 * they are, and those that lead out of it are told. */
static char *link_target(struct linking *k, const struct eb_entry *from,
			 const struct eb_link_path *l)
{
	const char *target = from->target;
	eb_autofree char *inside = NULL;

	if (l->placeholder && is_at_or_below(target, l->placeholder))
		return eb_asprintf("%s%s", k->t->prefix,
				   target + strlen(l->placeholder));
	if (*target != '/')
		inside = eb_member_paths_join(from->path, target);
	if (!inside && !is_at_or_below(target, k->t->prefix))
		eb_strv_addf(&k->outside, "\"%s\" to \"%s\"", from->path,
			     target);
	return eb_strdup(target);
}

/* What is known of the original goes into the note, even where the package
 * lists no sums. */
static void know(struct eb_link_path *l, const struct eb_entry *from)
{
	if (from->type != EB_ENTRY_FILE)
		return;
	l->sha256 = from->sha256;
	l->size = from->size;
	l->has_sha256 = l->has_size = true;
}

static int take(struct linking *k, const struct eb_entry *from,
		struct eb_link_path *l, struct eb_error *err)
{
	eb_autofree char *path =
		eb_link_noarch_map(&k->noarch, k->t, from->path);
	struct eb_entry *e;

	if (check_content(k, from, l, err) < 0)
		return -1;
	know(l, from);
	e = eb_entries_add(k->out, path, from->type);
	e->mode = from->type == EB_ENTRY_FILE ? from->mode : 0755;
	e->mtime = eb_link_mtime(k->t, from->mtime);
	e->sha256 = from->sha256;
	e->spool = from->spool;
	e->offset = from->offset;
	e->size = from->size;
	if (from->type == EB_ENTRY_LINK)
		e->target = link_target(k, from, l);
	if (from->type == EB_ENTRY_FILE && l->placeholder &&
	    eb_link_replace(k->p, l, k->t->prefix, e, err) < 0)
		return -1;
	e->note = eb_link_note(e, NULL, l);
	return 0;
}

/* A folder in the archive counts only where it is listed as one. */
static int take_all(struct linking *k, struct eb_error *err)
{
	for (size_t i = 0; i < k->p->files.n; i++) {
		const struct eb_entry *from = &k->p->files.entry[i];
		bool folder = from->type == EB_ENTRY_DIR;
		struct eb_link_path *l =
			eb_link_paths_find(&k->listed, from->path);

		if (!l && !folder)
			eb_strv_add(&k->unlisted, from->path);
		if (!l || l->is_folder || folder)
			continue;
		l->seen = true;
		if (take(k, from, l, err) < 0)
			return -1;
	}
	return 0;
}

static void take_folder(struct linking *k, const struct eb_link_path *l)
{
	eb_autofree char *path = eb_link_noarch_map(&k->noarch, k->t, l->path);
	struct eb_entry *e = eb_entries_add(k->out, path, EB_ENTRY_DIR);

	e->mode = 0755;
	e->mtime = eb_link_mtime(k->t, EB_FIXED_MTIME);
}

static int refuse_missing(const struct linking *k, const struct eb_link_path *l,
			  struct eb_error *err)
{
	eb_autofree char *path = eb_printable_line(l->path);

	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s\" has no member \"%s\", which \"%s\" lists",
			  k->p->what, path, k->listed.source);
}

static int take_rest(struct linking *k, struct eb_error *err)
{
	for (size_t i = 0; i < k->listed.n; i++) {
		const struct eb_link_path *l = &k->listed.path[i];

		if (l->is_folder)
			take_folder(k, l);
		else if (!l->seen)
			return refuse_missing(k, l, err);
	}
	return 0;
}

static void tell_names(struct eb_buf *text, const struct eb_strv *names)
{
	for (size_t i = 0; i < names->n && i < NAMES_SHOWN; i++) {
		eb_autofree char *name = eb_printable_line(names->v[i]);

		eb_buf_addf(text, "%s%s", i ? ", " : " ", name);
	}
	if (names->n > NAMES_SHOWN)
		eb_buf_addf(text, " and %zu more", names->n - NAMES_SHOWN);
}

static void tell(const struct linking *k)
{
	EB_AUTOBUF(names, EB_MAX_TEXT);

	if (k->unlisted.n) {
		tell_names(&names, &k->unlisted);
		eb_detail(k->events, "\"%s\": not in \"%s\", left out:%s",
			  k->p->what, k->listed.source, names.data);
		eb_buf_reset(&names);
	}
	if (k->outside.n) {
		tell_names(&names, &k->outside);
		eb_warn(k->events, "\"%s\": links lead out of the prefix:%s",
			k->p->what, names.data);
		eb_buf_reset(&names);
	}
	if (k->p->setid.n) {
		tell_names(&names, &k->p->setid);
		eb_warn(k->events,
			"\"%s\": the setuid or setgid bit is cleared:%s",
			k->p->what, names.data);
	}
}

/* Folders that something lies in are made without being asked for. */
static void drop_full_folders(const struct eb_member_paths *m,
			      struct eb_entries *out)
{
	size_t n = 0;

	for (size_t i = 0; i + 1 < m->n; i++) {
		struct eb_entry *e = m->entry[i];

		if (e->type == EB_ENTRY_DIR &&
		    is_at_or_below(m->entry[i + 1]->path, e->path))
			free(eb_steal(e->path));
	}
	for (size_t i = 0; i < out->n; i++) {
		if (out->entry[i].path)
			out->entry[n++] = out->entry[i];
		else
			free(out->entry[i].note);
	}
	out->n = n;
}

/* Two members may have come to one place by being mapped, or through links. */
static int settle(struct linking *k, struct eb_error *err)
{
	long changed = 1;

	for (int i = 0; changed > 0; i++) {
		struct eb_member_paths m EB_CLEANUP(
			eb_member_paths_release) = { 0 };

		eb_member_paths_init(&m, k->out);
		if (eb_member_paths_check(&m, k->p->what, err) < 0)
			return -1;
		changed = eb_member_paths_resolve(&m, k->t->prefix + 1, false,
						  k->p->what, err);
		if (changed == 0)
			drop_full_folders(&m, k->out);
		if (i == SETTLE_MAX)
			return eb_err_set(err, EB_INPUT,
					  "\"%s\" has links below links "
					  "without end",
					  k->p->what);
	}
	return (int)changed;
}

static int link_all(struct linking *k, const struct eb_record *r,
		    struct eb_error *err)
{
	if (eb_link_noarch_read(k->p, r, k->t, &k->noarch, err) < 0)
		return -1;
	if (eb_link_paths_read(k->p, &k->listed, err) < 0)
		return -1;
	if (take_all(k, err) < 0 || take_rest(k, err) < 0)
		return -1;
	if (k->noarch.python &&
	    eb_link_entry_points(k->p, &k->noarch, k->t, k->out, k->events,
				 err) < 0)
		return -1;
	if (settle(k, err) < 0)
		return -1;
	tell(k);
	return eb_entries_sort(k->out, k->p->what, err);
}

static void move_spools(struct eb_package *p, struct eb_entries *out)
{
	for (size_t i = 0; i < p->files.n_spools; i++)
		eb_entries_take_spool(out, p->files.spool[i]);
	p->files.n_spools = 0;
}

int eb_link_payload(struct eb_package *p, const struct eb_record *r,
		    const struct eb_link_target *t, struct eb_entries *out,
		    struct eb_events *events, struct eb_error *err)
{
	struct linking k = { .p = p, .t = t, .out = out, .events = events };
	int rc;

	*out = (struct eb_entries){ 0 };
	rc = link_all(&k, r, err);
	eb_link_paths_release(&k.listed);
	eb_link_noarch_release(&k.noarch);
	eb_strv_release(&k.unlisted);
	eb_strv_release(&k.outside);
	if (rc < 0)
		eb_entries_release(out);
	else
		move_spools(p, out);
	return rc;
}
