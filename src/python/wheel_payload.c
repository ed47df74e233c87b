/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Members of a wheel as entries: their content stays where it is, deflated,
 * with the sha256 that it has to have.
 *
 * An entry's note says what the row of RECORD has to be where the entry does
 * not tell it (eb_wheel_note).
 */
#include <string.h>
#include <sys/stat.h>

#include "wheel_int.h"

/* Where an entry comes from. */
struct source {
	const struct eb_zipdir_member *m; /* NULL: a launcher */
	unsigned rows;
	bool rewritten;
};

struct making {
	const struct eb_wheel *w;
	const struct eb_wheel_target *t;
	struct eb_events *events;
	struct eb_entries *out;
	struct source *source; /* one an entry */
};

/* Programs that setuptools once put in for entry points: those are ours. */
static bool is_wrapper(const struct eb_wheel *w, const char *path)
{
	static const char *const suffix[] = { ".exe", "-script.py", ".pya" };
	eb_autofree char *name = eb_strdup(strrchr(path, '/') + 1);
	eb_autofree char *lower = eb_strdup(name);

	eb_lower(lower);
	for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++) {
		if (!eb_ends(lower, suffix[i]))
			continue;
		name[strlen(name) - strlen(suffix[i])] = '\0';
		break;
	}
	return eb_wheel_points_have(&w->points, name);
}

static bool is_executable(const struct eb_zipdir_member *m)
{
	return S_ISREG(m->mode) && (m->mode & 0111);
}

static void add_packed(struct making *k, const struct eb_zipdir_member *m,
		       const struct eb_wheel_place *place)
{
	struct eb_entry *e = eb_entries_add(k->out, place->path, EB_ENTRY_FILE);

	e->mode = place->script || is_executable(m) ? 0755 : 0644;
	e->mtime = eb_wheel_mtime(k->t);
	e->sha256 = eb_wheel_row_of(k->w, m)->sha256;
	e->size = m->size;
	e->deflated = eb_calloc(1, sizeof *e->deflated);
	*e->deflated = (struct eb_deflated){ .fd = k->w->zip.fd,
					     .offset = m->offset,
					     .packed = m->packed,
					     .crc32 = m->crc32,
					     .stored = m->stored };
}

/* A signature may come without a sum; it is read to get one. */
static int add_unsummed(struct making *k, const struct eb_zipdir_member *m,
			const struct eb_wheel_place *place,
			struct eb_error *err)
{
	eb_autofree char *content = NULL;

	if (eb_wheel_text(k->w, m, &content, err) < 0)
		return -1;
	return eb_entries_add_file(
		k->out, place->path, is_executable(m) ? 0755 : 0644,
		eb_wheel_mtime(k->t), content, (size_t)m->size, err);
}

static int take(struct making *k, const struct eb_zipdir_member *m,
		struct eb_error *err)
{
	const struct eb_wheel_row *row = eb_wheel_row_of(k->w, m);
	struct eb_wheel_place place;
	eb_autofree char *path = NULL;
	int rewritten = 0;

	if (eb_wheel_map(k->w, m->name, k->t, &place, err) < 0)
		return -1;
	path = place.path;
	if (!path || (place.script && is_wrapper(k->w, path)))
		return 0;
	if (place.script)
		rewritten =
			eb_wheel_add_script(k->w, m, path, k->t, k->out, err);
	if (rewritten < 0)
		return -1;
	if (!rewritten && row->has_sha256)
		add_packed(k, m, &place);
	else if (!rewritten && add_unsummed(k, m, &place, err) < 0)
		return -1;
	k->source[k->out->n - 1] =
		(struct source){ m, row->times, rewritten > 0 };
	return 0;
}

static int take_all(struct making *k, struct eb_error *err)
{
	for (size_t i = 0; i < k->w->zip.n; i++) {
		const struct eb_zipdir_member *m = &k->w->zip.member[i];

		if (!m->folder && take(k, m, err) < 0)
			return -1;
	}
	return 0;
}

