/* SPDX-License-Identifier: Apache-2.0 */
/* What the steps of eb_team_build() share. */
#ifndef EB_TEAM_WORK_H
#define EB_TEAM_WORK_H

#include <envbuild/image.h>

#include "team_private.h"

#define EB_LAYER_KEY "dev.envbuild.layer-key"

struct eb_team_work {
	struct eb_team *t;
	struct eb_lock *lock;
	const struct eb_env *env;
	const struct eb_config *config;
	struct eb_store *store;
	struct eb_events *events;
	struct eb_built *built;
	struct eb_compressor compressor;
	bool refresh;  /* env- is moved, and the lock's time confirmed */
	bool standing; /* the image was there; nothing was made */
	struct eb_known known; /* what the registry has, as far as is known */
	bool looked;	       /* known is all that there is to know */
	struct eb_lost lost;
	bool unknown; /* the registry lacks a blob of the image */
	struct eb_push *push;
	/* the image: what lock- stands for */
	struct eb_buf text;
	char media_type[128];
	struct eb_digest digest;
	struct eb_known map;
	struct eb_locked *locked; /* its blobs are on their way */
	struct eb_later *later;	  /* so is its list of recent ones */
	/* what was seen of others: lock- is `there`, locked- is not older */
	bool image_there, locked_there;
	struct eb_digest there;
};

/* The image's digest, its configuration's and its lock's out of its text. The
 * lock's is zero where it names none. */
int eb_team_image_read(const struct eb_buf *text, const char *what,
		       struct eb_team_image *out, struct eb_error *err);

/* team_lookup.c: what the registry has of that which the store lacks; what
 * goes wrong is said and is no error. */
int eb_team_lookup(struct eb_build *b, struct eb_known *out,
		   struct eb_error *err);

/* team_mapping.c: the layers of a manifest that are ours, and the parts of
 * each bucket; b's store, known and compressor count. 1, 0: not all of them
 * are known, -1. */
int eb_team_map(struct eb_build *b, const struct eb_manifest *m,
		struct eb_known *out, struct eb_error *err);

/* team_publish.c */
/* Which of lock- and locked- stand there; may run beside the pusher. */
int eb_team_look(struct eb_team_work *w, struct eb_error *err);
/* lock- of the image in w->text, unless there is one, which w has then; and
 * locked-. All blobs are there. */
int eb_team_put(struct eb_team_work *w, struct eb_error *err);
/* The image is there and its lock as well: with `refresh` the time alone is
 * new; failing is a note. */
void eb_team_confirm(struct eb_team_work *w);
/* env-, and what stands there in the end. */
int eb_team_point(struct eb_team_work *w, struct eb_team_image *out,
		  struct eb_error *err);

/* team_later.c: layer- and recent of the image that stands under lock-, as far
 * as the registry takes them now. Beginning sends the first in the background;
 * the end does the rest and may run beside eb_team_point(). */
struct eb_later;
struct eb_later *eb_later_begin(struct eb_team_work *w);
void eb_later_end(struct eb_later *l);
void eb_later_free(struct eb_later *l);
EB_AUTOPTR(struct eb_later, eb_later_free)

#endif
