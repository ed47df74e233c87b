/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Following names: from those that are asked for to all that their records can
 * need, in every source. What is not here yet is fetched on the way, many at
 * once; each shard that arrives is read at once and may ask for more.
 */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <string.h>

#include <envbuild/file.h>
#include <envbuild/mem.h>

#include "channel_url.h"
#include "repodata_shards_int.h"

struct walk {
	struct eb_rd_load *l;
	struct eb_strv name; /* seen; those from `next` on are to be followed */
	size_t next;
	uint32_t *slot, slots; /* of seen names */
	size_t fetched;
	bool lost; /* a source's shards are not to be had */
	struct eb_error err;
};

/* One shard on its way. */
struct fetch {
	struct walk *w;
	struct eb_rd_shards *shards;
	const struct eb_rd_entry *entry;
	struct eb_channel_ways ways;
	char *shown;
	struct eb_buf body;
	struct eb_http_request request;
	bool again; /* it came with another digest once */
};

/* --- names ----------------------------------------------------------- */

static uint32_t *place(const struct walk *w, const char *name)
{
	uint32_t i = eb_rd_hash(name), mask = w->slots - 1;

	while (w->slot[i & mask] &&
	       strcmp(w->name.v[w->slot[i & mask] - 1], name))
		i++;
	return &w->slot[i & mask];
}

static void grow(struct walk *w)
{
	if (2 * w->name.n < w->slots)
		return;
	free(w->slot);
	w->slots = w->slots ? 2 * w->slots : 1024;
	w->slot = eb_calloc(w->slots, sizeof *w->slot);
	for (size_t i = 0; i < w->name.n; i++)
		*place(w, w->name.v[i]) = (uint32_t)i + 1;
}

static void want_all(struct walk *w, const char *glob);
static void want_without(struct walk *w, const char *name);

static void want(void *data, const char *name)
{
	struct walk *w = data;
	uint32_t *slot;

	grow(w);
	slot = place(w, name);
	if (*slot)
		return;
	*slot = (uint32_t)w->name.n + 1;
	eb_strv_add(&w->name, name);
	if (eb_ends(name, EB_RD_EXTRAS))
		want_without(w, name);
	if (strchr(name, '*'))
		want_all(w, name);
}

/* "x[]" wants what groups of x need, too. */
static void want_without(struct walk *w, const char *name)
{
	eb_autofree char *bare =
		eb_strndup(name, strlen(name) - strlen(EB_RD_EXTRAS));

	want(w, bare);
}

static void want_all(struct walk *w, const char *glob)
{
	size_t n;
	const char *const *name = eb_rd_names(w->l->rd, &n);

	for (size_t i = 0; i < n; i++)
		if (!strchr(name[i], '*') && !fnmatch(glob, name[i], 0))
			want(w, name[i]);
}

static bool is_wanted(const struct walk *w, const char *name)
{
	return *place(w, name) != 0;
}

/* What a name needs whose records are here. */
static void follow_here(struct walk *w, const struct eb_rd_head *h,
			const char *name)
{
	eb_autofree char *extras = eb_asprintf("%s%s", name, EB_RD_EXTRAS);

	eb_rd_each_need(h, name, false, want, w);
	if (is_wanted(w, extras))
		eb_rd_each_need(h, name, true, want, w);
}

/* --- one shard ------------------------------------------------------- */

static void free_fetch(struct fetch *f)
{
	eb_http_request_release(&f->request);
	eb_buf_release(&f->body);
	eb_channel_ways_release(&f->ways);
	free(f->shown);
	free(f);
}

/* The first error ends the walk; what may be made good by the channel's whole
 * repodata, or by a mirror, stays with its source. */
static void give_up(struct walk *w, struct eb_rd_shards *s, bool made_good,
		    struct eb_error *err)
{
	made_good |= eb_rd_has_more(s->job);
	if (made_good && !eb_err_is_set(&s->failed))
		eb_err_move(&s->failed, err);
	else if (!made_good && !eb_err_is_set(&w->err))
		eb_err_move(&w->err, err);
	w->lost |= made_good;
	eb_err_release(err);
}

static bool is_right(const struct fetch *f)
{
	struct eb_digest found;

	eb_sha256(f->body.data, f->body.len, &found);
	return !memcmp(found.byte, f->entry->sha256, sizeof found.byte);
}

static int wrong_digest(const struct fetch *f, struct eb_error *err)
{
	struct eb_digest found;
	char hex[EB_HEX_SIZE];

	eb_sha256(f->body.data, f->body.len, &found);
	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s\": reading a shard: its sha256 is %s", f->shown,
			  eb_digest_hex(&found, hex));
}

