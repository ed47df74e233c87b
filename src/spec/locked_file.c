/* SPDX-License-Identifier: Apache-2.0 */
/* Locks of other tools: nodes, versions, packages by their URL. */
#include <string.h>

#include "locked_file.h"
#include "spec_list.h"

/* ---- nodes ----------------------------------------------------------------
 */

static int wrong(struct eb_spec_reader *r, const struct eb_yaml_node *n,
		 const char *key, const char *want)
{
	return eb_yaml_err(r->doc, n, r->err, "%s: %s is expected, not %s", key,
			   want, eb_spec_type(n));
}

int eb_locked_text(struct eb_spec_reader *r, const struct eb_yaml_node *map,
		   const char *key, const char **out)
{
	const struct eb_yaml_node *n = eb_yaml_get(map, key);

	*out = NULL;
	if (!n || eb_yaml_is_null(n))
		return 0;
	if (n->type != EB_YAML_SCALAR)
		return wrong(r, n, key, "a text");
	*out = n->text;
	return 0;
}

int eb_locked_need(struct eb_spec_reader *r, const struct eb_yaml_node *map,
		   const char *key, const char **out)
{
	if (eb_locked_text(r, map, key, out) < 0)
		return -1;
	return *out && **out ? 0
			     : eb_yaml_err(r->doc, map, r->err,
					   "a package has no \"%s\"", key);
}

static int need(struct eb_spec_reader *r, const struct eb_yaml_node *map,
		const char *key, enum eb_yaml_type type, const char *want,
		const struct eb_yaml_node **out)
{
	const struct eb_yaml_node *n = eb_yaml_get(map, key);

	*out = NULL;
	if (!n || (n->type == EB_YAML_SCALAR && eb_yaml_is_null(n)))
		return 0;
	if (n->type != type)
		return wrong(r, n, key, want);
	*out = n;
	return 0;
}

int eb_locked_list(struct eb_spec_reader *r, const struct eb_yaml_node *map,
		   const char *key, const struct eb_yaml_node **out)
{
	return need(r, map, key, EB_YAML_LIST, "a list", out);
}

int eb_locked_map(struct eb_spec_reader *r, const struct eb_yaml_node *map,
		  const char *key, const struct eb_yaml_node **out)
{
	return need(r, map, key, EB_YAML_MAP, "a mapping", out);
}

static int other_version(struct eb_spec_reader *r, const struct eb_yaml_node *n,
			 const struct eb_locked_format *f, unsigned version)
{
	eb_autofree char *range =
		f->first == f->last
			? eb_asprintf("version %u", f->last)
			: eb_asprintf("versions %u to %u", f->first, f->last);

	eb_yaml_err(r->doc, n, r->err,
		    "it is a %s of version %u; %s can be read", f->name,
		    version, range);
	if (version < f->first)
		return eb_err_hint(r->err, "a newer %s writes it anew",
				   f->tool);
	r->err->code = EB_MACHINE;
	return eb_err_hint(r->err, "use a newer envbuild");
}

int eb_locked_version(struct eb_spec_reader *r,
		      const struct eb_locked_format *f, unsigned *out)
{
	const struct eb_yaml_node *n = eb_yaml_get(r->doc->root, "version");
	uint64_t version;

	if (n->type != EB_YAML_SCALAR ||
	    eb_parse_u64(n->text, UINT32_MAX, &version) < 0)
		return eb_yaml_err(r->doc, n, r->err,
				   "reading as a %s: \"version\" is no number",
				   f->name);
	*out = (unsigned)version;
	return version >= f->first && version <= f->last
		       ? 0
		       : other_version(r, n, f, *out);
}

const char *eb_locked_subdir(const struct eb_spec_reader *r)
{
	const char *subdir = eb_conda_subdir(r->platform);

	return subdir ? subdir : r->platform;
}

/* ---- packages -------------------------------------------------------------
 */

int eb_locked_is_remote(struct eb_spec_reader *r, const struct eb_yaml_node *n,
			const char *url)
{
	eb_autofree char *shown = NULL;

	if (strstr(url, "://"))
		return 0;
	shown = eb_printable(url);
	eb_yaml_err(r->doc, n, r->err,
		    "\"%s\" lies on the machine that made the lock", shown);
	return eb_err_hint(r->err, "an environment file can name local "
				   "projects, below \"- pip:\"");
}

static int take_hashes(struct eb_spec_reader *r, const struct eb_yaml_node *n,
		       const struct eb_yaml_node *hashes, struct eb_record *out)
{
	static const char *const keys[] = { "sha256", "md5" };
	const char *hex;

	for (size_t i = 0; hashes && i < 2; i++) {
		if (eb_locked_text(r, hashes, keys[i], &hex) < 0)
			return -1;
		if (hex && (strlen(hex) != (i ? 32 : 64) ||
			    eb_spec_take_hash(hex, out) < 0))
			return eb_yaml_err(
				r->doc, eb_yaml_get(hashes, keys[i]), r->err,
				"%s: it is none in lower case", keys[i]);
	}
	return out->has_sha256 || out->md5[0]
		       ? 0
		       : eb_yaml_err(r->doc, n, r->err,
				     "package \"%s\" has neither sha256 nor "
				     "md5: nothing says which bytes are meant",
				     out->name);
}

struct eb_exact_package *eb_locked_add(struct eb_spec_reader *r,
				       const struct eb_yaml_node *n,
				       const char *url,
				       const struct eb_yaml_node *hashes)
{
	struct eb_exact_package *p;

	if (eb_locked_is_remote(r, n, url) < 0)
		return NULL;
	p = eb_exact_add(r->spec->exact);
	p->requested = true;
	p->line = n->line;
	p->column = n->column;
	if (eb_record_of_place(url, &p->record, &p->channel, r->err) < 0 ||
	    eb_exact_fits(&p->record, r->platform, r->err) < 0) {
		eb_err_at(r->err, r->doc->name, n->line, n->column);
		return NULL;
	}
	return take_hashes(r, n, hashes, &p->record) < 0 ? NULL : p;
}
