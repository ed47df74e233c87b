/* SPDX-License-Identifier: Apache-2.0 */
/* The difference of two looks at a folder, as the tar of a layer. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "layer_priv.h"
#include "delta_diff.h"

#define WINDOW ((size_t)256 << 10)

struct writing {
	const char *dir;
	const struct eb_delta_rules *rules;
	struct eb_delta_report *report;
	struct eb_sink *sink;
	char *window;
};

/* --- what an entry says --------------------------------------------------- */
static unsigned owner(const struct writing *w, unsigned id, bool group)
{
	return w->rules->owner ? w->rules->owner(id, group) : id;
}

static int64_t mtime(const struct writing *w, const struct eb_delta_node *node)
{
	int64_t t = node->mtime.tv_sec, latest = w->rules->latest;

	if (S_ISDIR(node->mode) || t >= w->rules->begun)
		t = w->rules->stamp;
	return latest && t > latest ? latest : t;
}

static char type(const struct eb_delta_entry *e)
{
	if (e->link)
		return '1';
	if (!e->node)
		return '0';
	return S_ISDIR(e->node->mode)	? '5'
	       : S_ISLNK(e->node->mode) ? '2'
					: '0';
}

/* Capabilities are given by an attribute, which no layer of ours has. */
static bool gives_rights(const struct writing *w,
			 const struct eb_delta_node *node)
{
	eb_autofree char *path = eb_asprintf("%s/%s", w->dir, node->path);

	return node->mode & (S_ISUID | S_ISGID) ||
	       lgetxattr(path, "security.capability", NULL, 0) > 0;
}

static struct eb_tar_fields fields(struct writing *w,
				   const struct eb_delta_entry *e)
{
	const struct eb_delta_node *node = e->node;
	struct eb_tar_fields f = { .name = e->name,
				   .type = type(e),
				   .link = e->link,
				   .mode = 0644,
				   .mtime = w->rules->stamp };

	if (!node)
		return f;
	f.mode = node->mode & 07777;
	f.uid = owner(w, node->uid, false);
	f.gid = owner(w, node->gid, true);
	f.mtime = mtime(w, node);
	if (S_ISLNK(node->mode))
		f.link = node->target;
	if (!S_ISREG(node->mode))
		return f;
	f.mode &= 01777;
	if (!e->link) {
		f.size = node->size;
		if (gives_rights(w, node))
			eb_strv_add(&w->report->set_id, node->path);
	}
	return f;
}

/* --- its content ---------------------------------------------------------- */
static int copy(struct writing *w, const struct eb_delta_node *node, int fd,
		struct eb_error *err)
{
	for (uint64_t done = 0; done < node->size;) {
		uint64_t left = node->size - done;
		ssize_t n = read(fd, w->window,
				 left < WINDOW ? (size_t)left : WINDOW);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return eb_err_errno(err, EB_MACHINE, errno,
					    "\"%s\", packing", node->path);
		if (n == 0)
			return eb_err_set(err, EB_MACHINE,
					  "\"%s\", packing: it becomes shorter",
					  node->path);
		if (eb_sink_write(w->sink, w->window, (size_t)n, err) < 0)
			return -1;
		done += (uint64_t)n;
	}
	return eb_sink_zeros(w->sink, eb_tar_padding(node->size), err);
}

static int add_content(struct writing *w, const struct eb_delta_node *node,
		       struct eb_error *err)
{
	eb_autofree char *path = eb_asprintf("%s/%s", w->dir, node->path);
	eb_autofd int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", packing",
				    node->path);
	return copy(w, node, fd, err);
}

/* --- all ------------------------------------------------------------------ */
static bool is_special(const struct eb_delta_node *node)
{
	return node && !S_ISREG(node->mode) && !S_ISDIR(node->mode) &&
	       !S_ISLNK(node->mode);
}

static int add(struct writing *w, const struct eb_delta_entry *e,
	       struct eb_error *err)
{
	EB_AUTOBUF(header, EB_MAX_METADATA);
	struct eb_tar_fields f;

	if (is_special(e->node)) {
		eb_strv_add(&w->report->left, e->node->path);
		return 0;
	}
	f = fields(w, e);
	if (eb_tar_fields(&header, &f, err) < 0 ||
	    eb_sink_write(w->sink, header.data, header.len, err) < 0)
		return -1;
	w->report->n_entries++;
	return f.size ? add_content(w, e->node, err) : 0;
}

static int add_all(struct writing *w, const struct eb_delta_diff *d,
		   struct eb_error *err)
{
	for (size_t i = 0; i < d->n; i++)
		if (add(w, &d->entry[i], err) < 0)
			return -1;
	return eb_sink_zeros(w->sink, (size_t)2 * EB_TAR_BLOCK, err);
}

int eb_delta_layer(struct eb_store *store, const struct eb_compressor *c,
		   const char *dir, const struct eb_delta *before,
		   const struct eb_delta *after,
		   const struct eb_delta_rules *rules,
		   struct eb_delta_report *report, struct eb_item *out,
		   struct eb_error *err)
{
	struct eb_delta_diff diff EB_CLEANUP(eb_delta_diff_release) = { 0 };
	EB_CLEANUP(eb_sink_abort_ptr) struct eb_sink *sink = NULL;
	eb_autofree char *window = eb_malloc(WINDOW);
	struct writing w = {
		.dir = dir, .rules = rules, .report = report, .window = window
	};

	*report = (struct eb_delta_report){ 0 };
	*out = (struct eb_item){ .kind = EB_ITEM_LAYER };
	eb_delta_diff(before, after, &diff);
	report->n_removed = diff.n_removed;
	if (eb_sink_begin(store, c, &sink, err) < 0)
		return -1;
	w.sink = sink;
	if (add_all(&w, &diff, err) < 0)
		return -1;
	return eb_sink_end(eb_steal(sink), out, dir, err);
}

void eb_delta_report_release(struct eb_delta_report *r)
{
	eb_strv_release(&r->set_id);
	eb_strv_release(&r->left);
}
