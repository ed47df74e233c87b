/* SPDX-License-Identifier: Apache-2.0 */
/* Compressors: which there are, and what a blob's bytes depend on. */
#include <stdio.h>
#include <string.h>
#include <zstd.h>

#include "layer_priv.h"

#define ZSTD_LEVEL 3
#define ZSTD_LEVEL_MAX 19

static int init_gzip(struct eb_compressor *c)
{
	struct eb_digest got;
	char hex[EB_HEX_SIZE];

	c->golden = eb_golden_gzip(&got);
	snprintf(c->id, sizeof c->id, EB_COMPRESSOR_USUAL);
	if (!c->golden)
		snprintf(c->id, sizeof c->id, EB_COMPRESSOR_USUAL "-%.8s",
			 eb_digest_hex(&got, hex));
	return 0;
}

static int init_zstd(struct eb_compressor *c, uint64_t level)
{
	c->zstd_level = (int)level;
	c->golden = 1;
	snprintf(c->id, sizeof c->id, "zstd%d-%s", c->zstd_level,
		 ZSTD_versionString());
	return 0;
}

int eb_compressor_init(struct eb_compressor *c, const char *text,
		       struct eb_error *err)
{
	uint64_t level = ZSTD_LEVEL;

	memset(c, 0, sizeof *c);
	if (strcmp(text, "gzip") == 0)
		return init_gzip(c);
	if (strcmp(text, "zstd") == 0)
		return init_zstd(c, level);
	if (eb_starts(text, "zstd:") &&
	    eb_parse_u64(text + 5, ZSTD_LEVEL_MAX, &level) == 0 && level > 0)
		return init_zstd(c, level);
	eb_err_set(err, EB_USAGE, "\"%s\" is no kind of compression", text);
	return eb_err_hint(err, "gzip, zstd or zstd:LEVEL with a level from 1 "
				"to 19");
}

const char *eb_compressor_media_type(const struct eb_compressor *c)
{
	return c->zstd_level ? "application/vnd.oci.image.layer.v1.tar+zstd"
			     : "application/vnd.oci.image.layer.v1.tar+gzip";
}
