/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a wheel: its directory, RECORD, WHEEL, METADATA, entry points. */
#include <string.h>

#include <envbuild/pep440.h>
#include <envbuild/requirement.h>

#include "wheel_int.h"

#define FORMAT_MAJOR 1 /* of Wheel-Version */
#define FORMAT_MINOR 0

const struct eb_wheel_limits eb_wheel_default_limits = {
	.members = 1000000,
	.member_size = (uint64_t)16 << 30,
	.metadata = EB_MAX_METADATA,
};

/* The first component of a path, when it ends so; caller frees. */
static char *top_with(const char *path, const char *suffix)
{
	eb_autofree char *top = eb_strndup(path, strcspn(path, "/"));

	return eb_ends(top, suffix) ? eb_steal(top) : NULL;
}

static int find_dist_info(struct eb_wheel *w, struct eb_error *err)
{
	for (size_t i = 0; i < w->zip.n; i++) {
		eb_autofree char *top =
			top_with(w->zip.member[i].name, ".dist-info");

		if (!top)
			continue;
		if (w->dist_info && strcmp(w->dist_info, top) != 0)
			return eb_wheel_bad(w, err,
					    "has two folders of metadata, "
					    "\"%s\" and \"%s\"",
					    w->dist_info, top);
		if (!w->dist_info)
			w->dist_info = eb_steal(top);
	}
	if (!w->dist_info)
		return eb_wheel_bad(w, err, "has no folder \"*.dist-info\"");
	w->data = eb_asprintf(
		"%.*s.data", (int)(strlen(w->dist_info) - strlen(".dist-info")),
		w->dist_info);
	return 0;
}

static int check_data(const struct eb_wheel *w, struct eb_error *err)
{
	for (size_t i = 0; i < w->zip.n; i++) {
		eb_autofree char *top =
			top_with(w->zip.member[i].name, ".data");

		if (top && strcmp(top, w->data) != 0)
			return eb_wheel_bad(w, err,
					    "has \"%s\"; the folder of data of "
					    "a wheel is named like its "
					    "metadata, \"%s\"",
					    top, w->data);
	}
	return 0;
}

/* Is this text the version, in one of the ways to write it in a file name? */
static bool is_version(const char *text, const char *version)
{
	static const char instead[] = "_-+";

	for (const char *c = instead; *c; c++) {
		eb_autofree char *tried = eb_strdup(text);
		struct eb_pep440 v;
		bool same;

		for (char *p = tried; *p; p++) {
			if (*p == '_')
				*p = *c;
		}
		if (eb_pep440_parse(tried, strlen(tried), &v) < 0)
			continue;
		same = strcmp(v.text, version) == 0;
		eb_pep440_release(&v);
		if (same)
			return true;
	}
	return false;
}

/* NAME-VERSION.dist-info; old ones have hyphens in the name. */
static int check_dist_info(const struct eb_wheel *w, struct eb_error *err)
{
	eb_autofree char *stem = eb_strndup(
		w->dist_info, strlen(w->dist_info) - strlen(".dist-info"));

	for (char *at = stem; (at = strchr(at, '-')); at++) {
		eb_autofree char *name = eb_strndup(stem, (size_t)(at - stem));
		eb_autofree char *normal = eb_project_name(name);

		if (strcmp(normal, w->name.name) == 0 &&
		    is_version(at + 1, w->name.version))
			return 0;
	}
	return eb_wheel_bad(w, err,
			    "has a folder \"%s\", which does not fit its file "
			    "name: %s %s",
			    w->dist_info, w->name.name, w->name.version);
}

/* A file of dist-info that every wheel has. */
static int need_member(const struct eb_wheel *w, const char *name, char **text,
		       size_t *len, struct eb_error *err)
{
	int rc = eb_wheel_member(w, name, text, len, err);

	if (rc != 0)
		return rc < 0 ? -1 : 0;
	return eb_wheel_bad(w, err, "has no \"%s/%s\"", w->dist_info, name);
}

