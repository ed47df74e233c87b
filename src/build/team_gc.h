/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Care of the team's repository: every tag is looked at once (what is read is
 * the manifests of images and locked-), then decided on, then what may go is
 * removed by digest. Nothing is removed before everything is known.
 */
#ifndef EB_TEAM_GC_H
#define EB_TEAM_GC_H

#include "team_private.h"

enum eb_gc_kind {
	EB_GC_IMAGE, /* env-, lock-, n- */
	EB_GC_OTHER, /* any other tag: it keeps what it points to */
	EB_GC_LOCKED,
	EB_GC_LAYER,
	EB_GC_STEP,
	EB_GC_CATALOGUE, /* def-, label-, claim-: they stay */
	EB_GC_HINT,	 /* recent, and the tags of referrers: left alone */
};

struct eb_gc_tag {
	enum eb_gc_kind kind;
	const char *tag; /* in eb_gc.tags */
	const char *hex; /* 32 digits of the key, or "" */
	bool found;	 /* by a request: what follows holds */
	struct eb_digest digest;
	size_t image;	 /* in eb_gc.image; SIZE_MAX: none */
	int64_t time;	 /* of locked-, step-; s, 0 unknown */
	const char *why; /* it may go: "old" or "unreachable" */
};

struct eb_gc_image { /* one manifest, under however many tags */
	struct eb_digest digest;
	char lock[EB_HEX_SIZE]; /* its hash, "" unknown */
	struct eb_strv keys;	/* of its layers, sorted */
	bool old, stays;
};

struct eb_gc {
	struct eb_team *team;
	const struct eb_team_gc_options *options;
	struct eb_team_gc_report *report;
	int64_t now;
	struct eb_strv tags;
	struct eb_gc_tag *tag;
	size_t n;
	struct eb_gc_image *image;
	size_t n_images, alloc;
};

/* team_gc_read.c: lists and reads. */
int eb_gc_read(struct eb_gc *g, struct eb_error *err);
void eb_gc_release(struct eb_gc *g);

#endif
