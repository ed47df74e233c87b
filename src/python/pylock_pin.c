/* SPDX-License-Identifier: Apache-2.0 */
/* One package of a pylock.toml as a pin: the file that fits the target best,
 * or where it comes from otherwise. */
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/pep440.h>
#include <envbuild/requirement.h>

#include "pylock_int.h"

/* --- wheels and sdists --------------------------------------------------- */

/* 1 taken, 0 none fits. */
static int take_wheel(const struct eb_pylock_reader *l, const json_t *wheels,
		      const struct eb_strv *wanted, struct eb_pin *out,
		      struct eb_error *err)
{
	struct eb_strv names EB_CLEANUP(eb_strv_release) = { 0 };
	size_t n = json_array_size(wheels), i, found = 0;
	eb_autofree size_t *order = eb_calloc(n + 1, sizeof *order);

	for (i = 0; i < n; i++) {
		const json_t *file = json_array_get(wheels, i);
		char *name = eb_pylock_is_wanted(file, wanted)
				     ? eb_pylock_name_of(file)
				     : NULL;

		eb_strv_take(&names, name ? name : eb_strdup(""));
	}
	eb_wheel_choice(&names, l->tags, order, &found);
	if (found == 0)
		return 0;
	out->source = EB_PIN_WHEEL;
	return eb_pylock_take_file(l, json_array_get(wheels, order[0]), out,
				   err) < 0
		       ? -1
		       : 1;
}

static struct eb_pin_build *new_build(void)
{
	struct eb_pin_build *b = eb_calloc(1, sizeof *b);

	b->isolated = true;
	return b;
}

static int no_file(const struct eb_pylock_reader *l, const json_t *package,
		   const struct eb_strv *wanted, const struct eb_pin *pin,
		   struct eb_error *err)
{
	const json_t *wheels = eb_json_arr(package, "wheels");
	const json_t *any = json_array_size(wheels)
				    ? json_array_get(wheels, 0)
				    : eb_json_obj(package, "sdist");
	const char *sha = eb_json_str(eb_json_obj(any, "hashes"), "sha256");
	eb_autofree char *file = any ? eb_pylock_name_of(any) : NULL;

	if (wanted && wanted->n && any) {
		eb_err_set(err, EB_NO,
			   "\"%s\" %s: none of its files has a hash that is "
			   "asked for; \"%s\" has sha256:%s",
			   pin->name, pin->version, file ? file : "",
			   sha ? sha : "");
		return eb_err_hint(err,
				   "either the file was changed or the hash is "
				   "of a file for another platform");
	}
	return eb_err_set(err, EB_NO,
			  "\"%s\" %s: no file of it fits Python %s, %s %s, %s",
			  pin->name, pin->version, l->target->version,
			  l->target->musl ? "musl" : "glibc",
			  l->target->musl ? l->target->musl : l->target->glibc,
			  l->target->arch);
}

static int take_index(const struct eb_pylock_reader *l, const json_t *package,
		      struct eb_pin *out, struct eb_error *err)
{
	const json_t *sdist = eb_json_obj(package, "sdist");
	const struct eb_strv *wanted =
		l->hashes ? l->hashes(l->data, out->name) : NULL;
	const char *index = eb_json_str(package, "index");
	int rc =
		take_wheel(l, eb_json_arr(package, "wheels"), wanted, out, err);

	if (rc < 0)
		return -1;
	if (index)
		out->index = eb_index_shown(index);
	if (rc == 1)
		return 0;
	if (!sdist || !eb_pylock_is_wanted(sdist, wanted))
		return no_file(l, package, wanted, out, err);
	out->source = EB_PIN_SDIST;
	out->build = new_build();
	return eb_pylock_take_file(l, sdist, out, err);
}

/* --- other places --------------------------------------------------------- */

static void take_version(struct eb_pin *out, char *name, char *version)
{
	if (!out->version)
		out->version = eb_steal(version);
	free(name);
	free(version);
}

/* A file by URL or path: its name says what it is. */
static int take_archive(const struct eb_pylock_reader *l, const json_t *archive,
			struct eb_pin *out, struct eb_error *err)
{
	const char *sub = eb_json_str(archive, "subdirectory");
	const struct eb_strv *wanted =
		l->hashes ? l->hashes(l->data, out->name) : NULL;
	struct eb_error none = EB_ERROR_INIT;
	struct eb_wheel_name w = { 0 };
	char *name = NULL, *version = NULL;

