/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is kept between runs: small JSON objects beside uv's cache, of facts
 * that never change.
 */
#include "uv.h"

#include <inttypes.h>
#include <string.h>

#include <envbuild/file.h>
#include <envbuild/json.h>

#define KNOWN_MAX ((size_t)8 << 20) /* bytes; beyond that it begins anew */

json_t *eb_uv_known_read(const char *root, const char *name)
{
	eb_autofree char *path = eb_path_join(root, name);
	struct eb_error none = EB_ERROR_INIT;
	EB_AUTOBUF(text, KNOWN_MAX);
	json_t *known = NULL;

	if (eb_path_exists(path) &&
	    eb_read_file(path, text.max, &text, &none) == 0)
		known = eb_json_parse(text.data, text.len, path, &none);
	eb_err_release(&none);
	if (!json_is_object(known)) {
		json_decref(known);
		known = json_object();
	}
	return known;
}

/* Who writes at the same time wins; the others ask again, once. */
void eb_uv_known_write(const char *root, const char *name, json_t *known)
{
	eb_autofree char *path = eb_path_join(root, name);
	eb_autojson json_t *there = eb_uv_known_read(root, name);
	struct eb_error none = EB_ERROR_INIT;
	EB_AUTOBUF(text, KNOWN_MAX);

	json_object_update(there, known);
	eb_json_canonical(there, &text);
	if (text.overflow) {
		eb_buf_reset(&text);
		eb_json_canonical(known, &text);
	}
	if (!text.overflow)
		eb_write_file(path, text.data, text.len, 0600, &none);
	eb_err_release(&none);
}

char *eb_uv_state(const struct stat *st)
{
	return eb_asprintf("%" PRIx64 ".%" PRIx64 ".%" PRIx64 ".%" PRIx64 ".%lx"
			   ".%" PRIx64 ".%lx",
			   (uint64_t)st->st_dev, (uint64_t)st->st_ino,
			   (uint64_t)st->st_size, (uint64_t)st->st_mtim.tv_sec,
			   st->st_mtim.tv_nsec, (uint64_t)st->st_ctim.tv_sec,
			   st->st_ctim.tv_nsec);
}