static int by_path(const void *a, const void *b)
{
	const struct eb_entry *x = *(struct eb_entry *const *)a;
	const struct eb_entry *y = *(struct eb_entry *const *)b;
	int order = strcmp(x->path, y->path);

	return order ? order : (x > y) - (x < y);
}

static void drop(struct eb_entry *e)
{
	free(eb_steal(e->path));
	free(eb_steal(e->deflated));
}

/* Two entries with one path: the program of an entry point wins, two members
 * with the same content are one. `b` came later, and stays. */
static int join(struct making *k, struct eb_entry *a, struct eb_entry *b,
		struct eb_error *err)
{
	struct source *from = &k->source[a - k->out->entry];
	struct source *to = &k->source[b - k->out->entry];

	if (!to->m) {
		eb_detail(k->events,
			  "\"%s\": \"%s\" is replaced by the entry point of "
			  "that name",
			  k->w->what, a->path);
		drop(a);
		return 0;
	}
	if (!eb_digest_equal(&a->sha256, &b->sha256) || a->size != b->size)
		return eb_wheel_bad(k->w, err,
				    "has two members, \"%s\" and \"%s\", that "
				    "both become \"%s\"",
				    from->m->name, to->m->name, a->path);
	to->rows += from->rows;
	if (a->mode > b->mode)
		b->mode = a->mode;
	drop(a);
	return 0;
}

static int join_all(struct making *k, struct eb_error *err)
{
	size_t n = k->out->n;
	eb_autofree struct eb_entry **e = eb_calloc(n + 1, sizeof *e);

	for (size_t i = 0; i < n; i++)
		e[i] = &k->out->entry[i];
	qsort(e, n, sizeof *e, by_path);
	for (size_t i = 0; i + 1 < n; i++) {
		if (strcmp(e[i]->path, e[i + 1]->path) == 0 &&
		    join(k, e[i], e[i + 1], err) < 0)
			return -1;
	}
	return 0;
}

static void note_all(struct making *k)
{
	size_t n = 0;

	for (size_t i = 0; i < k->out->n; i++) {
		struct eb_entry *e = &k->out->entry[i];
		const struct source *s = &k->source[i];
		const struct eb_wheel_row *row =
			s->m ? eb_wheel_row_of(k->w, s->m) : NULL;

		if (!e->path)
			continue;
		if (row)
			e->note = eb_wheel_note(s->rewritten ? NULL : row->hash,
						!s->rewritten && row->no_size,
						s->rows);
		k->out->entry[n++] = *e;
	}
	k->out->n = n;
}

static int make(struct making *k, struct eb_error *err)
{
	struct eb_wheel_points points;
	int rc;

	eb_wheel_points_for(&k->w->points, k->t->python_minor, &points);
	k->source = eb_calloc(k->w->zip.n + points.n + 1, sizeof *k->source);
	rc = take_all(k, err);
	if (rc == 0)
		rc = eb_wheel_add_launchers(k->w, &points, k->t, k->out, err);
	eb_wheel_points_release(&points);
	if (rc < 0 || join_all(k, err) < 0)
		return -1;
	note_all(k);
	return eb_entries_sort(k->out, k->w->what, err);
}

int eb_wheel_payload(struct eb_wheel *w, const struct eb_wheel_target *t,
		     struct eb_entries *out, struct eb_events *events,
		     struct eb_error *err)
{
	struct making k = { .w = w, .t = t, .events = events, .out = out };
	int rc;

	*out = (struct eb_entries){ 0 };
	rc = make(&k, err);
	free(k.source);
	if (rc < 0)
		eb_entries_release(out);
	else if (w->format)
		eb_warn(events, "\"%s\" is of Wheel-Version %s; 1.0 is known",
			w->what, w->format);
	return rc;
}