	out->direct = true;
	out->subdirectory = eb_strdup(sub);
	if (eb_pylock_take_file(l, archive, out, err) < 0)
		return -1;
	if (!eb_pylock_is_wanted(archive, wanted))
		return eb_err_set(err, EB_NO,
				  "\"%s\": \"%s\" has none of the hashes that "
				  "are asked for",
				  out->name, out->file);
	if (!eb_ends(out->file, ".whl")) {
		out->source = EB_PIN_SDIST;
		out->build = new_build();
		if (eb_sdist_name_parse(out->file, &name, &version, &none) == 0)
			take_version(out, name, version);
		eb_err_release(&none);
		return 0;
	}
	out->source = EB_PIN_WHEEL;
	if (eb_wheel_name_parse(out->file, &w, err) < 0)
		return -1;
	if (eb_wheel_rank(&w, l->tags) < 0)
		eb_err_set(err, EB_NO,
			   "\"%s\" does not fit Python %s, %s %s, %s",
			   out->file, l->target->version,
			   l->target->musl ? "musl" : "glibc",
			   l->target->musl ? l->target->musl : l->target->glibc,
			   l->target->arch);
	else
		take_version(out, eb_steal(w.name), eb_steal(w.version));
	eb_wheel_name_release(&w);
	return err->code == EB_OK ? 0 : -1;
}

static int take_vcs(const struct eb_pylock_reader *l, const json_t *vcs,
		    struct eb_pin *out, struct eb_error *err)
{
	const char *url = eb_json_str(vcs, "url");
	const char *path = eb_json_str(vcs, "path");
	const char *type = eb_json_str(vcs, "type");
	const char *commit = eb_json_str(vcs, "commit-id");

	if (!type || !commit || (!url && !path))
		return eb_pylock_bad(
			l, out->name,
			"a repository needs type, commit-id and url or path",
			err);
	out->source = EB_PIN_VCS;
	out->direct = true;
	out->build = new_build();
	out->vcs = eb_strdup(type);
	out->commit = eb_strdup(commit);
	out->revision = eb_strdup(eb_json_str(vcs, "requested-revision"));
	out->subdirectory = eb_strdup(eb_json_str(vcs, "subdirectory"));
	if (url)
		out->url = eb_index_shown(url);
	else
		eb_pylock_set_url(l, vcs, out);
	return 0;
}

static int take_folder(const struct eb_pylock_reader *l, const json_t *folder,
		       struct eb_pin *out, struct eb_error *err)
{
	if (!eb_json_str(folder, "path"))
		return eb_pylock_bad(l, out->name, "a folder needs its path",
				     err);
	out->source = EB_PIN_DIR;
	out->direct = true;
	out->build = new_build();
	out->editable = json_is_true(json_object_get(folder, "editable"));
	out->subdirectory = eb_strdup(eb_json_str(folder, "subdirectory"));
	eb_pylock_set_url(l, folder, out);
	return 0;
}

/* --- the whole ------------------------------------------------------------ */

static int take_source(const struct eb_pylock_reader *l, const json_t *package,
		       struct eb_pin *out, struct eb_error *err)
{
	const json_t *archive = eb_json_obj(package, "archive");
	const json_t *vcs = eb_json_obj(package, "vcs");
	const json_t *folder = eb_json_obj(package, "directory");
	bool files =
		eb_json_arr(package, "wheels") || eb_json_obj(package, "sdist");

	if (!!archive + !!vcs + !!folder + files != 1)
		return eb_pylock_bad(
			l, out->name,
			"it has to have files, an archive, a repository or "
			"a folder, and one of these",
			err);
	if (archive)
		return take_archive(l, archive, out, err);
	if (vcs)
		return take_vcs(l, vcs, out, err);
	return folder ? take_folder(l, folder, out, err)
		      : take_index(l, package, out, err);
}

int eb_pylock_pin(const struct eb_pylock_reader *l, const json_t *package,
		  struct eb_pin *out, struct eb_error *err)
{
	const char *name = eb_json_str(package, "name");
	const char *version = eb_json_str(package, "version");
	const char *python = eb_json_str(package, "requires-python");
	struct eb_pep440 v = { 0 };

	*out = (struct eb_pin){ 0 };
	if (!name)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\": a package has no name", l->name);
	out->name = eb_project_name(name);
	out->requires_python = eb_strdup(python);
	if (version && eb_pep440_parse(version, strlen(version), &v) < 0)
		return eb_pylock_bad(l, name, "its version is none", err);
	out->version = eb_strdup(v.text);
	eb_pep440_release(&v);
	if (take_source(l, package, out, err) < 0)
		return -1;
	if (!out->version && out->source == EB_PIN_SDIST && !out->direct)
		return eb_pylock_bad(l, name, "it has no version", err);
	if (!out->file)
		out->file = eb_asprintf("%s-%s", out->name,
					out->version ? out->version : "0");
	return 0;
}