/* Read what has arrived, and follow it. */
static void arrive(struct fetch *f)
{
	struct walk *w = f->w;
	struct eb_rd_shards *s = f->shards;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_rd_head *h =
		eb_rd_shard_read(f->body.data, f->body.len, s->job->dir_url,
				 f->shown, &s->bad, w->l->events, &err);

	if (!h) {
		give_up(w, s, true, &err);
		return;
	}
	w->fetched++;
	eb_rd_shards_set(s, f->entry, h);
	follow_here(w, h, eb_rd_bundle_text(s->table, f->entry->name));
}

static void follow(struct walk *w);
static void ask(struct fetch *f);

/* Not there: a server's copies may lag behind its index. */
static bool is_gone(const struct eb_http_request *r)
{
	return r->status == 404 || r->status == 410 || r->status == 403;
}

/* In the loop, once the transfer has ended. */
static void done(void *data, struct eb_http_request *r)
{
	struct fetch *f = data;
	struct eb_error err = EB_ERROR_INIT;

	if (eb_err_is_set(&r->err)) {
		eb_err_move(&err, &r->err);
		give_up(f->w, f->shards, is_gone(r), &err);
	} else if (is_right(f)) {
		arrive(f);
	} else if (!f->again) {
		f->again = true;
		ask(f);
		return;
	} else {
		wrong_digest(f, &err);
		give_up(f->w, f->shards, false, &err);
	}
	if (!eb_err_is_set(&f->w->err))
		follow(f->w);
	free_fetch(f);
}

static void ask(struct fetch *f)
{
	struct eb_http_request *r = &f->request;

	eb_buf_reset(&f->body);
	eb_http_request_release(r);
	memset(r, 0, sizeof *r);
	eb_channel_way_ask(&f->ways.way[0], r);
	r->fd = -1;
	r->text = &f->body;
	r->max_bytes = EB_RD_MAX_SHARD;
	r->done = done;
	r->data = f;
	eb_http_add(f->w->l->http, r);
}

static void read_local(struct fetch *f, const char *path)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofd int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		eb_err_errno(&err, EB_INPUT, errno, "\"%s\": opening", path);
		give_up(f->w, f->shards, errno == ENOENT, &err);
	} else if (eb_read_fd(fd, path, EB_RD_MAX_SHARD, &f->body, &err) < 0) {
		give_up(f->w, f->shards, true, &err);
	} else if (!is_right(f)) {
		wrong_digest(f, &err);
		give_up(f->w, f->shards, false, &err);
	} else {
		arrive(f);
	}
	free_fetch(f);
}

static void offline(struct walk *w, struct eb_rd_shards *s, struct fetch *f)
{
	struct eb_error err = EB_ERROR_INIT;

	eb_err_set(&err, EB_NETWORK,
		   "\"%s\", the shard of %s: not in the store, and --offline "
		   "forbids to ask for it",
		   f->shown, eb_rd_bundle_text(s->table, f->entry->name));
	give_up(w, s, true, &err);
	free_fetch(f);
}

static void ask_for(struct walk *w, struct eb_rd_shards *s, struct fetch *f)
{
	struct eb_error err = EB_ERROR_INIT;

	if (eb_channel_way_to(w->l->channels, NULL, f->shown, &f->ways, &err) ==
	    0) {
		ask(f);
		return;
	}
	give_up(w, s, false, &err);
	free_fetch(f);
}

static void fetch(struct walk *w, struct eb_rd_shards *s,
		  const struct eb_rd_entry *e)
{
	struct fetch *f = eb_calloc(1, sizeof *f);
	struct eb_digest digest;
	char hex[EB_HEX_SIZE];
	eb_autofree char *path = NULL;

	memcpy(digest.byte, e->sha256, sizeof digest.byte);
	f->w = w;
	f->shards = s;
	f->entry = e;
	eb_buf_init(&f->body, EB_RD_MAX_SHARD + 1);
	f->shown =
		eb_asprintf("%s%s.msgpack.zst",
			    eb_rd_bundle_text(s->table, s->table->shards_url),
			    eb_digest_hex(&digest, hex));
	path = eb_channel_file_path(f->shown);
	if (path) {
		read_local(f, path);
	} else if (w->l->options->offline) {
		offline(w, s, f);
	} else {
		ask_for(w, s, f);
	}
}

/* --- the walk -------------------------------------------------------- */

static void follow_in(struct walk *w, struct eb_rd_source *source,
		      const char *name)
{
	struct eb_rd_shards *s = source->shards;
	const struct eb_rd_entry *e =
		s ? eb_rd_bundle_find(s->table, name) : NULL;
	const struct eb_rd_head *h =
		e ? eb_rd_shards_segment_of(s, e) : source->head;

	if (h)
		follow_here(w, h, name);
	else if (e && !eb_err_is_set(&s->failed))
		fetch(w, s, e);
}

/* What is on its way is followed when it arrives. */
static void follow_extras(struct walk *w, struct eb_rd_source *source,
			  const char *name)
{
	const struct eb_rd_head *h = eb_rd_segment(source, name);

	if (h)
		eb_rd_each_need(h, name, true, want, w);
}

