/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collecting: rows go in one transaction, files after it. A kill between the
 * two leaves blobs that nothing names, which the next collection removes.
 */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/str.h>

#include "store_priv.h"

struct gc {
	struct eb_store *s;
	const struct eb_gc_options *options;
	struct eb_events *events;
	struct eb_store_report *out;
	struct eb_digest_set named;
};

static int run(struct gc *g, const char *sql, int64_t cut, struct eb_error *err)
{
	return eb_db_run(g->s->db, sql, NULL, NULL, err, "i", cut);
}

static int drop_unused(struct gc *g, int64_t cut, struct eb_error *err)
{
	static const char images[] = "DELETE FROM image WHERE used <= ?";
	static const char facts[] = "DELETE FROM fact WHERE used <= ?";

	return run(g, images, cut, err) < 0 ? -1 : run(g, facts, cut, err);
}

static int drop_old(struct gc *g, struct eb_error *err)
{
	static const char locks[] = "DELETE FROM lock WHERE time <= ? AND lock "
				    "NOT IN (SELECT lock FROM image)";
	int64_t now = eb_store_now_us(), age = g->options->max_age_s;

	if (age <= 0 || age > now / 1000000)
		return 0;
	if (drop_unused(g, now - age * 1000000, err) < 0)
		return -1;
	return run(g, locks, now / 1000000 - age, err);
}

struct fit {
	struct gc *g;
	uint64_t total;
	int64_t cut; /* INT64_MIN: everything fits */
};

/* Blobs come by last use, the newest first: the first that does not fit any
 * more tells up to which use everything has to go. */
static int fit_row(void *data, const struct eb_db_row *row,
		   struct eb_error *err)
{
	struct fit *f = data;
	eb_autofd int fd = -1;
	struct eb_digest d;
	uint64_t size = 0;

	eb_row_digest(row, 0, &d);
	if (eb_store_blob(f->g->s, &d, &fd, &size, err) < 0)
		return -1;
	f->total += size;
	if (f->total <= f->g->options->max_bytes)
		return 0;
	f->cut = eb_db_int(row, 1);
	return 1;
}

static int drop_to_fit(struct gc *g, struct eb_error *err)
{
	static const char sql[] =
		"SELECT blob, max(used) AS last FROM reached GROUP BY blob "
		"ORDER BY last DESC";
	struct fit f = { g, 0, INT64_MIN };

	if (g->options->max_bytes == 0)
		return 0;
	if (eb_db_run(g->s->db, sql, fit_row, &f, err, "") < 0)
		return -1;
	return f.cut == INT64_MIN ? 0 : drop_unused(g, f.cut, err);
}

static int drop_unreached(struct gc *g, struct eb_error *err)
{
	static const char *const sql[] = {
		"DELETE FROM image_blob WHERE manifest NOT IN "
		"(SELECT manifest FROM image)",
		"DELETE FROM item WHERE kind = 'L' AND blob NOT IN "
		"(SELECT blob FROM image_blob)",
		"DELETE FROM layer_part WHERE NOT EXISTS (SELECT 1 FROM item "
		"WHERE kind = 'L' AND key = layer_part.layer AND "
		"item.compressor = layer_part.compressor)",
		"DELETE FROM item WHERE kind = 'P' AND NOT EXISTS (SELECT 1 "
		"FROM layer_part WHERE part = item.key AND "
		"layer_part.compressor = item.compressor)",
	};
	size_t i;

	for (i = 0; i < sizeof sql / sizeof *sql; i++)
		if (eb_db_run(g->s->db, sql[i], NULL, NULL, err, "") < 0)
			return -1;
	return 0;
}

static int count_rows(void *data, const struct eb_db_row *row,
		      struct eb_error *err)
{
	struct gc *g = data;

	(void)err;
	g->out->rows = (uint64_t)eb_db_int(row, 0);
	return 1;
}

static int choose(struct gc *g, struct eb_error *err)
{
	static const char sql[] = "SELECT count(*) FROM named";

	if (drop_old(g, err) < 0 || drop_to_fit(g, err) < 0 ||
	    drop_unreached(g, err) < 0 ||
	    eb_db_run(g->s->db, sql, count_rows, g, err, "") < 0)
		return -1;
	return eb_store_named(g->s, &g->named, err);
}

static int sweep(void *data, const struct eb_digest *d, uint64_t size,
		 struct eb_error *err)
{
	struct gc *g = data;

	if (eb_digest_set_has(&g->named, d)) {
		g->out->blobs++;
		g->out->bytes += size;
		return 0;
	}
	g->out->removed++;
	g->out->removed_bytes += size;
	return g->options->dry_run ? 0 : eb_blob_remove(g->s, d, err);
}

/* A mark whose blob is gone. */
static int sweep_mark(void *data, const struct eb_digest *d, uint64_t size,
		      struct eb_error *err)
{
	struct gc *g = data;

	(void)size;
	if (g->options->dry_run || eb_digest_set_has(&g->named, d))
		return 0;
	return eb_blob_remove(g->s, d, err);
}

static int sweep_lock(void *data, const struct eb_digest *d, uint64_t size,
		      struct eb_error *err)
{
	char hex[EB_HEX_SIZE];

	(void)size;
	(void)err;
	unlinkat(*(int *)data, eb_digest_hex(d, hex), 0);
	return 0;
}

static int sweep_locks(struct gc *g, struct eb_error *err)
{
	eb_autofree char *path = eb_path_join(g->s->dir, "locks");
	eb_autofd int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (g->options->dry_run || dir < 0)
		return 0;
	return eb_store_scan(g->s, dir, sweep_lock, &dir, err);
}

static int collect(struct gc *g, struct eb_error *err)
{
	int done;

	if (eb_db_begin(g->s->db, err) < 0)
		return -1;
	done = choose(g, err);
	if (done == 0 && g->options->dry_run)
		done = eb_db_end(g->s->db, false, err);
	else
		done = eb_store_end(g->s, done, err);
	if (done < 0 || eb_store_scan(g->s, g->s->blobs, sweep, g, err) < 0 ||
	    eb_store_scan(g->s, g->s->rows, sweep_mark, g, err) < 0)
		return -1;
	return sweep_locks(g, err);
}

static void share(struct eb_store *s)
{
	struct eb_error err = EB_ERROR_INIT;

	eb_store_use_shared(s, &err);
	eb_err_release(&err);
}

static int need_alone(struct gc *g, struct eb_error *err)
{
	if (g->s->readonly)
		return eb_err_set(err, EB_MACHINE,
				  "\"%s\", collecting: the store was opened "
				  "for reading",
				  g->s->dir);
	if (g->options->dry_run || eb_store_use_alone(g->s))
		return 0;
	share(g->s);
	eb_err_set(err, EB_MACHINE,
		   "\"%s\", collecting: another envbuild uses the store",
		   g->s->dir);
	return eb_err_hint(err, "run it again when the other has ended");
}

static void say(struct gc *g)
{
	char size[32];

	eb_detail(g->events, "%s %" PRIu64 " blobs, %s",
		  g->options->dry_run ? "would remove" : "removed",
		  g->out->removed, eb_human_size(g->out->removed_bytes, size));
}

int eb_store_gc(struct eb_store *s, const struct eb_gc_options *options,
		struct eb_events *events, struct eb_store_report *out,
		struct eb_error *err)
{
	struct gc g = { s, options, events, out, { 0 } };
	int done;

	memset(out, 0, sizeof *out);
	if (need_alone(&g, err) < 0)
		return -1;
	done = collect(&g, err);
	eb_digest_set_release(&g.named);
	share(s);
	if (done == 0)
		say(&g);
	return done;
}