static int check_format(struct eb_wheel *w, struct eb_error *err)
{
	eb_autofree char *text = NULL, *format = NULL, *major = NULL;
	uint64_t number, minor;
	size_t len, n;

	if (need_member(w, "WHEEL", &text, &len, err) < 0)
		return -1;
	format = eb_wheel_header(text, len, "Wheel-Version");
	if (!format)
		return eb_wheel_bad(w, err, "does not say its Wheel-Version");
	n = strcspn(format, ".");
	major = eb_strndup(format, n);
	if (eb_parse_u64(major, UINT32_MAX, &number) < 0 || !format[n] ||
	    eb_parse_u64(format + n + 1, UINT32_MAX, &minor) < 0)
		return eb_wheel_bad(w, err, "has the Wheel-Version \"%s\"",
				    format);
	if (number > FORMAT_MAJOR)
		return eb_wheel_bad(w, err,
				    "is of Wheel-Version %s; %d is known",
				    format, FORMAT_MAJOR);
	if (number == FORMAT_MAJOR && minor > FORMAT_MINOR)
		w->format = eb_steal(format);
	return 0;
}

static int check_metadata(struct eb_wheel *w, struct eb_error *err)
{
	eb_autofree char *name = NULL, *version = NULL;
	eb_autofree char *what = eb_asprintf("%s/METADATA", w->what);

	if (need_member(w, "METADATA", &w->metadata, &w->metadata_len, err) < 0)
		return -1;
	if (eb_wheel_read_metadata(w->metadata, w->metadata_len, what, &name,
				   &version, err) < 0)
		return -1;
	if (strcmp(name, w->name.name) == 0 &&
	    strcmp(version, w->name.version) == 0)
		return 0;
	return eb_wheel_bad(w, err,
			    "is %s %s by its METADATA and %s %s by its file "
			    "name",
			    name, version, w->name.name, w->name.version);
}

static int open_wheel(struct eb_wheel *w, int fd, struct eb_error *err)
{
	struct eb_zipdir_limits limits = { w->limits.members,
					   w->limits.member_size };

	if (eb_wheel_name_parse(w->what, &w->name, err) < 0 ||
	    eb_zipdir_open(fd, w->what, &limits, &w->zip, err) < 0)
		return -1;
	if (find_dist_info(w, err) < 0 || check_data(w, err) < 0 ||
	    check_dist_info(w, err) < 0 || eb_wheel_read_rows(w, err) < 0)
		return -1;
	if (check_format(w, err) < 0 || check_metadata(w, err) < 0 ||
	    eb_wheel_check_requires(w, err) < 0)
		return -1;
	return eb_wheel_read_points(w, err);
}

int eb_wheel_open(int fd, const char *file,
		  const struct eb_wheel_limits *limits, struct eb_wheel **out,
		  struct eb_error *err)
{
	EB_CLEANUP(eb_wheel_free_ptr)
	struct eb_wheel *w = eb_calloc(1, sizeof *w);
	const char *slash = strrchr(file, '/');

	w->what = eb_strdup(slash ? slash + 1 : file);
	w->limits = *limits;
	if (open_wheel(w, fd, err) < 0)
		return -1;
	*out = eb_steal(w);
	return 0;
}

void eb_wheel_free(struct eb_wheel *w)
{
	if (!w)
		return;
	for (size_t i = 0; w->row && i < w->zip.n; i++)
		free(w->row[i].hash);
	free(w->row);
	eb_zipdir_release(&w->zip);
	eb_wheel_name_release(&w->name);
	eb_wheel_points_release(&w->points);
	free(w->what);
	free(w->dist_info);
	free(w->data);
	free(w->metadata);
	free(w->format);
	free(w);
}

const char *eb_wheel_project(const struct eb_wheel *w)
{
	return w->name.name;
}

const char *eb_wheel_version(const struct eb_wheel *w)
{
	return w->name.version;
}

const char *eb_wheel_metadata(const struct eb_wheel *w, size_t *len)
{
	*len = w->metadata_len;
	return w->metadata;
}
