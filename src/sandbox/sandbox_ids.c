/* SPDX-License-Identifier: Apache-2.0 */
/* Subordinate ids: which ids a user without root may map into a namespace. */
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/process.h>
#include <envbuild/str.h>

#include <envbuild/sandbox.h>

#include "sandbox_form.h"

/* Above what machines give to people, services and containers. */
#define UNUSED 2147000001u

/* A line is NAME:FIRST:COUNT, where NAME may be the number of the user. */
static bool read_line(const char *line, const char *name, const char *number,
		      struct eb_id_range *out)
{
	struct eb_strv part EB_CLEANUP(eb_strv_release) = { 0 };
	uint64_t first, n;

	eb_strv_split(&part, line, ":");
	if (part.n != 3 ||
	    (strcmp(part.v[0], name) != 0 && strcmp(part.v[0], number) != 0))
		return false;
	if (eb_parse_u64(part.v[1], 0xfffffffe, &first) < 0 ||
	    eb_parse_u64(part.v[2], 0xfffffffe, &n) < 0 || n == 0)
		return false;
	*out = (struct eb_id_range){ (unsigned)first, (unsigned)n };
	return true;
}

static bool read_ranges(const char *path, const char *name, const char *number,
			struct eb_id_range *out)
{
	struct eb_strv line EB_CLEANUP(eb_strv_release) = { 0 };
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	size_t i;
	EB_AUTOBUF(text, EB_MAX_CONFIG);

	if (eb_read_file(path, EB_MAX_CONFIG, &text, &err) < 0)
		return false;
	eb_strv_split(&line, text.data, "\n");
	for (i = 0; i < line.n; i++)
		if (read_line(line.v[i], name, number, out))
			return true;
	return false;
}

/* "     0      100000      65536": what is here, there, how many. */
unsigned eb_unused_id(void)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	unsigned first, there, n, last = UNUSED;
	const char *line;
	EB_AUTOBUF(text, EB_MAX_CONFIG);

	if (eb_read_file("/proc/self/uid_map", EB_MAX_CONFIG, &text, &err) < 0)
		return last;
	for (line = text.data; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "%u %u %u", &first, &there, &n) != 3 || !n)
			continue;
		if (first <= UNUSED && UNUSED - first < n)
			return UNUSED;
		last = first + n - 1;
	}
	return last;
}

bool eb_sub_ids(struct eb_id_range *uid, struct eb_id_range *gid)
{
	eb_autofree char *map_uid = eb_find_program("newuidmap");
	eb_autofree char *map_gid = eb_find_program("newgidmap");
	eb_autofree char *number = eb_asprintf("%u", geteuid());
	struct passwd pw, *found = NULL;
	char text[4096];
	eb_autofree char *name = NULL;

	getpwuid_r(geteuid(), &pw, text, sizeof text, &found);
	name = eb_strdup(found ? found->pw_name : number);
	return map_uid && map_gid &&
	       read_ranges("/etc/subuid", name, number, uid) &&
	       read_ranges("/etc/subgid", name, number, gid);
}

/* As a user's own id and the subordinate ones are mapped: 0, and from 1 on. */
unsigned eb_sandbox_owner(unsigned id, bool group)
{
	struct eb_id_range uid = { 0, 0 }, gid = { 0, 0 };
	const struct eb_id_range *range = group ? &gid : &uid;

	if (geteuid() == 0)
		return id;
	if (id == (group ? getegid() : geteuid()) || !eb_sub_ids(&uid, &gid))
		return 0;
	return id >= range->first && id - range->first < range->n
		       ? id - range->first + 1
		       : 0;
}
