/* SPDX-License-Identifier: Apache-2.0 */
/* One build per definition: a lock file each, in locks/. */
#include <stdbool.h>

#include <envbuild/file.h>

#include "store_priv.h"

static void say_network(struct eb_store *s, struct eb_events *events)
{
	const char *name;

	if (!s->network || atomic_exchange(&s->said, true))
		return;
	name = eb_network_name(s->blobs);
	eb_note(events,
		"the store \"%s\" is on %s: it works without unnamed files and "
		"write-ahead log there, which is slower",
		s->dir, name ? name : "a file system without unnamed files");
}

int eb_store_lock_build(struct eb_store *s, const struct eb_digest *definition,
			struct eb_events *events, int *fd, struct eb_error *err)
{
	eb_autofree char *path = NULL;
	char hex[EB_HEX_SIZE];
	int got;

	say_network(s, events);
	path = eb_asprintf("%s/locks/%s", s->dir,
			   eb_digest_hex(definition, hex));
	got = eb_lock_file(path, false, fd, err);
	if (got != 0)
		return got < 0 ? -1 : 0;
	eb_note(events, "another envbuild builds the same definition; waiting "
			"for its result");
	return eb_lock_file(path, true, fd, err) < 0 ? -1 : 0;
}