static void follow(struct walk *w)
{
	while (w->next < w->name.n && !eb_err_is_set(&w->err)) {
		eb_autofree char *name = eb_strdup(w->name.v[w->next++]);
		bool extras = eb_ends(name, EB_RD_EXTRAS);

		if (extras)
			name[strlen(name) - strlen(EB_RD_EXTRAS)] = '\0';
		for (size_t i = 0; i < w->l->rd->n_sources; i++)
			(extras ? follow_extras
				: follow_in)(w, &w->l->rd->source[i], name);
	}
}

static void begin(struct walk *w)
{
	const struct eb_repodata_options *o = w->l->options;
	char glob[EB_RD_MAX_NAME];

	want(w, o->spec ? "pip" : "*");
	for (size_t i = 0; o->spec && i < o->n_specs; i++) {
		const char *name = eb_matchspec_name(o->spec[i]);
		eb_autofree char *extras = NULL;

		if (name && eb_matchspec_extras(o->spec[i])->n)
			extras = eb_asprintf("%s%s", name, EB_RD_EXTRAS);
		if (name)
			want(w, extras ? extras : name);
		else if (eb_rd_need_name(eb_matchspec_text(o->spec[i]), glob))
			want(w, glob);
	}
}

static int walk_once(struct eb_rd_load *l, bool *lost, struct eb_error *err)
{
	struct walk w = { .l = l };
	int rc = 0;

	begin(&w);
	follow(&w);
	if (l->http && !l->options->offline)
		rc = eb_http_run(l->http, err);
	if (w.fetched)
		eb_detail(l->events, "%zu shards were read", w.fetched);
	*lost = w.lost;
	eb_strv_release(&w.name);
	free(w.slot);
	if (rc < 0 || !eb_err_is_set(&w.err)) {
		eb_err_release(&w.err);
		return rc;
	}
	eb_err_move(err, &w.err);
	return -1;
}

/* --- what to do without ---------------------------------------------- */

/* The job's whole repodata, at the same place or at the next one. */
static int read_otherwise(struct eb_rd_load *l, struct eb_rd_shards *s,
			  struct eb_error *err)
{
	struct eb_rd_job *job = s->job;

	if (eb_rd_read_instead(l, job, &job->file[EB_RD_SHARDS], &s->failed,
			       err) >= 0)
		return 0;
	if (!eb_rd_next_place(job))
		return -1;
	eb_warn(l->events, "%s; \"%s\" is asked instead", err->message,
		job->at_url);
	eb_err_release(err);
	if (eb_rd_fetch(l, err) < 0 || eb_rd_read_places(l, job, err) < 0)
		return -1;
	return job->found ? 0
			  : eb_err_set(err, EB_NETWORK,
				       "\"%s\": downloading: not there",
				       job->at_url);
}

/* What was read otherwise in the place of the shards. */
static int replace(struct eb_rd_load *l, size_t i, struct eb_error *err)
{
	struct eb_repodata *rd = l->rd;
	struct eb_rd_shards *s = rd->source[i].shards;
	struct eb_rd_source fresh;

	if (read_otherwise(l, s, err) < 0)
		return eb_err_prefix(err, "channel \"%s\"",
				     s->job->channel->name);
	fresh = rd->source[--rd->n_sources];
	rd->source[rd->n_sources] = rd->source[i];
	rd->source[i] = fresh;
	eb_rd_source_release(&rd->source[rd->n_sources]);
	eb_rd_index_drop(rd);
	return 0;
}

static int replace_lost(struct eb_rd_load *l, struct eb_error *err)
{
	for (size_t i = 0; i < l->rd->n_sources; i++) {
		struct eb_rd_shards *s = l->rd->source[i].shards;

		if (s && eb_err_is_set(&s->failed) && replace(l, i, err) < 0)
			return -1;
	}
	return 0;
}

static int keep_all(struct eb_rd_load *l, struct eb_error *err)
{
	for (size_t i = 0; i < l->rd->n_sources; i++) {
		struct eb_rd_shards *s = l->rd->source[i].shards;

		if (!s)
			continue;
		if (s->bad)
			eb_warn(l->events,
				"\"%s\": %zu malformed record%s left out",
				s->file->key, s->bad,
				s->bad == 1 ? " is" : "s are");
		if (eb_rd_shards_keep(l, s, err) < 0)
			return -1;
	}
	return 0;
}

int eb_rd_shards_walk(struct eb_rd_load *l, struct eb_error *err)
{
	bool any = false, lost = true;

	for (size_t i = 0; i < l->rd->n_sources; i++)
		any |= l->rd->source[i].shards != NULL;
	while (any && lost) {
		if (walk_once(l, &lost, err) < 0 ||
		    (lost && replace_lost(l, err) < 0))
			return -1;
	}
	return any ? keep_all(l, err) : 0;
}
